/** What a report does in a browser: themes, copying a command, sorting a table, filtering findings, opening all to print. */
export const SCRIPT = `
const root = document.documentElement;
document.getElementById('theme').onclick = () => {
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
};
document.addEventListener('click', async (event) => {
  const copy = event.target.closest('.cmd button');
  if (copy) {
    await navigator.clipboard?.writeText(copy.previousElementSibling.textContent).catch(() => {});
    copy.textContent = 'Copied';
  }
  const sort = event.target.closest('th button');
  if (sort) {
    const head = sort.closest('th'), body = head.closest('table').tBodies[0], column = head.cellIndex;
    const up = head.getAttribute('aria-sort') !== 'ascending';
    for (const other of head.parentNode.children) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const value = (row) => { const cell = row.cells[column], number = Number(cell.dataset.value); return cell.dataset.value === undefined || Number.isNaN(number) ? cell.textContent : number; };
    const rows = [...body.rows].sort((a, b) => { const x = value(a), y = value(b); return typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y)); });
    for (const row of up ? rows : rows.reverse()) body.append(row);
  }
});
const opened = () => { const target = location.hash && document.getElementById(location.hash.slice(1)); if (target && target.tagName === 'DETAILS') target.open = true; };
addEventListener('hashchange', opened);
opened();
document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-filter]');
  if (!button) return;
  const kind = button.dataset.filter;
  for (const each of document.querySelectorAll('[data-filter]')) each.setAttribute('aria-pressed', String(each === button));
  let shown = 0;
  for (const each of document.querySelectorAll('[data-symptom]')) {
    each.hidden = !(kind === 'all' || each.dataset.symptom === kind || (kind === 'new' && each.dataset.known === '0'));
    if (!each.hidden) shown++;
  }
  for (const group of document.querySelectorAll('[data-group], .rows')) group.hidden = !group.querySelector('[data-symptom]:not([hidden])');
  document.getElementById('nothing').hidden = shown > 0;
});
for (const map of document.querySelectorAll('.heat-map')) {
  const body = map.querySelector('tbody'), head = map.querySelector('thead tr'), says = map.nextElementSibling;
  let at = null;
  const go = (cell) => {
    if (!cell || cell.tagName !== 'TD') return;
    at?.classList.remove('at');
    at = cell;
    at.classList.add('at');
    const resource = (cell.querySelector('small')?.textContent ?? cell.querySelector('abbr')?.title);
    says.textContent = cell.parentNode.cells[0].textContent + ' beside ' + head.cells[cell.cellIndex].textContent + ': ' + (cell.dataset.says ?? 'not measured') + (resource ? '; exhausted: ' + resource : '') + '.';
  };
  map.addEventListener('pointerover', (event) => go(event.target.closest('td')));
  map.addEventListener('keydown', (event) => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (!step) return;
    event.preventDefault();
    const row = at ? at.parentNode.sectionRowIndex + step[0] : 0, column = at ? at.cellIndex + step[1] : 1;
    go(body.rows[row]?.cells[column]);
    at?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  });
}
addEventListener('beforeprint', () => { for (const each of document.querySelectorAll('details')) each.open = true; });
`;

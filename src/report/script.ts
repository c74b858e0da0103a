/** What a report does in a browser: themes, copying a command, sorting a table, opening everything to print. */
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
addEventListener('beforeprint', () => { for (const each of document.querySelectorAll('details')) each.open = true; });
`;

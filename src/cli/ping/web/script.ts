/**
 * What the pages do in a browser: everything is drawn by the server and put in as it comes; the script keeps the focus,
 * highlights the links of a path, walks through a matrix by arrow keys, and listens for runs.
 */
export const SCRIPT = `
const root = document.documentElement, main = document.getElementById('main'), live = document.getElementById('live');
const state = { run: '', path: '', find: '' };
let drawing = false, again = false;
async function draw() {
  if (drawing) { again = true; return; }
  drawing = true;
  const query = new URLSearchParams(location.search);
  for (const key of ['run', 'path']) if (state[key] !== '') query.set(key, state[key]);
  try {
    const answer = await fetch('main?' + query);
    if (answer.ok) {
      const focus = document.activeElement && document.activeElement.id;
      main.innerHTML = await answer.text();
      if (focus) document.getElementById(focus)?.focus({ preventScroll: true });
      find();
      const said = document.getElementById('headline');
      if (said && live.textContent !== said.textContent) live.textContent = said.textContent;
      root.dataset.drawn = Number(root.dataset.drawn || 0) + 1;
    }
  } catch { /* The next event draws again. */ }
  drawing = false;
  if (again) { again = false; draw(); }
}
const events = new EventSource('events' + location.search), badge = document.getElementById('link-state');
events.onopen = () => { badge.textContent = '● live'; badge.className = 'ok'; if (root.dataset.lost) { delete root.dataset.lost; draw(); } };
events.onerror = () => { badge.textContent = '× not connected'; badge.className = 'bad'; root.dataset.lost = '1'; };
events.onmessage = () => { if (state.run === '') draw(); };
document.getElementById('theme').onclick = () => {
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
};
function show(cell) {
  clear();
  const on = new Set(cell.dataset.links.split(' '));
  for (const drawing of main.querySelectorAll('.topo')) drawing.classList.add('hl');
  for (const link of main.querySelectorAll('[data-link]')) link.classList.toggle('on', on.has(link.dataset.link));
  cell.closest('section').querySelector('.say').textContent = cell.dataset.say;
}
function clear() {
  for (const each of main.querySelectorAll('.hl')) each.classList.remove('hl');
  for (const each of main.querySelectorAll('.say')) each.textContent = '';
}
const cellOf = (event) => event.target.closest && event.target.closest('td[data-path]');
for (const name of ['mouseover', 'focusin']) main.addEventListener(name, (event) => { const cell = cellOf(event); if (cell) show(cell); });
for (const name of ['mouseout', 'focusout']) main.addEventListener(name, (event) => { if (cellOf(event)) clear(); });
function choose(cell) { state.path = state.path === cell.dataset.path ? '' : cell.dataset.path; draw(); }
main.addEventListener('click', (event) => { const cell = cellOf(event); if (cell) choose(cell); });
main.addEventListener('keydown', (event) => {
  const cell = cellOf(event);
  if (!cell) return;
  if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); choose(cell); return; }
  if (event.key === 'Escape') { cell.blur(); return; }
  const columns = Number(cell.closest('table').dataset.columns);
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
  const next = step && document.getElementById(cell.id.split('-')[0] + '-' + (Number(cell.dataset.path) + step));
  if (!next) return;
  event.preventDefault();
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
});
main.addEventListener('input', (event) => {
  if (event.target.id === 'slider') { state.run = event.target.value === event.target.max ? '' : event.target.value; draw(); }
  if (event.target.id === 'find') { state.find = event.target.value; find(); }
});
function find() {
  const field = document.getElementById('find');
  if (!field) return;
  if (field.value !== state.find) field.value = state.find;
  const wanted = state.find.toLowerCase();
  for (const row of main.querySelectorAll('.fleet tbody tr')) row.hidden = !row.textContent.toLowerCase().includes(wanted);
}
`;

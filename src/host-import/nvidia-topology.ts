import { badLine, linesOf } from './import-error.js';
import type { Distance, MachineFacts } from './pci-facts.js';

const CELLS = new Set(['PIX', 'PXB', 'PHB', 'NODE', 'SYS']);
// biome-ignore lint/suspicious/noControlCharactersInRegex: nvidia-smi underlines its header with terminal escapes.
const ESCAPES = /\u001b\[[0-9;]*m/g;

/**
 * `nvidia-smi topo -m`: how far GPUs and NICs are apart, as classes. Both formats are read: NICs as columns of their own
 * names (`mlx5_0`), and as `NIC0` with a legend below the table. It has no tree, so it serves to check one.
 */
export function parseNvidiaTopology(text: string, source = 'nvidia-smi topo -m'): MachineFacts {
  const lines = linesOf(source, text.replace(ESCAPES, ''));
  const legend = legendOf(lines);
  const name = (cell: string) => legend.get(cell) ?? cell;
  const head = lines.findIndex((line) => /(^|\s)GPU0(\s|$)/.test(line));
  if (head < 0) throw badLine(source, 1, lines[0] ?? '', 'a table whose header names GPU0');
  const columns = lines[head]
    .trim()
    .split(/\t+|\s{2,}/)
    .map((cell) => cell.trim())
    .filter((cell) => /^(GPU\d+|NIC\d+|[a-z]\w*_\w+)$/.test(cell));
  const distances: Distance[] = [];
  let rows = 0;
  for (let index = head + 1; index < lines.length && lines[index].trim() !== ''; index++) {
    const [row, ...cells] = lines[index].trim().split(/\s+/);
    if (!columns.includes(row))
      throw badLine(source, index + 1, lines[index], `a row named ${columns.join(', ')}`);
    rows++;
    columns.forEach((column, place) => {
      const cell = cells[place]?.toUpperCase();
      if (cell === 'X' && column === row) return;
      const distance = distanceOf(cell);
      if (distance === null)
        throw badLine(
          source,
          index + 1,
          cells[place] ?? lines[index],
          'X, NV and a number, PIX, PXB, PHB, NODE, SYS or SOC',
        );
      if (columns.indexOf(row) < place) distances.push({ from: name(row), to: name(column), distance });
    });
  }
  if (rows !== columns.length)
    throw badLine(source, head + 1, `${rows} rows`, `${columns.length} rows, one per column`);
  return { source, functions: [], numaNodes: [], distances };
}

function distanceOf(cell: string | undefined): Distance['distance'] | null {
  if (cell === undefined) return null;
  if (CELLS.has(cell)) return cell as Distance['distance'];
  // Drivers before 384 wrote SOC for a path between sockets.
  if (cell === 'SOC') return 'SYS';
  return /^NV\d+$/.test(cell) ? 'NVLINK' : null;
}

function legendOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const line of lines) {
    const entry = /^\s*(NIC\d+):\s*(\S+)\s*$/.exec(line);
    if (entry !== null) names.set(entry[1], entry[2]);
  }
  return names;
}

import type { LinkEntry, NodeEntry, SubsystemEntry } from '../desk/catalogue.js';

/** Where a part of a host stands in its picture: columns away from the NIC, rows from the top. */
export interface Placed {
  readonly node: NodeEntry;
  readonly column: number;
  readonly row: number;
}

/** How a host is drawn: the parts that a run uses, and the links between them. */
export interface HostLayout {
  readonly placed: readonly Placed[];
  readonly links: readonly LinkEntry[];
  readonly columns: number;
  readonly rows: number;
  /** The row of the part that the NIC hangs on. */
  readonly nicRow: number;
}

type Step = readonly [columns: number, rows: number];

/**
 * Lays a host out as a tree from its NIC: what leads to the processor and its memory goes up, what leads to GPUs goes
 * down, the other socket and its parts stand beside. `memory` is where the buffers lie, `isUsed` says which links carried
 * anything.
 */
export function layOutHost(
  { nodes, links, rnic }: Pick<SubsystemEntry, 'nodes' | 'links' | 'rnic'>,
  memory: string,
  isUsed: (link: string) => boolean,
): HostLayout {
  const kinds = new Map(nodes.map((node) => [node.name, node]));
  const at = new Map<string, { column: number; row: number }>([[rnic, { column: 0, row: 0 }]]);
  const taken = new Set<string>();
  const place = (name: string, from: string): void => {
    if (at.has(name) || !kinds.has(name)) return;
    const origin = at.get(from)!;
    const [columns, rows] = stepOf(kinds.get(from)!.kind, kinds.get(name)!.kind, origin.column);
    let [column, row] = [origin.column + columns, origin.row + rows];
    while (taken.has(`${column} ${row}`)) {
      if (rows === 0) column++;
      else row += rows;
    }
    taken.add(`${column} ${row}`);
    at.set(name, { column, row });
  };
  const way = wayTo(links, rnic, memory);
  way.slice(1).forEach((name, index) => {
    place(name, way[index]);
  });
  for (let grew = true; grew; ) {
    grew = false;
    for (const { name, between } of links) {
      if (!isUsed(name)) continue;
      const [known, other] = at.has(between[0]) ? between : [between[1], between[0]];
      if (!at.has(known) || at.has(other)) continue;
      place(other, known);
      grew = true;
    }
  }
  const parts = [...at].filter(([name]) => name !== rnic);
  const top = Math.min(0, ...parts.map(([, { row }]) => row));
  const placed = parts.map(([name, { column, row }]) => ({ node: kinds.get(name)!, column, row: row - top }));
  return {
    placed,
    links: links.filter(({ between }) => between.every((name) => at.has(name))),
    columns: Math.max(1, ...placed.map(({ column }) => column)),
    rows: 1 + Math.max(0, ...placed.map(({ row }) => row)),
    nicRow: placed.find(({ node }) => node.name === way[1])?.row ?? 0,
  };
}

/** Which way a part stands from the one that it hangs on. */
function stepOf(from: NodeEntry['kind'], to: NodeEntry['kind'], column: number): Step {
  if (from === 'rnic') return [1, 0];
  if (from === 'switch' && to === 'socket') return [0, -1];
  if (to === 'memory') return [0, -1];
  if (to === 'gpu') return [0, 1];
  // The first socket has its own switch below it; another one stands beside.
  if (from === 'socket' && to === 'switch') return column > 1 ? [0, 1] : [1, 0];
  return [1, 0];
}

/** The names on the way between two parts: the one with the fewest links. */
function wayTo(links: readonly LinkEntry[], from: string, to: string): string[] {
  const before = new Map<string, string | null>([[from, null]]);
  const open = [from];
  for (let name = open.shift(); name !== undefined && name !== to; name = open.shift()) {
    for (const { between } of links) {
      if (!between.includes(name)) continue;
      const other = between[0] === name ? between[1] : between[0];
      if (before.has(other)) continue;
      before.set(other, name);
      open.push(other);
    }
  }
  if (!before.has(to)) return [from];
  const way: string[] = [];
  for (let name: string | null = to; name !== null; name = before.get(name) ?? null) way.unshift(name);
  return way;
}

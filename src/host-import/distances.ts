import type { ImportedHost } from './host-description.js';
import type { Conflict, ImportedMachine } from './merge.js';
import type { Distance } from './pci-facts.js';

/** Classes that a tree of switches and sockets does not tell apart: host bridges of one socket. */
const WITHIN_SOCKET: ReadonlySet<Distance['distance']> = new Set(['PHB', 'NODE']);

/**
 * Where the distances that `nvidia-smi topo -m` prints are not those of the tree that other programs print. NVLink says
 * nothing about PCIe, and devices that the tree does not have are passed over.
 */
export function distanceConflicts(
  { distances }: ImportedMachine,
  { nodes, links }: ImportedHost,
): Conflict[] {
  const gpus = nodes.filter(({ kind }) => kind === 'gpu').map(({ name }) => name);
  const nodeOf = (name: string): string | undefined => {
    // GPUs are numbered in the order of their addresses, unless CUDA_DEVICE_ORDER says otherwise; the tool ignores that.
    const gpu = /^GPU(\d+)$/.exec(name);
    if (gpu !== null) return gpus[Number(gpu[1])];
    return nodes.find(({ kind, title }) => kind === 'rnic' && title?.split(', ').includes(name))?.name;
  };
  const above = new Map(
    links
      .filter(({ kind }) => kind === 'slot' || kind === 'switch' || kind === 'gpu')
      .map(({ between: [upper, lower] }) => [lower, upper]),
  );
  /** The switches and the socket above a device, nearest first. */
  const wayUp = (node: string): string[] => {
    const way: string[] = [];
    for (let at = above.get(node); at !== undefined; at = above.get(at)) way.push(at);
    return way;
  };
  const inTree = (a: string, b: string): Distance['distance'] => {
    const [from, to] = [wayUp(a), wayUp(b)];
    const meeting = from.find((each) => to.includes(each));
    if (meeting === undefined) return 'SYS';
    if (meeting.startsWith('socket')) return 'NODE';
    return from[0] === meeting && to[0] === meeting ? 'PIX' : 'PXB';
  };
  return distances.flatMap(({ from, to, distance }): Conflict[] => {
    const [a, b] = [nodeOf(from), nodeOf(to)];
    if (distance === 'NVLINK' || a === undefined || b === undefined) return [];
    const found = inTree(a, b);
    if (found === distance || (WITHIN_SOCKET.has(found) && WITHIN_SOCKET.has(distance))) return [];
    const said = [
      { source: 'the tree', value: found },
      { source: 'nvidia-smi topo -m', value: distance },
    ];
    return [{ part: `${from} and ${to}`, fact: 'distance', said }];
  });
}

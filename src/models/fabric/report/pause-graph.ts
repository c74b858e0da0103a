import type { FabricState } from '../core/fabric-state.js';
import type { HeldPort } from '../core/ports/held-ports.js';
import { nameOf } from '../topology/topology.js';

/**
 * A deadlock: ports that are held, each because of packets that wait for the next, in a circle. Null if there is none.
 * A circle can dissolve while packets beside it leave; it is a deadlock for good if nothing moves any more.
 */
export function deadlockOf(held: readonly HeldPort[]): HeldPort[] | null {
  const key = (port: number, trafficClass: number) => port * 8 + trafficClass;
  const byKey = new Map(held.map((each) => [key(each.port, each.trafficClass), each]));
  const done = new Set<HeldPort>();
  for (const start of held) {
    const path: HeldPort[] = [];
    const found = circleFrom(start, path);
    if (found !== null) return found;
  }
  return null;

  function circleFrom(each: HeldPort, path: HeldPort[]): HeldPort[] | null {
    const before = path.indexOf(each);
    if (before >= 0) return path.slice(before);
    if (done.has(each)) return null;
    path.push(each);
    for (const { port } of each.because) {
      const next = byKey.get(key(port, each.trafficClass));
      const found = next === undefined ? null : circleFrom(next, path);
      if (found !== null) return found;
    }
    path.pop();
    done.add(each);
    return null;
  }
}

/** The circle of a deadlock in words: `leaf 0 to spine 1, spine 1 to leaf 1, ...`. */
export function describeDeadlock(circle: readonly HeldPort[]): string {
  return circle.map(({ from, to }) => `${from} to ${to}`).join(', ');
}

/** A port and those that are held because of it: how a pause spreads. */
export interface PauseTree {
  readonly port: number;
  readonly from: string;
  readonly to: string;
  readonly queuedBytes: number;
  readonly held: readonly PauseTree[];
}

/**
 * Pause trees: at each root a port that is not held itself but makes others be, or one that a host holds; below it the
 * ports that are held because of it. A port that several others hold hangs below the one where most of its bytes wait.
 */
export function pauseTrees(
  { ports, plan, spec: { topology } }: FabricState,
  all: readonly HeldPort[],
): PauseTree[] {
  const below = new Map<number, HeldPort[]>();
  const heldNumbers = new Set(all.map(({ port }) => port));
  const roots = new Set<number>();
  for (const each of all) {
    const parent = [...each.because].sort((a, b) => b.bytes - a.bytes)[0]?.port ?? -1;
    if (parent < 0) {
      roots.add(each.port);
      continue;
    }
    below.set(parent, [...(below.get(parent) ?? []), each]);
    if (!heldNumbers.has(parent)) roots.add(parent);
  }
  const seen = new Set<number>();
  const treeOf = (port: number): PauseTree => {
    seen.add(port);
    const children = (below.get(port) ?? []).filter((each) => !seen.has(each.port));
    return {
      port,
      from: nameOf(topology, plan.node[port]),
      to: nameOf(topology, plan.node[plan.peer[port]]),
      queuedBytes: ports.queuedBytes[port],
      held: children.map((each) => treeOf(each.port)),
    };
  };
  return [...roots].sort((a, b) => a - b).map(treeOf);
}

/** A tree as indented lines. */
export function formatTree({ from, to, queuedBytes, held }: PauseTree, indent = ''): string {
  const line = `${indent}${from} to ${to}, ${queuedBytes} bytes waiting\n`;
  return line + held.map((each) => formatTree(each, `${indent}  `)).join('');
}

import type { TopologyLink, TopologyNode } from './topology.js';

/**
 * The names of the links of a host, in their order. A link that was given none is called after its lower end, the one
 * farther from the sockets (`switch1-up`, `rnic0-up`, `memory0-up`); a link between equals, or the second link up from
 * a node, after both its ends (`socket0-socket1`).
 */
export function linkNames(nodes: readonly TopologyNode[], links: readonly TopologyLink[]): readonly string[] {
  const depths = depthsOf(nodes, links);
  const lower = links.map(({ between: [a, b] }) => {
    const difference = (depths.get(a) ?? 0) - (depths.get(b) ?? 0);
    return difference === 0 ? undefined : difference > 0 ? a : b;
  });
  return links.map(({ name, between }, index) => {
    if (name !== undefined) return name;
    const end = lower[index];
    const alone = end !== undefined && lower.filter((other) => other === end).length === 1;
    return alone ? `${end}-up` : between.join('-');
  });
}

/** How many links each node is from the nearest socket. */
function depthsOf(
  nodes: readonly TopologyNode[],
  links: readonly TopologyLink[],
): ReadonlyMap<string, number> {
  const depths = new Map(nodes.filter(({ kind }) => kind === 'socket').map(({ name }) => [name, 0]));
  for (let depth = 0; ; depth++) {
    const next = links
      .flatMap(({ between: [a, b] }) => [
        [a, b],
        [b, a],
      ])
      .filter(([from, to]) => depths.get(from) === depth && !depths.has(to));
    if (next.length === 0) return depths;
    for (const [, to] of next) depths.set(to, depth + 1);
  }
}

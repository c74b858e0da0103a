import { type Cable, GraphBuilder } from './graph-builder.js';
import type { Topology } from './topology.js';

/** A dragonfly (Kim et al., ISCA 2008): groups of routers, fully connected inside, one link between any two groups. */
export interface DragonflyOptions {
  readonly routersPerGroup: number;
  readonly hostsPerRouter: number;
  /** Links of a router to other groups. */
  readonly globalLinks: number;
  /** As many as routers and global links allow unless set: routersPerGroup * globalLinks + 1. */
  readonly groups?: number;
  readonly host: Cable;
  readonly local: Cable;
  readonly global: Cable;
}

/** Builds a dragonfly. Routing is by shortest paths: local, global, local. */
export function dragonfly(options: DragonflyOptions): Topology {
  const { routersPerGroup, hostsPerRouter, globalLinks, host, local, global } = options;
  const groups = options.groups ?? routersPerGroup * globalLinks + 1;
  const graph = new GraphBuilder();
  const routersInAll = groups * routersPerGroup;
  const hosts = Array.from({ length: routersInAll * hostsPerRouter }, (_, index) =>
    graph.host(`host ${index}`, Math.floor(index / (hostsPerRouter * routersPerGroup))),
  );
  const routers = Array.from({ length: routersInAll }, (_, index) =>
    graph.switch(
      `group ${Math.floor(index / routersPerGroup)} router ${index % routersPerGroup}`,
      Math.floor(index / routersPerGroup),
    ),
  );
  for (const [index, node] of hosts.entries())
    graph.link(node, routers[Math.floor(index / hostsPerRouter)], host);
  for (let group = 0; group < groups; group++)
    for (let one = 0; one < routersPerGroup; one++)
      for (let other = one + 1; other < routersPerGroup; other++)
        graph.link(routers[group * routersPerGroup + one], routers[group * routersPerGroup + other], local);
  // Global link n of a group leads to the group n + 1 further; the other end counts from its own side.
  for (let group = 0; group < groups; group++)
    for (let other = group + 1; other < groups; other++) {
      const out = other - group - 1;
      const back = groups - (other - group) - 1;
      graph.link(
        routers[group * routersPerGroup + Math.floor(out / globalLinks)],
        routers[other * routersPerGroup + Math.floor(back / globalLinks)],
        global,
      );
    }
  return graph.build();
}

import { GraphBuilder } from './graph-builder.js';
import type { Topology } from './topology.js';

/** Light in fibre. */
const METRES_PER_NS = 0.198;

/** A tier of cables: rate and length, and what the switch above adds to every passage. */
export interface RegionTier {
  readonly gbps: number;
  readonly metres: number;
}

/**
 * A storage region (Azure, NSDI 2023, §2.1 and appendix B): racks below T0, clusters below T1, datacenters below T2,
 * and regional hubs above. Links of T2 to the hubs are tens of kilometres long.
 */
export interface RegionOptions {
  readonly datacenters: number;
  readonly clustersPerDatacenter: number;
  readonly racksPerCluster: number;
  readonly hostsPerRack: number;
  /** T1 switches per cluster, T2 per datacenter, hubs per region. */
  readonly t1: number;
  readonly t2: number;
  readonly hubs: number;
  readonly host: RegionTier;
  readonly t0ToT1: RegionTier;
  readonly t1ToT2: RegionTier;
  readonly t2ToHub: RegionTier;
  /** What a NIC and a passage through a switch of each tier take beside their queues. */
  readonly latencyNs: {
    readonly host: number;
    readonly t0: number;
    readonly t1: number;
    readonly t2: number;
    readonly hub: number;
  };
}

/** Builds a region. A switch's latency is part of the delay of the links that lead to it. */
export function region(options: RegionOptions): Topology {
  const { datacenters, clustersPerDatacenter, racksPerCluster, hostsPerRack, latencyNs } = options;
  const clusters = datacenters * clustersPerDatacenter;
  const racks = clusters * racksPerCluster;
  const datacenterOf = (cluster: number) => Math.floor(cluster / clustersPerDatacenter);
  const clusterOf = (rack: number) => Math.floor(rack / racksPerCluster);
  const graph = new RegionGraph();
  const hosts = Array.from({ length: racks * hostsPerRack }, (_, index) =>
    graph.host(`host ${index}`, datacenterOf(clusterOf(Math.floor(index / hostsPerRack)))),
  );
  const t0s = Array.from({ length: racks }, (_, rack) =>
    graph.switch(`T0 ${rack}`, datacenterOf(clusterOf(rack))),
  );
  const t1s = Array.from({ length: clusters * options.t1 }, (_, index) =>
    graph.switch(`T1 ${index}`, datacenterOf(Math.floor(index / options.t1))),
  );
  const t2s = Array.from({ length: datacenters * options.t2 }, (_, index) =>
    graph.switch(`T2 ${index}`, Math.floor(index / options.t2)),
  );
  const hubs = Array.from({ length: options.hubs }, (_, index) => graph.switch(`RH ${index}`, -1));
  for (const [index, node] of hosts.entries())
    graph.cable(node, t0s[Math.floor(index / hostsPerRack)], options.host, latencyNs.t0, latencyNs.host);
  for (const [rack, t0] of t0s.entries())
    for (let up = 0; up < options.t1; up++)
      graph.cable(t0, t1s[clusterOf(rack) * options.t1 + up], options.t0ToT1, latencyNs.t1, latencyNs.t0);
  for (const [index, t1] of t1s.entries())
    for (let up = 0; up < options.t2; up++) {
      const datacenter = datacenterOf(Math.floor(index / options.t1));
      graph.cable(t1, t2s[datacenter * options.t2 + up], options.t1ToT2, latencyNs.t2, latencyNs.t1);
    }
  for (const t2 of t2s)
    for (const hub of hubs) graph.cable(t2, hub, options.t2ToHub, latencyNs.hub, latencyNs.t2);
  return graph.build();
}

class RegionGraph extends GraphBuilder {
  /** Each direction has the latency of the node that it leads to. */
  cable(below: number, above: number, { gbps, metres }: RegionTier, upNs: number, downNs: number): void {
    const cableNs = metres / METRES_PER_NS;
    this.link(below, above, { gbps, delayNs: Math.max(1, cableNs + upNs) }, Math.max(1, cableNs + downNs));
  }
}

/**
 * The laboratory of appendix B as far as it is described: 2 datacenters of 2 clusters of 2 racks of 4 hosts, 40 Gb/s
 * NICs, 80 km to the hubs. Rates above the hosts and lengths inside datacenters are choices (100 Gb/s; 2, 20 and
 * 300 m); chassis take 23.9 us per passage and NICs 0.45 us, so that the round trips are those that were measured:
 * 1.77 ms across a hub and 2 us in a rack.
 */
export const laboratoryRegion: RegionOptions = {
  datacenters: 2,
  clustersPerDatacenter: 2,
  racksPerCluster: 2,
  hostsPerRack: 4,
  t1: 2,
  t2: 2,
  hubs: 2,
  host: { gbps: 40, metres: 2 },
  t0ToT1: { gbps: 100, metres: 20 },
  t1ToT2: { gbps: 100, metres: 300 },
  t2ToHub: { gbps: 100, metres: 80_000 },
  latencyNs: { host: 450, t0: 500, t1: 500, t2: 23_900, hub: 23_900 },
};

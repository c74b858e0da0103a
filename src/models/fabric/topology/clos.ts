import { type Cable, GraphBuilder } from './graph-builder.js';
import type { Topology } from './topology.js';

/** One switch with hosts around it. */
export interface StarOptions {
  readonly hosts: number;
  readonly host: Cable;
}

/** Builds a star. */
export function star({ hosts, host }: StarOptions): Topology {
  const graph = new GraphBuilder();
  const nodes = Array.from({ length: hosts }, (_, index) => graph.host(`host ${index}`, 0));
  const middle = graph.switch('switch', 0);
  for (const node of nodes) graph.link(node, middle, host);
  return graph.build();
}

/** A fat tree of switches with `ports` ports each (Al-Fares et al., SIGCOMM 2008): ports^3 / 4 hosts. */
export interface FatTreeOptions {
  readonly ports: number;
  readonly host: Cable;
  /** Between switches; the host's unless set. */
  readonly fabric?: Cable;
}

/** Builds a fat tree of three tiers. */
export function fatTree({ ports, host, fabric = host }: FatTreeOptions): Topology {
  const half = ports / 2;
  return threeTiers({
    pods: ports,
    leavesPerPod: half,
    spinesPerPod: half,
    hostsPerLeaf: half,
    cores: half * half,
    host,
    fabric,
  });
}

/** Pods of leaves and spines below a core; spine n of every pod is connected to the same share of the core. */
export interface ThreeTiersOptions {
  readonly pods: number;
  readonly leavesPerPod: number;
  readonly spinesPerPod: number;
  readonly hostsPerLeaf: number;
  /** A multiple of the spines of a pod. */
  readonly cores: number;
  readonly host: Cable;
  readonly fabric: Cable;
}

/** Builds three tiers. HPCC's 320 hosts are 5 pods of 4 leaves and 4 spines, 16 hosts per leaf, 16 in the core. */
export function threeTiers(options: ThreeTiersOptions): Topology {
  const { pods, leavesPerPod, spinesPerPod, hostsPerLeaf, cores, host, fabric } = options;
  const graph = new GraphBuilder();
  const hosts = Array.from({ length: pods * leavesPerPod * hostsPerLeaf }, (_, index) =>
    graph.host(`host ${index}`, Math.floor(index / (leavesPerPod * hostsPerLeaf))),
  );
  const tier = (name: string, perPod: number): number[] =>
    Array.from({ length: pods * perPod }, (_, index) =>
      graph.switch(`${name} ${index}`, Math.floor(index / perPod)),
    );
  const leaves = tier('leaf', leavesPerPod);
  const spines = tier('spine', spinesPerPod);
  const core = Array.from({ length: cores }, (_, index) => graph.switch(`core ${index}`, -1));
  for (const [index, node] of hosts.entries())
    graph.link(node, leaves[Math.floor(index / hostsPerLeaf)], host);
  for (const [index, leaf] of leaves.entries()) {
    const pod = Math.floor(index / leavesPerPod);
    for (let up = 0; up < spinesPerPod; up++) graph.link(leaf, spines[pod * spinesPerPod + up], fabric);
  }
  const share = cores / spinesPerPod;
  for (const [index, spine] of spines.entries())
    for (let up = 0; up < share; up++) graph.link(spine, core[(index % spinesPerPod) * share + up], fabric);
  return graph.build();
}

/** Two tiers: every leaf is connected to every spine. */
export interface LeafSpineOptions {
  readonly leaves: number;
  readonly spines: number;
  readonly hostsPerLeaf: number;
  readonly host: Cable;
  readonly fabric: Cable;
  /** Cables between each leaf and each spine; 1 unless set. */
  readonly parallel?: number;
}

/** Builds a leaf-spine fabric. */
export function leafSpine(options: LeafSpineOptions): Topology {
  const { leaves, spines, hostsPerLeaf, host, fabric, parallel = 1 } = options;
  const graph = new GraphBuilder();
  const hosts = Array.from({ length: leaves * hostsPerLeaf }, (_, index) =>
    graph.host(`host ${index}`, Math.floor(index / hostsPerLeaf)),
  );
  const leafNodes = Array.from({ length: leaves }, (_, index) => graph.switch(`leaf ${index}`, index));
  const spineNodes = Array.from({ length: spines }, (_, index) => graph.switch(`spine ${index}`, -1));
  for (const [index, node] of hosts.entries())
    graph.link(node, leafNodes[Math.floor(index / hostsPerLeaf)], host);
  for (const leaf of leafNodes)
    for (const spine of spineNodes)
      for (let cable = 0; cable < parallel; cable++) graph.link(leaf, spine, fabric);
  return graph.build();
}

/** Bandwidth of the hosts below a two-tier fabric's leaves over the bandwidth above them. */
export function oversubscription({
  spines,
  hostsPerLeaf,
  host,
  fabric,
  parallel = 1,
}: LeafSpineOptions): number {
  return (hostsPerLeaf * host.gbps) / (spines * parallel * fabric.gbps);
}

/** A GPU cluster in pods: NIC r of every server hangs on rail switch r of its pod; spines connect the rails. */
export interface RailPodsOptions {
  readonly pods: number;
  readonly serversPerPod: number;
  /** NICs per server, each a host of its own. */
  readonly rails: number;
  readonly spines: number;
  readonly host: Cable;
  readonly fabric: Cable;
}

/** Builds rail-optimised pods. Host numbers count rails first: `server * rails + rail`. */
export function railPods({ pods, serversPerPod, rails, spines, host, fabric }: RailPodsOptions): Topology {
  const graph = new GraphBuilder();
  const hosts: number[] = [];
  for (let server = 0; server < pods * serversPerPod; server++)
    for (let rail = 0; rail < rails; rail++)
      hosts.push(graph.host(`server ${server} nic ${rail}`, Math.floor(server / serversPerPod)));
  const railNodes = Array.from({ length: pods * rails }, (_, index) =>
    graph.switch(`pod ${Math.floor(index / rails)} rail ${index % rails}`, Math.floor(index / rails)),
  );
  const spineNodes = Array.from({ length: spines }, (_, index) => graph.switch(`spine ${index}`, -1));
  for (const [index, node] of hosts.entries()) {
    const pod = Math.floor(index / (rails * serversPerPod));
    graph.link(node, railNodes[pod * rails + (index % rails)], host);
  }
  for (const rail of railNodes) for (const spine of spineNodes) graph.link(rail, spine, fabric);
  return graph.build();
}

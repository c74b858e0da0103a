import { describe, expect, it } from 'vitest';
import { referenceRun } from '../testing/runs.js';
import { fatTree, leafSpine, oversubscription, railPods, threeTiers } from './clos.js';
import { dragonfly } from './dragonfly.js';
import { PortPlan } from './port-plan.js';
import { laboratoryRegion, region } from './region.js';
import { Routing } from './routing.js';
import { nameOf, type Topology } from './topology.js';

const cable = { gbps: 100, delayNs: 1000 };

function counted(topology: Topology) {
  const switches = topology.isSwitch.reduce((sum, each) => sum + each, 0);
  return { hosts: topology.nodes - switches, switches, links: topology.links.length };
}

function degrees(topology: Topology): number[] {
  const plan = new PortPlan(topology);
  return Array.from({ length: topology.nodes }, (_, node) => plan.portEnd[node] - plan.portBegin[node]);
}

/** Switches on the way between two hosts. */
function hops(topology: Topology, source: number, target: number): number {
  const plan = new PortPlan(topology);
  const path: number[] = [];
  new Routing(topology, plan, 1000, 'descending').route(source, target, 10_000, 100, path);
  return path.length;
}

describe('a fat tree', () => {
  it('has ports^3 / 4 hosts, and every switch uses all its ports', () => {
    const topology = fatTree({ ports: 8, host: cable });
    expect(counted(topology)).toEqual({ hosts: 128, switches: 80, links: 384 });
    degrees(topology).forEach((degree, node) => {
      expect(degree).toBe(topology.isSwitch[node] === 0 ? 1 : 8);
    });
    expect([hops(topology, 0, 1), hops(topology, 0, 4), hops(topology, 0, 127)]).toEqual([1, 3, 5]);
  });
});

describe('three tiers', () => {
  it('give the 320 hosts of HPCC, link by link', () => {
    const options = { pods: 5, leavesPerPod: 4, spinesPerPod: 4, hostsPerLeaf: 16, cores: 16 };
    const built = threeTiers({ ...options, host: cable, fabric: { gbps: 400, delayNs: 1000 } });
    const { topology } = referenceRun('g92-hp').spec;
    const plain = ({ links }: Topology) => links.map(({ from, to, rateBps }) => [from, to, rateBps]);
    expect(plain(built)).toEqual(plain(topology));
    expect(built.isSwitch).toEqual(topology.isSwitch);
  });
});

describe('leaf and spine', () => {
  it('connects every leaf with every spine, with an oversubscription of one choice', () => {
    const options = {
      leaves: 4,
      spines: 2,
      hostsPerLeaf: 16,
      host: cable,
      fabric: { gbps: 400, delayNs: 500 },
    };
    const topology = leafSpine({ ...options, parallel: 2 });
    expect(counted(topology)).toEqual({ hosts: 64, switches: 6, links: 64 + 16 });
    expect(oversubscription(options)).toBe(2);
    expect(oversubscription({ ...options, parallel: 2 })).toBe(1);
    expect([hops(topology, 0, 15), hops(topology, 0, 16)]).toEqual([1, 3]);
  });
});

describe('rails', () => {
  it('bring NICs of one rail together, and others by a spine', () => {
    const topology = railPods({ pods: 2, serversPerPod: 4, rails: 8, spines: 4, host: cable, fabric: cable });
    expect(counted(topology)).toEqual({ hosts: 64, switches: 20, links: 64 + 64 });
    // NIC 3 of server 0 and of server 2: one rail switch. NIC 3 and NIC 4: over a spine.
    expect([hops(topology, 3, 19), hops(topology, 3, 20), hops(topology, 3, 35)]).toEqual([1, 3, 3]);
    expect(nameOf(topology, 19)).toBe('server 2 nic 3');
  });
});

describe('a dragonfly', () => {
  it('has a link between any two groups, and ways of at most three links between routers', () => {
    const topology = dragonfly({
      routersPerGroup: 4,
      hostsPerRouter: 2,
      globalLinks: 2,
      host: cable,
      local: cable,
      global: cable,
    });
    expect(counted(topology)).toEqual({ hosts: 72, switches: 36, links: 72 + 9 * 6 + 36 });
    degrees(topology).forEach((degree, node) => {
      expect(degree).toBe(topology.isSwitch[node] === 0 ? 1 : 2 + 3 + 2);
    });
    for (let host = 1; host < 72; host++) expect(hops(topology, 0, host)).toBeLessThanOrEqual(4);
  });
});

describe('a region', () => {
  const topology = region(laboratoryRegion);
  const routing = new Routing(topology, new PortPlan(topology), 1024, 'descending');

  it('has the round trips of the laboratory: 2 us in a rack, 1.77 ms across a hub', () => {
    expect(counted(topology)).toEqual({ hosts: 32, switches: 8 + 8 + 4 + 2, links: 32 + 16 + 16 + 8 });
    const { rttNs } = routing.roundTrip(0, 31);
    expect(Math.abs(rttNs - 1_770_000)).toBeLessThan(17_700);
    const rack = routing.roundTrip(0, 1).rttNs;
    expect(rack).toBeGreaterThan(1000);
    expect(rack).toBeLessThan(2600);
  });
});

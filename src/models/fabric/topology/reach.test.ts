import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PortPlan } from './port-plan.js';
import { Reach } from './reach.js';
import { Routing } from './routing.js';
import type { Topology } from './topology.js';

it('connects the hosts that routing finds a way between', () => {
  const graph = fc
    .record({ hosts: fc.integer({ min: 2, max: 6 }), switches: fc.integer({ min: 0, max: 4 }) })
    .chain(({ hosts, switches }) => {
      const node = fc.integer({ min: 0, max: hosts + switches - 1 });
      const links = fc.array(fc.tuple(node, node), { maxLength: 12 });
      return links.map((ends): Topology => {
        const nodes = hosts + switches;
        return {
          nodes,
          isSwitch: Uint8Array.from({ length: nodes }, (_, each) => (each < hosts ? 0 : 1)),
          links: ends
            .filter(([from, to]) => from !== to)
            .map(([from, to]) => ({ from, to, rateBps: 1e9, delayNs: 1 })),
        };
      });
    });
  fc.assert(
    fc.property(graph, (topology) => {
      const reach = new Reach(topology);
      const routing = new Routing(topology, new PortPlan(topology), 1000, 'descending');
      const hosts = [...topology.isSwitch.keys()].filter((node) => topology.isSwitch[node] === 0);
      for (const source of hosts)
        for (const target of hosts)
          if (source !== target)
            expect(reach.connects(source, target), `${source} to ${target}`).toBe(
              routing.reaches(source, target),
            );
    }),
  );
});

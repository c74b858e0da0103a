import { describe, expect, it } from 'vitest';
import { findProfile, resolveSubsystem, worldOfSubsystem } from '../../../profiles/index.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';
import { World, type WorldOptions } from './world.js';

const options = (hosts: number): WorldOptions => ({
  graph: worldOfSubsystem(resolveSubsystem(findProfile('subsystem', 'husky')), hosts),
  seed: 1,
  ablate: [],
  functionGbps: [],
  trafficClassWeights: [],
  strictTrafficClasses: [],
  tenantShares: null,
});

/** The wiring of a bench with this many hosts, and that traffic crosses it. */
async function wiring(subsystem: string, hosts: number) {
  const bench = new StreamBench({ subsystem, hosts });
  for (let host = 0; host < hosts; host++)
    await bench.stream({ from: host, to: (host + 1) % hosts, messageBytes: 4096 });
  await bench.run(50);
  const { world } = bench.provider;
  for (const stream of bench.streams) expect(stream.placedBytes()).toBeGreaterThan(100_000);
  bench.stop();
  expect(checkDrained(world)).toBeGreaterThan(0);
  return { switches: world.switches.length, links: world.egressPorts.map(({ name }) => name).sort() };
}

describe('a world', () => {
  it('joins its hosts by a switch, or back to back where the profile has none', async () => {
    const switched = await wiring('husky', 3);
    expect(switched).toEqual({
      switches: 1,
      links: [0, 1, 2]
        .flatMap((host) => [`h${host}/rnic0/port`])
        .concat([0, 1, 2].map((port) => `switch0/port${port}`)),
    });
    const direct = await wiring('srnic', 2);
    expect(direct.switches === 0 ? direct.links.length : direct.links.length / 2).toBe(2);
  });

  it('gives each host a GID of its own, in text as it is and in canonical form', () => {
    const world = new World(options(300));
    expect(new Set(world.gids).size).toBe(300);
    expect(world.gids[0]).toBe('::ffff:10.0.0.1');
    expect([...world.parseGid(world.gids[299])].slice(10)).toEqual([0xff, 0xff, 10, 0, 1, 44]);
    expect(world.parseGid('fe80::1')[0]).toBe(0xfe);
  });

  it('gives back the payload of a packet that the fabric loses', () => {
    const world = new World(options(2));
    const packet = world.packets.take();
    world.packets.payload[packet] = world.payloads.take();
    world.packets.drop(packet);
    expect([world.packets.inUse, world.payloads.inUse]).toEqual([0, 0]);
  });
});

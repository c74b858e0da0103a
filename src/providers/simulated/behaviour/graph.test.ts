import { describe, expect, it } from 'vitest';
import type { WorldDescription } from '../../../profiles/index.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

// Goal: any graph of hosts, devices, cables and switches carries traffic. Method: streams between devices by name.

const hosts: WorldDescription['hosts'] = [
  {
    host: 'hostping',
    device: 'connectx-6-200g',
    devices: [{ rnic: 'rnic0' }, { rnic: 'rnic2', device: 'connectx-6-100g' }],
  },
  { host: 'xeon-two-rnics', device: 'connectx-6-100g' },
];

/** Two leaves, two spines; both hosts have a device on each leaf. */
const twoTiers: WorldDescription = {
  hosts,
  fabric: 'lossless-switch',
  switches: ['leaf0', 'leaf1', 'spine0', 'spine1'].map((name) => ({ name })),
  links: [
    { between: ['h0/rnic0', 'leaf0'] },
    { between: ['h0/rnic2', 'leaf1'] },
    { between: ['h1/rnic0', 'leaf0'] },
    { between: ['h1/rnic1', 'leaf1'] },
    ...['leaf0', 'leaf1'].flatMap((leaf) =>
      ['spine0', 'spine1'].map((spine) => ({ between: [leaf, spine] as const, gbps: 100 })),
    ),
  ],
};

async function measure(world: WorldDescription, pairs: readonly (readonly [string, string])[], seed = 1) {
  const bench = new StreamBench({ world, seed });
  for (const [from, to] of pairs) await bench.stream({ from, to, messageBytes: 65536 });
  await bench.run(100);
  const gbps = await bench.measure(200);
  bench.stop();
  expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  return { gbps, world: bench.provider.world };
}

describe('a world', () => {
  it('joins two different hosts with two NICs each, and all four exchange data', async () => {
    const { gbps } = await measure({ hosts }, [
      ['h0/rnic0', 'h1/rnic0'],
      ['h0/rnic2', 'h1/rnic1'],
      ['h1/rnic1', 'h0/rnic2'],
      ['h1/rnic0', 'h0/rnic0'],
    ]);
    for (const each of gbps) expect(each).toBeGreaterThan(80);
  });

  it('carries traffic between the devices of one host by the fabric', async () => {
    const { gbps, world } = await measure({ hosts }, [['h0/rnic0', 'h0/rnic2']]);
    expect(gbps[0]).toBeGreaterThan(80);
    expect(world.egressPorts.find(({ name }) => name === 'h0/rnic0/port')!.sentBytes).toBeGreaterThan(1e6);
  });

  it('has switches in any graph and spreads flows over all shortest paths', async () => {
    const pairs = Array.from({ length: 16 }, () => ['h0/rnic0', 'h1/rnic1'] as const);
    const { gbps, world } = await measure(twoTiers, pairs);
    expect(gbps.reduce((sum, each) => sum + each)).toBeGreaterThan(80);
    const sent = (name: string) => world.egressPorts.find((port) => port.name === name)!.sentBytes;
    // leaf0 has its two devices on ports 0 and 1, spine0 and spine1 on 2 and 3.
    const [one, other] = [sent('leaf0/port2'), sent('leaf0/port3')];
    expect(Math.min(one, other) / Math.max(one, other)).toBeGreaterThan(0.25);
    expect(sent('leaf0/port1')).toBe(0);
  });

  it('goes by the routes that it was given', async () => {
    const routes = [{ at: 'leaf0', to: 'h1/rnic1', via: ['spine1'] }];
    const pairs = Array.from({ length: 8 }, () => ['h0/rnic0', 'h1/rnic1'] as const);
    const { world } = await measure({ ...twoTiers, routes }, pairs);
    const sent = (name: string) => world.egressPorts.find((port) => port.name === name)!.sentBytes;
    expect(sent('leaf0/port2')).toBe(0);
    expect(sent('leaf0/port3')).toBeGreaterThan(1e6);
  });

  it('gives the same with the same seed, event by event', async () => {
    const run = async () => {
      const { world, gbps } = await measure(twoTiers, [
        ['h0/rnic0', 'h1/rnic1'],
        ['h1/rnic0', 'h0/rnic2'],
      ]);
      return { gbps, events: world.simulation.events, now: world.simulation.now };
    };
    expect(await run()).toEqual(await run());
  });

  it('drops what is for a device without a cable, or beyond the switches that are joined', async () => {
    const islands: WorldDescription = {
      hosts: [{ subsystem: 'husky', count: 4 }],
      switches: [{ name: 'left' }, { name: 'right' }],
      links: [{ between: ['h0', 'left'] }, { between: ['h1', 'left'] }, { between: ['h2', 'right'] }],
    };
    const bench = new StreamBench({ world: islands });
    await bench.stream({ from: 'h0', to: 'h1', messageBytes: 4096 });
    const lost = ['h2', 'h3'].map((to) => bench.stream({ from: 'h0', to, messageBytes: 4096 }));
    await Promise.all(lost);
    const [there, ...nowhere] = await bench.measure(50);
    expect(there).toBeGreaterThan(10);
    expect(nowhere).toEqual([0, 0]);
    expect(bench.provider.world.switches[0].unroutable).toBeGreaterThan(0);
    expect((await bench.provider.open('h3')).queryPort(1).state).toBe('DOWN');
  });
});

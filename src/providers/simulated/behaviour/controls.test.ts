import { describe, expect, it } from 'vitest';
import { findProfile, resolveSubsystem, type Settings } from '../../../profiles/index.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

const PORT_GBPS = 92;

/** Three hosts send to one, or are read by it, through a switch that marks from 200 KB on. */
async function incast(
  congestionControl: Settings['congestionControl'],
  opcode: 'RDMA_WRITE' | 'RDMA_READ' = 'RDMA_WRITE',
) {
  const settings = { ecn: 'enabled', congestionControl } as const;
  const subsystem = resolveSubsystem(findProfile('subsystem', 'husky'), { settings });
  const bench = new StreamBench({ subsystem, hosts: 4 });
  for (const other of [0, 1, 2]) {
    const [from, to] = opcode === 'RDMA_READ' ? [3, other] : [other, 3];
    // HPCC is fair if many packets are under way in a round trip.
    await bench.stream({ from, to, opcode, messageBytes: 65536, outstanding: 32, pathMtu: 1024 });
  }
  const [fabric] = bench.provider.world.switches;
  await bench.run(10_000);
  const before = bench.streams.map((stream) => stream.placedBytes());
  const pausesBefore = fabric.pauseFrames;
  let longestBytes = 0;
  for (let step = 0; step < 50; step++) {
    await bench.run(40);
    longestBytes = Math.max(longestBytes, fabric.occupancyBytes);
  }
  const gbps = bench.streams.map((stream, index) => ((stream.placedBytes() - before[index]) * 8) / 2e6);
  const pauses = fabric.pauseFrames - pausesBefore;
  bench.stop();
  checkDrained(bench.provider.world);
  return { gbps, total: gbps.reduce((sum, each) => sum + each), longestBytes, pauses, drops: fabric.drops };
}

describe('three full NICs into one', () => {
  it('fill megabytes of the switch without a control', async () => {
    const { total, longestBytes } = await incast('none');
    expect(total).toBeGreaterThan(PORT_GBPS);
    expect(longestBytes).toBeGreaterThan(4e6);
  });

  it.each([
    ['dcqcn', 0.5, 600e3],
    ['dcqcn-paper', 0.5, 600e3],
    ['dcqcn-nic', 0.5, 600e3],
    ['dctcp', 0.2, 300e3],
    ['swift', 0.2, 300e3],
    ['hpcc', 1, 50e3],
    // It takes its time to be fair (Zhu et al., CoNEXT 2016).
    ['timely', 3, 1.5e6],
  ] as const)('share its port under %s, with a short queue', async (name, spread, queueBytes) => {
    const { gbps, total, longestBytes, pauses, drops } = await incast(name);
    expect(total).toBeGreaterThan(0.8 * PORT_GBPS);
    expect((Math.max(...gbps) - Math.min(...gbps)) / (total / 3)).toBeLessThan(spread);
    expect(longestBytes).toBeLessThan(queueBytes);
    expect([pauses, drops]).toEqual([0, 0]);
  });
});

describe('three full NICs that one reads from', () => {
  it('pace READ data as they pace WRITEs', async () => {
    const free = await incast('none', 'RDMA_READ');
    const paced = await incast('dcqcn', 'RDMA_READ');
    expect(free.longestBytes).toBeGreaterThan(1.5e6);
    expect(paced.longestBytes).toBeLessThan(free.longestBytes / 3);
    expect(paced.total).toBeGreaterThan(0.8 * PORT_GBPS);
  });
});

import { describe, expect, it } from 'vitest';
import { findProfile, resolveSubsystem, type Settings } from '../../../profiles/index.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

/** Three SRNICs send to a fourth through a switch that marks above 85 KB; the longest queue, and what each gets. */
async function incast(congestionControl: Settings['congestionControl']) {
  const profile = { ...findProfile('subsystem', 'srnic-fpga'), fabric: 'dctcp-100g' };
  const settings = { pfc: 'disabled', ecn: 'enabled', congestionControl } as const;
  const bench = new StreamBench({ subsystem: resolveSubsystem(profile, { settings }), hosts: 4 });
  for (const from of [0, 1, 2]) await bench.stream({ from, to: 3, messageBytes: 65536, outstanding: 32 });
  await bench.run(1000);
  const before = bench.streams.map((stream) => stream.placedBytes());
  const [fabric] = bench.provider.world.switches;
  let longestBytes = 0;
  for (let step = 0; step < 100; step++) {
    await bench.run(20);
    longestBytes = Math.max(longestBytes, fabric.occupancyBytes);
  }
  const gbps = bench.streams.map((stream, index) => ((stream.placedBytes() - before[index]) * 8) / 2e6);
  bench.stop();
  checkDrained(bench.provider.world);
  return { longestBytes, gbps, drops: fabric.drops, bench };
}

describe('an incast of three SRNICs to one, without PFC', () => {
  it('fills the buffer with what BDP-FC lets in where nothing controls it', async () => {
    const { longestBytes, gbps } = await incast('none');
    expect(gbps.reduce((sum, each) => sum + each)).toBeGreaterThan(80);
    expect(longestBytes).toBeGreaterThan(1_000_000);
  });

  it('keeps the queue near the threshold with DCTCP, at the rate of the port and in equal shares', async () => {
    const { longestBytes, gbps, drops, bench } = await incast('dctcp');
    const all = gbps.reduce((sum, each) => sum + each);
    expect(all).toBeGreaterThan(80);
    for (const each of gbps) expect(Math.abs((3 * each) / all - 1)).toBeLessThan(0.25);
    expect(longestBytes).toBeLessThan(3 * 85_000);
    expect(drops).toBe(0);
    const receiver = await bench.counters(3);
    expect(receiver.np_ecn_marked_roce_packets).toBeGreaterThan(100);
    expect(receiver.np_cnp_sent).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { findProfile, resolveSubsystem, type Settings } from '../../../profiles/index.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

/** Three senders to one receiver, each with messages of its own length. */
async function incast(settings: Partial<Settings>, lengths = [65536, 65536, 65536]) {
  const subsystem = resolveSubsystem(findProfile('subsystem', 'husky'), { settings });
  const bench = new StreamBench({ subsystem, hosts: 4 });
  for (const from of [0, 1, 2]) {
    await bench.stream({ from, to: 3, messageBytes: lengths[from], outstanding: 128 });
  }
  return bench;
}

async function senderCounters(bench: StreamBench, name: string): Promise<number[]> {
  return Promise.all([0, 1, 2].map(async (host) => (await bench.counters(host))[name]));
}

describe('an incast of three to one', () => {
  it('without congestion control fills the switch until it pauses the senders', async () => {
    const bench = await incast({ congestionControl: 'none' });
    const shares = await bench.measure(3000);
    for (const paused of await senderCounters(bench, 'rx_prio0_pause_duration'))
      expect(paused).toBeGreaterThan(100);
    expect(shares.reduce((sum, share) => sum + share)).toBeGreaterThan(90);
    expect((await bench.counters(3))['np_cnp_sent']).toBe(0);
    expect(bench.provider.world.switches[0].drops).toBe(0);
    bench.stop();
    expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  });

  // Three that never change lock into a rhythm in which one may have a tenth less; lengths that differ give others.
  it('with DCQCN shares the port equally over several rhythms', async () => {
    const lengths = [
      [65536, 65536, 65536],
      [65536, 32768, 16384],
      [16384, 65536, 32768],
      [32768, 16384, 65536],
    ];
    const sums = [0, 0, 0];
    for (const each of lengths) {
      const bench = await incast({ congestionControl: 'dcqcn', ecn: 'enabled' }, each);
      await bench.run(3000);
      const before = bench.streams.map((stream) => stream.placedBytes());
      await bench.run(10_000);
      for (const [index, stream] of bench.streams.entries())
        sums[index] += stream.placedBytes() - before[index];
      bench.stop();
    }
    const mean = sums.reduce((sum, each) => sum + each) / 3;
    for (const sum of sums) expect(Math.abs(sum / mean - 1)).toBeLessThan(0.1);
  });

  it('with DCQCN fills the port, with a short queue and no pause', async () => {
    const bench = await incast({ congestionControl: 'dcqcn', ecn: 'enabled' });
    const [fabric] = bench.provider.world.switches;
    await bench.run(3000);
    const before = bench.streams.map((stream) => stream.placedBytes());
    let longestBytes = 0;
    for (let step = 0; step < 100; step++) {
      await bench.run(100);
      longestBytes = Math.max(longestBytes, fabric.occupancyBytes);
    }
    const shares = bench.streams.map((stream, index) => stream.placedBytes() - before[index]);
    const mean = shares.reduce((sum, share) => sum + share) / 3;
    expect((mean * 3 * 8) / 10e-3).toBeGreaterThan(75e9);
    expect(fabric.pauseFrames).toBe(0);
    expect(longestBytes).toBeLessThan(bench.provider.subsystem.fabric.constants.pfcXoffBytes / 2);
    const sent = (await bench.counters(3))['np_cnp_sent'];
    const handled = await senderCounters(bench, 'rp_cnp_handled');
    expect(sent).toBeGreaterThan(100);
    expect(handled.every((count) => count > 10)).toBe(true);
    bench.stop();
    expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
    const all = (await senderCounters(bench, 'rp_cnp_handled')).reduce((sum, count) => sum + count);
    expect(all).toBe((await bench.counters(3))['np_cnp_sent']);
  });
});

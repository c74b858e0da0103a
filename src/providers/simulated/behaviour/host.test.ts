import { describe, expect, it } from 'vitest';
import { findProfile, resolveSubsystem, type Subsystem } from '../../../profiles/index.js';
import { Access } from '../../../verbs/index.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

function husky(ddio: 'enabled' | 'disabled', memoryGbps?: number): Subsystem {
  const subsystem = resolveSubsystem(findProfile('subsystem', 'husky'), { settings: { ddio } });
  if (memoryGbps === undefined) return subsystem;
  const links = subsystem.host.links.map((link) =>
    link.kind === 'memory' ? { ...link, gbps: memoryGbps } : link,
  );
  return { ...subsystem, host: { ...subsystem.host, links } };
}

async function run(subsystem: Subsystem, moreBytes = 0) {
  const bench = new StreamBench({ subsystem });
  const { target } = await bench.stream({ from: 0, to: 1, messageBytes: 65536 });
  if (moreBytes > 0) target.pd.regMr({ lengthBytes: moreBytes }, Access.LOCAL_WRITE);
  const [gbps] = await bench.measure(300);
  const counters = await bench.counters(1);
  bench.stop();
  expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  return { gbps, memoryBytes: counters['memory_channel_bytes'], placed: counters['rx_goodput_bytes'] };
}

describe('DDIO', () => {
  it('spares the memory channels; without it all DMA goes there', async () => {
    expect((await run(husky('enabled'))).memoryBytes).toBe(0);
    const without = await run(husky('disabled'));
    expect(without.memoryBytes).toBeGreaterThanOrEqual(without.placed);
    // Channels that are ten times as fast as the port slow nothing down.
    expect(without.gbps).toBeGreaterThan(95);
  });

  it('helps less the more memory devices use', async () => {
    const { memoryBytes, placed } = await run(husky('enabled'), 64e6);
    expect(memoryBytes / placed).toBeGreaterThan(0.9);
    expect(memoryBytes / placed).toBeLessThan(1);
  });

  it('decides where the channels are slow', async () => {
    expect((await run(husky('enabled', 40))).gbps).toBeGreaterThan(95);
    const { gbps } = await run(husky('disabled', 40));
    expect(gbps).toBeGreaterThan(35);
    expect(gbps).toBeLessThan(41);
  });
});

describe('doorbells', () => {
  it('hold their cores up when too many wait for contexts', async () => {
    const stalledPs = async (
      doorbellsWaitingMax: number,
      ablate: readonly 'doorbell-back-pressure'[] = [],
    ) => {
      const subsystem = resolveSubsystem(findProfile('subsystem', 'husky'));
      const constants = { ...subsystem.host.constants, doorbellsWaitingMax };
      const host = { ...subsystem.host, constants };
      // A context cache for one queue pair: nearly every doorbell waits.
      const device = {
        ...subsystem.device,
        constants: { ...subsystem.device.constants, contextCacheEntries: 8 },
      };
      const bench = new StreamBench({ subsystem: { ...subsystem, host, device }, ablate });
      for (let index = 0; index < 24; index++) await bench.stream({ from: 0, to: 1, messageBytes: 64 });
      await bench.run(100);
      const counters = await bench.counters(0);
      bench.stop();
      expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
      return counters['doorbell_stalled_ps'];
    };
    const tight = await stalledPs(4);
    expect(tight).toBeGreaterThan(0);
    expect(await stalledPs(64)).toBeLessThan(tight);
    expect(await stalledPs(4, ['doorbell-back-pressure'])).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import type { CachedTranslations } from '../../../models/rnic/connectx/cached-translations.js';
import { Access } from '../../../verbs/index.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

async function withStream() {
  const bench = new StreamBench({ subsystem: 'husky' });
  const stream = await bench.stream({ from: 0, to: 1, messageBytes: 4096 });
  return { bench, stream, context: stream.source.context };
}

describe('memory registration', () => {
  it('disturbs nothing before there is traffic: no event, no count', async () => {
    const { provider } = new StreamBench({ subsystem: 'husky' });
    const context = await provider.open('sim0');
    const pd = context.allocPd();
    const regions = Array.from({ length: 20_000 }, () => pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE));
    for (const region of regions) region.dereg();
    expect(provider.world.simulation.pending).toBe(0);
    expect(context.counters()).toMatchObject({ registrations: 0, deregistrations: 0 });
    expect(checkDrained(provider.world)).toBeGreaterThan(0);
  });

  it('while traffic runs takes room in the translation cache', async () => {
    const { bench, stream, context } = await withStream();
    await bench.run(100);
    const translations = (bench.provider.world.devices[0].nic.translations as CachedTranslations).cache;
    const { registrationEntries } = bench.provider.subsystem.device.constants;
    const pd = stream.source.pd;
    translations!.clear();
    const held = new Set(Array.from({ length: 6000 }, (_, index) => 1000 + index));
    for (const key of held) translations!.fill(key);
    const count = () => [...held].filter((key) => translations!.has(key)).length;
    const before = count();
    for (let index = 0; index < 8; index++) pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE);
    await bench.run(1);
    expect(context.counters()['registrations']).toBe(8);
    expect(before - count()).toBeGreaterThan(4 * registrationEntries);
    bench.stop();
    expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  });

  it('costs the thread that calls it, and not the others', async () => {
    const { bench, context } = await withStream();
    await bench.run(10);
    const pd = context.allocPd();
    const thread = context.createThread!({ name: 'control' });
    const idle = context.createThread!({ name: 'idle' });
    idle.run(() => undefined);
    let done = false;
    thread.run(() => {
      if (done) return;
      done = true;
      pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE).dereg();
    });
    await bench.run(2000);
    const { registrationNs, deregistrationNs } = bench.provider.subsystem.device.constants;
    expect(thread.busyNs).toBeCloseTo(registrationNs + deregistrationNs, 0);
    expect(idle.busyNs).toBe(0);
    expect(context.counters()).toMatchObject({ registrations: 1, deregistrations: 1 });
    bench.stop();
    expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  });
});

describe('memory deregistration', () => {
  it('stops the sender for invalidationHoldNs, and not the receiver (Husky §3.2)', async () => {
    const rates: number[] = [];
    for (const host of [0, 1]) {
      const { bench, stream } = await withStream();
      const pd = (host === 0 ? stream.source : stream.target).pd;
      const region = pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE);
      await bench.run(100);
      region.dereg();
      await bench.run(5);
      rates.push(...(await bench.measure(350)));
      expect((await bench.measure(400))[0]).toBeGreaterThan(50);
      bench.stop();
      expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
    }
    expect(rates[0]).toBeLessThan(1);
    expect(rates[1]).toBeGreaterThan(80);
  });

  it('empties the cache and goes on with the hold switched off', async () => {
    const bench = new StreamBench({ subsystem: 'husky', ablate: ['invalidation-hold'] });
    const stream = await bench.stream({ from: 0, to: 1, messageBytes: 4096 });
    const region = stream.source.pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE);
    await bench.run(100);
    const before = stream.source.context.counters()['mtt_cache_miss'];
    region.dereg();
    expect((await bench.measure(100))[0]).toBeGreaterThan(80);
    expect(stream.source.context.counters()['mtt_cache_miss']).toBeGreaterThan(before);
    bench.stop();
    expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  });
});

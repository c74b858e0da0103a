import { describe, expect, it } from 'vitest';
import type { FaultDescription, WorldDescription } from '../../../profiles/index.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench, type StreamOptions } from '../testing/stream.js';

// Goal: a fault acts where it is, as badly as it says and when it says. Method: the rate of a stream, slice by slice.

const SLICE_US = 20;
const pair: WorldDescription = { hosts: [{ subsystem: 'husky', count: 2 }] };
const across: StreamOptions = { from: 'h0', to: 'h1', messageBytes: 16384 };
const gpuServer: WorldDescription = { hosts: [{ host: 'hostping', device: 'connectx-6-200g' }] };
const toGpu: StreamOptions = { from: 'h0/rnic0', to: 'h0/rnic0', memory: 'gpu0', messageBytes: 16384 };

/** Gb/s in each of this many slices of 20 us; `between` is called before each. */
async function slices(
  world: WorldDescription,
  stream: StreamOptions,
  count: number,
  between: (slice: number, bench: StreamBench) => void = () => {},
): Promise<number[]> {
  const bench = new StreamBench({ world });
  await bench.stream(stream);
  const rates: number[] = [];
  for (let slice = 0; slice < count; slice++) {
    between(slice, bench);
    rates.push((await bench.measure(SLICE_US))[0]);
  }
  bench.stop();
  expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  return rates;
}

async function mean(world: WorldDescription, stream: StreamOptions): Promise<number> {
  const rates = (await slices(world, stream, 5)).slice(1);
  return rates.reduce((sum, each) => sum + each) / rates.length;
}

const withFault = (world: WorldDescription, ...faults: FaultDescription[]) => ({ ...world, faults });

describe('a fault', () => {
  it('is constant, or begins at a time', async () => {
    const always = await slices(withFault(pair, { at: 'h1/rnic0-up', rate: 0.25 }), across, 4);
    for (const gbps of always) expect(gbps).toBeLessThan(32);
    const later = await slices(withFault(pair, { at: 'h1/rnic0-up', rate: 0.25, from: '40us' }), across, 5);
    expect(later.map((gbps) => gbps > 60)).toEqual([true, true, false, false, false]);
  });

  it('ends, and comes again', async () => {
    const once = { at: 'h1/rnic0-up', rate: 0.1, from: '20us', for: '40us' };
    const healthy = (rates: readonly number[]) => rates.map((gbps) => gbps > 30);
    expect(healthy(await slices(withFault(pair, once), across, 5))).toEqual([true, false, false, true, true]);
    const flapping = { at: 'h1/rnic0-up', rate: 0.1, from: '20us', for: '20us', every: '60us' };
    expect(healthy(await slices(withFault(pair, flapping), across, 8))).toEqual([
      true,
      false,
      true,
      true,
      false,
      true,
      true,
      false,
    ]);
  });

  it('is put in and taken out while a run goes on', async () => {
    let lift = () => {};
    const rates = await slices(pair, across, 6, (slice, { provider }) => {
      if (slice === 2) lift = provider.world.inject({ at: 'h0/rnic0-up', rate: 0.25 });
      if (slice === 4) lift();
    });
    // What was on its way when the fault ended still takes its time.
    expect(rates.toSpliced(4, 1).map((gbps) => gbps > 60)).toEqual([true, true, false, false, true]);
  });

  it('leaves everything else, bit by bit, as it is', async () => {
    const far = { at: 'h0/memory1-up', rate: 0.001 };
    expect(await slices(withFault(pair, far), across, 3)).toEqual(await slices(pair, across, 3));
  });

  it('of two on one link leaves a share of a share', async () => {
    const half = { at: 'h1/rnic0-up', rate: 0.5 };
    const [one, both] = [
      await mean(withFault(pair, half), across),
      await mean(withFault(pair, half, half), across),
    ];
    expect(both / one).toBeCloseTo(0.5, 1);
  });

  it('adds latency to a link, which long reads feel', async () => {
    const slow = { at: 'h0/gpu0-up', latencyNs: 1000 };
    const [usual, late] = [await mean(gpuServer, toGpu), await mean(withFault(gpuServer, slow), toGpu)];
    expect(late).toBeLessThan(0.6 * usual);
  });
});

describe('a setting', () => {
  it('of ACS belongs to a port, and sends peer traffic up while it is on', async () => {
    const usual = await mean(gpuServer, toGpu);
    for (const at of ['h0/rnic0-up', 'h0/gpu0-up', 'h0/switch0', 'h0']) {
      const redirected = await mean(withFault(gpuServer, { at, acs: 'redirect' }), toGpu);
      expect([at, redirected < 0.65 * usual]).toEqual([at, true]);
    }
    // A port that the traffic does not pass leaves it alone.
    expect(await mean(withFault(gpuServer, { at: 'h0/gpu1-up', acs: 'redirect' }), toGpu)).toBe(usual);
    expect(await mean(withFault(gpuServer, { at: 'h0/switch1', acs: 'redirect' }), toGpu)).toBe(usual);
    const flapping = { at: 'h0/switch0', acs: 'redirect', from: '20us', for: '40us' } as const;
    const rates = await slices(withFault(gpuServer, flapping), toGpu, 5);
    expect(rates.map((gbps) => gbps > 0.8 * usual)).toEqual([true, false, false, true, true]);
  });

  it('of ATS belongs to an RNIC', async () => {
    const off = { at: 'h0/rnic0', ats: 'disabled' } as const;
    const other: StreamOptions = { ...toGpu, from: 'h0/rnic1', to: 'h0/rnic1', memory: 'gpu2' };
    const usual = await mean(gpuServer, toGpu);
    expect(await mean(withFault(gpuServer, off), toGpu)).toBeLessThan(0.65 * usual);
    expect(await mean(withFault(gpuServer, off), other)).toBe(await mean(gpuServer, other));
    const described: WorldDescription = {
      hosts: [
        {
          host: 'hostping',
          device: 'connectx-6-200g',
          devices: [{ rnic: 'rnic0', settings: { ats: 'disabled' } }, { rnic: 'rnic1' }],
        },
      ],
    };
    expect(await mean(described, toGpu)).toBeLessThan(0.65 * usual);
    expect(await mean(described, other)).toBeGreaterThan(0.9 * usual);
  });

  it('of the read request belongs to an RNIC: short ones leave fewer bytes outstanding', async () => {
    const short = { at: 'h0/rnic0', maxReadRequestBytes: 128 };
    const usual = await mean(gpuServer, toGpu);
    const limited = await mean(withFault(gpuServer, short), toGpu);
    // 68 reads of 128 B in flight and 1 us of latency: about 70 Gb/s, and more since a long read begins with its first
    // request.
    expect(limited).toBeGreaterThan(60);
    expect(limited).toBeLessThan(95);
    expect(usual).toBeGreaterThan(180);
  });

  it('of ordering and of the payload belongs to an RNIC and may change', async () => {
    const small = { at: 'h1/rnic0', maxPayloadBytes: 64, from: '40us' };
    const narrow: WorldDescription = { hosts: [{ subsystem: 'perf', count: 2 }] };
    const rates = await slices(withFault(narrow, small), across, 6);
    expect(rates[1]).toBeGreaterThan(90);
    // 64 B in packets of 88 on a link of 120 Gb/s.
    expect(rates[5]).toBeLessThan(0.97 * rates[1]);
    const bench = new StreamBench({ world: pair });
    const [{ nic }] = bench.provider.world.devices;
    expect(nic.pcie.isStrict).toBe(false);
    const lift = bench.provider.world.inject({ at: 'h0', ordering: 'strict' });
    expect(nic.pcie.isStrict).toBe(true);
    lift();
    expect(nic.pcie.isStrict).toBe(false);
  });

  it('of DDIO belongs to a memory', async () => {
    const bytesWith = async (...faults: FaultDescription[]) => {
      const bench = new StreamBench({ world: withFault(pair, ...faults) });
      await bench.stream(across);
      await bench.run(50);
      return (await bench.counters('h1'))['memory_channel_bytes'];
    };
    expect(await bytesWith()).toBe(0);
    expect(await bytesWith({ at: 'h1/memory1', ddio: 'disabled' })).toBe(0);
    expect(await bytesWith({ at: 'h1/memory0', ddio: 'disabled' })).toBeGreaterThan(100_000);
    expect(await bytesWith({ at: 'h1', ddio: 'disabled' })).toBeGreaterThan(100_000);
  });
});

describe('a cable', () => {
  it('degrades, delays and loses', async () => {
    const usual = await mean(pair, across);
    const at = 'h0/rnic0-switch0';
    expect(await mean(withFault(pair, { at, rate: 0.25 }), across)).toBeLessThan(0.26 * usual);
    const late: StreamOptions = { ...across, outstanding: 1 };
    expect(await mean(withFault(pair, { at, latencyNs: 20_000 }), late)).toBeLessThan(
      0.3 * (await mean(pair, late)),
    );
    const bench = new StreamBench({ world: withFault(pair, { at, loss: 0.01 }) });
    await bench.stream(across);
    await bench.run(500);
    bench.stop();
    const lost = bench.provider.world.egressPorts.map((port) => port.lost);
    expect(lost.filter((count) => count > 0).length).toBeGreaterThan(0);
    expect(lost.slice(2)).toEqual([0, 0]);
    expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  });

  it('loses in one direction, of one kind, and in bursts', async () => {
    const at = 'h1/rnic0-switch0';
    const run = async (effect: object) => {
      const bench = new StreamBench({ world: withFault(pair, { at, ...effect }) });
      await bench.stream(across);
      await bench.run(500);
      bench.stop();
      const { world } = bench.provider;
      const [up, down] = world.egressPorts.slice(2).map((port) => port.lost);
      expect(checkDrained(world)).toBeGreaterThan(0);
      return { up, down, sender: await bench.counters(0) };
    };
    const data = await run({ loss: 0.02, towards: 'h1' });
    expect(data.down).toBeGreaterThan(0);
    expect(data.up).toBe(0);
    expect(data.sender['packet_seq_err']).toBeGreaterThan(0);
    const acks = await run({ loss: 1, lossOf: ['ack'] });
    expect(acks.up).toBeGreaterThan(0);
    expect(acks.down).toBe(0);
    const burst = await run({ burst: { begin: 0.01, end: 0.2, loss: 1 }, towards: 'h1/rnic0' });
    expect(burst.down).toBeGreaterThan(4);
    expect(burst.up).toBe(0);
  });

  it('counts what it carried', async () => {
    const bench = new StreamBench({ world: pair });
    await bench.stream(across);
    await bench.run(100);
    const link = bench.provider.world.links.find(({ name }) => name === 'h1/rnic0-switch0')!;
    expect(link).toMatchObject({ kind: 'cable', gbps: 100, ends: ['h1/rnic0', 'switch0'] });
    const [up, down] = link.directions;
    expect([up.towards, down.towards]).toEqual(['switch0', 'h1/rnic0']);
    expect(down.bytes).toBeGreaterThan(10 * up.bytes);
    expect(down.busyNs).toBeGreaterThan(80_000);
    expect(down.busyNs).toBeLessThanOrEqual(100_000);
    bench.stop();
  });
});

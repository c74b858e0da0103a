import { describe, expect, it } from 'vitest';
import { connectRcPair } from '../../../verbs/index.js';
import { SimulatedProvider } from '../provider.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

describe('functions of a device', () => {
  it('keep to their rate limits, each by itself, and share them', async () => {
    const bench = new StreamBench({ subsystem: 'husky', functionGbps: [0, 10, 20] });
    const flows = [0, 1, 2, 2];
    for (const number of flows) {
      const { source } = await bench.stream({ from: 0, to: 1, messageBytes: 16384 });
      bench.provider.assignFunction(source.qp, number);
    }
    await bench.run(100);
    const rates = await bench.measure(1000);
    // The limit counts whole frames of 4,158 B, the rates payload of 4,096 B.
    const payload = 4096 / 4158;
    expect(rates[1]).toBeGreaterThan(0.97 * 10 * payload);
    expect(rates[1]).toBeLessThan(1.03 * 10 * payload);
    expect(rates[2] + rates[3]).toBeGreaterThan(0.97 * 20 * payload);
    expect(rates[2] + rates[3]).toBeLessThan(1.03 * 20 * payload);
    expect(rates[2] / rates[3]).toBeGreaterThan(0.9);
    expect(rates[2] / rates[3]).toBeLessThan(1.1);
    expect(rates[0]).toBeGreaterThan(60);
    bench.stop();
    expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  });

  it('are named by number, for queue pairs of this provider', async () => {
    const provider = new SimulatedProvider({ functionGbps: [0, 10] });
    const [end] = connectRcPair(await provider.open('sim0'), await provider.open('sim1'));
    expect(() => provider.assignFunction(end.qp, 2)).toThrow(
      expect.objectContaining({ code: 'OUT_OF_RANGE' }),
    );
    const other = new SimulatedProvider();
    const [stranger] = connectRcPair(await other.open('sim0'), await other.open('sim1'));
    expect(() => provider.assignFunction(stranger.qp, 1)).toThrow(
      expect.objectContaining({ code: 'WRONG_OWNER' }),
    );
  });
});

describe('traffic classes', () => {
  it('share the port by their weights', async () => {
    const weights = [1, 1, 1, 3, 1, 1, 1, 1];
    const bench = new StreamBench({ subsystem: 'husky', hosts: 3, trafficClassWeights: weights });
    // Two senders, so that the classes meet at the switch and not in one device's queue.
    await bench.stream({ from: 0, to: 2, messageBytes: 65536, outstanding: 64, sl: 0 });
    await bench.stream({ from: 1, to: 2, messageBytes: 65536, outstanding: 64, sl: 3 });
    await bench.run(300);
    const [first, second] = await bench.measure(1000);
    expect(second / first).toBeGreaterThan(2.8);
    expect(second / first).toBeLessThan(3.2);
    expect(first + second).toBeGreaterThan(90);
    bench.stop();
    expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  });

  it('share the port of one device by their weights too', async () => {
    const weights = [1, 1, 1, 3, 1, 1, 1, 1];
    const bench = new StreamBench({ subsystem: 'husky', trafficClassWeights: weights });
    for (const sl of [0, 0, 3])
      await bench.stream({ from: 0, to: 1, messageBytes: 65536, outstanding: 64, sl });
    await bench.run(300);
    const [first, second, third] = await bench.measure(1000);
    expect(third / (first + second)).toBeGreaterThan(2.8);
    expect(third / (first + second)).toBeLessThan(3.2);
    expect(first / second).toBeGreaterThan(0.95);
    expect(first / second).toBeLessThan(1.05);
    bench.stop();
    expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  });
});

describe('options of the simulated provider', () => {
  it.each([
    [{ functionGbps: [0, -1] }, 'functionGbps[1]'],
    [{ functionGbps: [Number.NaN] }, 'functionGbps[0]'],
    [{ trafficClassWeights: [0] }, 'trafficClassWeights[0]'],
    [{ trafficClassWeights: Array(9).fill(1) }, 'trafficClassWeights'],
    [{ hosts: 1 }, 'hosts'],
    [{ seed: 0.5 }, 'seed'],
  ])('%j is refused', (options, field) => {
    expect(() => new SimulatedProvider(options)).toThrow(
      expect.objectContaining({ code: 'OUT_OF_RANGE', field }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../../engine/random.js';
import { incast, permutation, poisson } from './patterns.js';
import { distributionNames, publishedDistribution } from './published-distributions.js';
import { readDistribution, SizeDistribution } from './size-distribution.js';

const hosts = Array.from({ length: 50 }, (_, host) => host + 3);
const kind = { trafficClass: 3, dport: 100 };

describe('a distribution of sizes', () => {
  it('has the mean of its points, and draws it', () => {
    // HPCC's traffic generator gives 1,711,250 for WebSearch.
    expect(publishedDistribution('websearch')!.meanBytes).toBe(1_711_250);
    for (const name of distributionNames) {
      const sizes = publishedDistribution(name)!;
      const random = new Random(7);
      let sum = 0;
      for (let draw = 0; draw < 200_000; draw++) sum += sizes.draw(random);
      expect(sum / 200_000 / sizes.meanBytes).toBeCloseTo(1, 1);
    }
    expect(publishedDistribution('nothing')).toBe(undefined);
  });

  it('rises with the share, from point to point', () => {
    const sizes = new SizeDistribution([
      [0, 0],
      [100, 50],
      [100, 80],
      [1100, 100],
    ]);
    expect([0, 25, 50, 60, 80, 90, 100].map((percent) => sizes.at(percent))).toEqual([
      1, 50, 100, 100, 100, 600, 1100,
    ]);
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (a, b) => {
          if (a <= b) expect(sizes.at(a)).toBeLessThanOrEqual(sizes.at(b));
        },
      ),
    );
  });

  it('is read from a file of HPCC, or refused with line and field', () => {
    expect(readDistribution('d', '0 0\n10 50\n20 100\n').meanBytes).toBe(10);
    for (const [text, message] of [
      ['', /d:1: .*last line/],
      ['0 0\n10 x', /d:2: .*per cent.*x/],
      ['0 0\n10 50\n5 100', /d:3: .*bytes.*5.*10/],
      ['0 0\n10 50\n20 40', /d:3: .*per cent.*40.*50/],
      ['0 0\n10 50', /d:2: .*last line.*50.*100/],
      ['0 5\n10 100', /d:1: .*per cent.*5.*0/],
      ['0 0\n10', /d:2: .*ends before cumulative/],
    ] as [string, RegExp][])
      expect(() => readDistribution('d', text)).toThrow(
        expect.objectContaining({ code: 'FABRIC_FILE', message: expect.stringMatching(message) }),
      );
  });
});

describe('patterns', () => {
  it('Poisson arrivals come at the load that was asked for, in order, each to another host', () => {
    const sizes = publishedDistribution('fb-hadoop')!;
    const options = { hosts, sizes, load: 0.5, hostBps: 100e9, startNs: 1000, durationNs: 50e6, ...kind };
    const flows = poisson(options, new Random(1));
    const bytes = flows.reduce((sum, flow) => sum + flow.bytes, 0);
    expect((bytes * 8) / (0.05 * 100e9 * hosts.length)).toBeCloseTo(0.5, 1);
    for (const [index, flow] of flows.entries()) {
      expect(flow.source).not.toBe(flow.target);
      expect(flow.startNs).toBeGreaterThanOrEqual(index === 0 ? 1000 : flows[index - 1].startNs);
      expect(hosts).toContain(flow.target);
    }
    expect(poisson(options, new Random(1))).toEqual(flows);
    expect(poisson(options, new Random(2))).not.toEqual(flows);
  });

  it('an incast has as many different senders as asked for', () => {
    const flows = incast(
      { hosts, fanIn: 20, bytes: 64_000, startNs: 5, times: 3, periodNs: 100, ...kind },
      new Random(1),
    );
    expect(flows.length).toBe(60);
    for (const time of [0, 1, 2]) {
      const part = flows.filter(({ startNs }) => startNs === 5 + time * 100);
      expect(new Set(part.map(({ source }) => source)).size).toBe(20);
      expect(new Set(part.map(({ target }) => target)).size).toBe(1);
      expect(part.every(({ source, target }) => source !== target)).toBe(true);
    }
  });

  it('a permutation has every host once on each side', () => {
    const flows = permutation({ hosts, bytes: 9, startNs: 0, ...kind }, new Random(3));
    expect(new Set(flows.map(({ source }) => source)).size).toBe(50);
    expect(new Set(flows.map(({ target }) => target)).size).toBe(50);
    expect(flows.every(({ source, target }) => source !== target)).toBe(true);
  });
});

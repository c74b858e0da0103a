import { describe, expect, it } from 'vitest';
import { type Burst, LossProcess } from './loss-process.js';
import { Random } from './random.js';

const PACKETS = 400_000;

/** Losses, and how many packets lie between the first and the last loss of a run of losses, on average. */
function watch(loss: number, burst?: Burst) {
  const process = new LossProcess(loss, burst, new Random(7));
  let lost = 0;
  let runs = 0;
  let before = false;
  for (let packet = 0; packet < PACKETS; packet++) {
    const now = process.loses();
    if (now) lost++;
    if (now && !before) runs++;
    before = now;
  }
  return { share: lost / PACKETS, runPackets: lost / runs };
}

describe('a loss process', () => {
  it('without bursts loses packets one by one', () => {
    const { share, runPackets } = watch(0.01);
    expect(share).toBeCloseTo(0.01, 3);
    expect(runPackets).toBeLessThan(1.03);
  });

  it('with bursts loses the share of Gilbert and Elliott, in runs as long as bad times last', () => {
    const { share, runPackets } = watch(0, { begin: 0.01, end: 0.1, loss: 1 });
    expect(share).toBeCloseTo(0.01 / 0.11, 2);
    expect(runPackets).toBeGreaterThan(9);
    expect(runPackets).toBeLessThan(11);
  });

  it('loses in good times too, at their own rate', () => {
    const { share } = watch(0.002, { begin: 0.01, end: 0.05, loss: 0.5 });
    expect(share).toBeCloseTo(0.002 * (5 / 6) + 0.5 / 6, 2);
  });

  it('gives the same losses for the same seed', () => {
    const draw = () => {
      const process = new LossProcess(0.1, { begin: 0.1, end: 0.3, loss: 0.9 }, new Random(3));
      return Array.from({ length: 50 }, () => process.loses());
    };
    expect(draw()).toEqual(draw());
  });
});

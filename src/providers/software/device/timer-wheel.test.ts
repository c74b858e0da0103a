import { describe, expect, it } from 'vitest';
import { TimerWheel } from './timer-wheel.js';

const MS = 1e6;

/** A wheel on a clock that the test moves. */
function wheel(): { timers: TimerWheel; fired: number[]; at(nowNs: number): number[] } {
  let nowNs = 0;
  const fired: number[] = [];
  const timers = new TimerWheel(
    () => nowNs,
    () => undefined,
  );
  const at = (time: number) => {
    nowNs = time;
    fired.length = 0;
    timers.run((tag) => fired.push(tag));
    return [...fired];
  };
  return { timers, fired, at };
}

describe('TimerWheel', () => {
  it('fires in order of time, each once', () => {
    const { timers, at } = wheel();
    timers.set(1, 30 * MS);
    timers.set(2, 10 * MS);
    timers.set(3, 20 * MS);
    expect(at(9 * MS)).toEqual([]);
    expect(at(25 * MS)).toEqual([2, 3]);
    expect(at(1000 * MS)).toEqual([1]);
    expect(at(2000 * MS)).toEqual([]);
    timers.stop();
  });

  it('keeps one timer a tag: a later set replaces, a clear removes', () => {
    const { timers, at } = wheel();
    timers.set(1, 10 * MS);
    timers.set(1, 40 * MS);
    timers.set(2, 10 * MS);
    timers.clear(2);
    timers.clear(7);
    expect(at(20 * MS)).toEqual([]);
    expect(at(40 * MS)).toEqual([1]);
    timers.stop();
  });

  it('takes a time that has passed, and none at infinity', () => {
    const { timers, at } = wheel();
    at(100 * MS);
    timers.set(1, 5 * MS);
    timers.set(2, Number.POSITIVE_INFINITY);
    expect(at(100 * MS)).toEqual([1]);
    timers.stop();
  });

  it('can be set again from inside', () => {
    let nowNs = 0;
    const timers = new TimerWheel(
      () => nowNs,
      () => undefined,
    );
    let count = 0;
    timers.set(1, 1);
    nowNs = 10;
    timers.run((tag) => {
      if (++count < 5) timers.set(tag, nowNs);
    });
    expect(count).toBe(5);
    timers.stop();
  });

  it('says when something is due, soon or in a while, and nothing once stopped', async () => {
    for (const delayNs of [0, 3 * MS]) {
      await new Promise<void>((resolve) => {
        const timers = new TimerWheel(
          () => performance.now() * MS,
          () => {
            timers.stop();
            resolve();
          },
        );
        timers.set(4, performance.now() * MS + delayNs);
      });
    }
    let called = false;
    const stopped = new TimerWheel(
      () => 0,
      () => {
        called = true;
      },
    );
    stopped.stop();
    stopped.set(1, 0);
    await new Promise(setImmediate);
    expect(called).toBe(false);
  });
});

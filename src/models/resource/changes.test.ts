import { describe, expect, it } from 'vitest';
import { Changes } from './changes.js';

/** The times out of 0 to 99 at which a change is on. */
function onAt(fromPs: number, forPs: number, everyPs: number): number[] {
  const changes = new Changes();
  let on = false;
  changes.add(0, { fromPs, forPs, everyPs, set: (active) => (on = active) });
  const times: number[] = [];
  for (let time = 0; time < 100; time++) {
    if (time >= changes.nextPs) changes.advance(time);
    if (on) times.push(time);
  }
  return times;
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describe('changes', () => {
  it('are constant, from a time, for a time, or flapping', () => {
    expect(onAt(0, Number.POSITIVE_INFINITY, 0)).toEqual(range(0, 100));
    expect(onAt(40, Number.POSITIVE_INFINITY, 0)).toEqual(range(40, 100));
    expect(onAt(40, 20, 0)).toEqual(range(40, 60));
    expect(onAt(10, 5, 30)).toEqual([...range(10, 15), ...range(40, 45), ...range(70, 75)]);
  });

  it('that nobody looked at while they came and went are found as they are', () => {
    const changes = new Changes();
    const seen: boolean[] = [];
    changes.add(0, { fromPs: 10, forPs: 5, everyPs: 30, set: (active) => seen.push(active) });
    changes.advance(16);
    expect(seen).toEqual([]);
    changes.advance(1000);
    expect([seen, changes.nextPs]).toEqual([[true], 1005]);
  });

  it('are taken back, and leave the others alone', () => {
    const changes = new Changes();
    const states = [false, false];
    const add = (place: number, fromPs: number) =>
      changes.add(0, {
        fromPs,
        forPs: Number.POSITIVE_INFINITY,
        everyPs: 0,
        set: (active) => {
          states[place] = active;
        },
      });
    const lift = add(0, 0);
    add(1, 5);
    expect(states).toEqual([true, false]);
    lift();
    lift();
    expect(states).toEqual([false, false]);
    changes.advance(5);
    expect(states).toEqual([false, true]);
  });
});

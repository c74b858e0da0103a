import { describe, expect, it } from 'vitest';
import { Simulation } from '../../engine/index.js';
import { VirtualTime } from '../../providers/time/virtual-time.js';
import { PolledThreads } from './polled-thread.js';

// Goal: a thread that always has more to do than a step takes on counts as busy, one that waits does not.

describe('threads that look at every tick', () => {
  it('are busy while they ask for the next step at once', async () => {
    const clock = new VirtualTime(new Simulation(), 1);
    const threads = new PolledThreads(clock);
    const [hasty, patient] = [threads.create(), threads.create()];
    let steps = 0;
    hasty.run(() => {
      if (++steps <= 3) hasty.wakeAtNs(clock.nowNs);
    });
    patient.run(() => patient.wakeAtNs(clock.nowNs + 500));
    await threads.passUntil(10_000);
    expect(steps).toBe(10);
    expect(hasty.busyNs).toBe(3000);
    expect(patient.busyNs).toBe(0);
  });
});

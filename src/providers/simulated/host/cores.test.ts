import { describe, expect, it } from 'vitest';
import { findProfile, resolveHost } from '../../../profiles/index.js';
import { SimulatedProvider } from '../provider.js';
import { Cores } from './cores.js';

describe('cores', () => {
  const host = resolveHost(findProfile('host', 'husky'));
  const { sockets, coresPerSocket } = host.constants;

  it('are one to a thread until there are more threads than cores', () => {
    const cores = new Cores(host);
    const all = Array.from({ length: sockets * coresPerSocket }, () => cores.next(null));
    expect(new Set(all).size).toBe(sockets * coresPerSocket);
    expect(cores.next(null)).toBe(all[0]);
  });

  it('of a socket are for the threads that run on it', () => {
    const cores = new Cores(host);
    const ofOne = Array.from({ length: coresPerSocket }, () => cores.next(1));
    expect(cores.next(1)).toBe(ofOne[0]);
    expect(ofOne).not.toContain(cores.next(0));
  });

  it('are shared in turns: twice the threads on a socket take twice as long', async () => {
    const finishedNs = async (threads: number) => {
      const context = await new SimulatedProvider({ subsystem: 'husky' }).open('sim0');
      const ends: number[] = [];
      for (let index = 0; index < threads; index++) {
        const thread = context.createThread!({ socket: 0 });
        let steps = 0;
        thread.run(() => {
          if (steps++ === 10) return void ends.push(thread.nowNs!);
          thread.work!(1000);
          thread.wakeAtNs(0);
        });
      }
      await context.clock.sleep(1e6);
      expect(ends).toHaveLength(threads);
      return Math.max(...ends);
    };
    expect(await finishedNs(coresPerSocket)).toBeCloseTo(10_000, 0);
    expect(await finishedNs(2 * coresPerSocket)).toBeCloseTo(20_000, 0);
  });
});

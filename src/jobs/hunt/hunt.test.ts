import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../pool/index.js';
import { type HuntAnswer, HuntArchive, hunt, orderHunt, orderOf, runHuntTask } from './index.js';

// Goal: a hunt is a function: it runs anywhere, tells what it does as it goes, and comes to the same end from what a store
// has of it.

const request = { testbed: { subsystem: 'collie-a' }, budget: '12', seed: 5, advice: false };
const plain = ({ wallSeconds: _, ...answer }: HuntAnswer & { wallSeconds?: number }) => answer;

describe('hunt()', () => {
  it('tells of every experiment, keeps them, and resumes from what was kept', async () => {
    const seen: number[] = [];
    const whole = await hunt(request, { onExperiment: ({ index }) => void seen.push(index) });
    expect(seen.length).toBe(whole.experiments);
    const hunts = new HuntArchive(new MemoryStore());
    const { id } = await hunts.create(orderHunt(request));
    const interrupt = new AbortController();
    const broken = await hunt(orderHunt(request), {
      archive: { hunts, id },
      onExperiment: ({ index }) => {
        if (index === 7) interrupt.abort();
      },
      signal: interrupt.signal,
    });
    expect(broken.partial).toBe(true);
    expect(await hunts.answer(id)).toBeUndefined();
    let made = 0;
    const pool = {
      size: 1,
      run: (task: Parameters<typeof runHuntTask>[0]) => {
        made++;
        return runHuntTask(task);
      },
      close: async () => {},
    };
    const resumed = await hunt(orderOf(await hunts.find(undefined)), { archive: { hunts, id }, pool });
    expect(plain(resumed)).toEqual(plain(whole));
    expect(made).toBeLessThan(whole.experiments);
    expect(plain((await hunts.answer(id))!)).toEqual(plain(whole));
    expect(await hunts.experiments(id)).toHaveLength(whole.experiments);
  });

  it('hunts on ideal devices, within the bounds of an application', async () => {
    const space = { text: 'transport: UD\nqps: { max: 4 }', file: 'mine.yaml' };
    const order = orderHunt({ testbed: { provider: 'ideal' }, space, budget: '4' });
    expect(order).toMatchObject({ subsystem: 'ideal', plan: { timeScale: 0.3, unlimited: true } });
    const { anomalies } = await hunt(order);
    expect(anomalies).toEqual([]);
  });

  it.each([
    [{ budget: 'soon' }, 'BAD_BUDGET', 'budget'],
    [{ fixed: true, testbed: { provider: 'ideal' } }, 'HUNT_INVALID', 'fixed'],
    [{ fixed: true, testbed: { subsystem: 'perf' } }, 'HUNT_INVALID', 'fixed'],
    [{ testbed: { subsystem: 'collie-z' } }, 'PROFILE_NOT_FOUND', 'subsystem'],
    [{ testbed: { provider: 'hardware' } }, 'PROVIDER_UNKNOWN', 'provider'],
    [{ space: { text: 'qps: many', file: 'mine.yaml' } }, 'SPACE_INVALID', 'qps'],
  ])('refuses %j', (given, code, field) => {
    expect(() => orderHunt(given)).toThrow(expect.objectContaining({ code, field }));
  });
});

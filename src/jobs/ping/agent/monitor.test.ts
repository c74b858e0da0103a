import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { THRESHOLDS } from '../thresholds.js';
import { type HostSample, Monitor, type RnicSample, unwatched } from './monitor.js';

// Goal: no run on a loaded host unless it raises an alarm, and a run within a second of one (Hostping §4.2, §5; row G19).

const rnic = (change: Partial<RnicSample> = {}): RnicSample => ({
  rnic: 'rnic0',
  loadShare: 0,
  pauseShare: 0,
  drops: 0,
  ...change,
});
const host = (...rnics: RnicSample[]): HostSample => ({ rnics, gpusIdle: true });
const SECOND = 1000;

/** What a monitor does in each second of a list of samples. */
function decisions(samples: readonly HostSample[]): { atMs: number; act: string }[] {
  const monitor = new Monitor();
  return samples.map((sample, second) => ({
    atMs: second * SECOND,
    act: (({ act, ...rest }) => ('trigger' in rest ? `${rest.trigger} ${rest.mesh}` : act))(
      monitor.decide(second * SECOND, sample),
    ),
  }));
}

describe('a monitor', () => {
  it('runs when it begins and then every five minutes, on an idle host', () => {
    const runs = decisions(Array.from({ length: 901 }, () => host(rnic()))).filter(
      ({ act }) => act !== 'wait',
    );
    expect(runs).toEqual([
      { atMs: 0, act: 'start full' },
      { atMs: 300_000, act: 'idle full' },
      { atMs: 600_000, act: 'idle full' },
      { atMs: 900_000, act: 'idle full' },
    ]);
  });

  it('skips a run that is due at 5 % of load or more, and tells why', () => {
    const monitor = new Monitor();
    expect(monitor.decide(0, host(rnic({ loadShare: 0.049 })))).toMatchObject({ act: 'run' });
    const busy = monitor.decide(300_000, host(rnic(), rnic({ rnic: 'rnic1', loadShare: 0.06 })));
    expect(busy).toEqual({ act: 'skip', reason: 'rnic-busy', why: 'rnic1 carries 6.0 % of its line' });
    expect(monitor.decide(301_000, host(rnic()))).toEqual({ act: 'wait' });
    expect(monitor.decide(600_000, { rnics: [rnic()], gpusIdle: false })).toMatchObject({
      reason: 'gpu-busy',
    });
    expect(monitor.decide(900_000, host(rnic({ loadShare: null })))).toMatchObject({
      reason: 'load-unknown',
    });
  });

  it('runs at once over the affinitive paths when an RNIC pauses or drops, once per alarm', () => {
    const quiet = host(rnic({ loadShare: 0.6 }));
    const paused = host(rnic({ loadShare: 0.6, pauseShare: 0.031 }));
    const dropped = host(rnic({ loadShare: 0.6, drops: 1 }));
    const seconds = [quiet, paused, paused, ...Array.from({ length: 40 }, () => quiet), dropped];
    expect(decisions(seconds).filter(({ act }) => act !== 'wait')).toEqual([
      { atMs: 0, act: 'skip' },
      { atMs: 1000, act: 'alarm affinitive' },
      { atMs: 43_000, act: 'alarm affinitive' },
    ]);
    const at = new Monitor().decide(0, paused);
    expect(at).toMatchObject({ why: 'rnic0 paused its peer for 3.1 % of a second', busyRnics: ['rnic0'] });
    expect(new Monitor().decide(0, host(rnic({ loadShare: 0.6, pauseShare: 0.03 })))).toMatchObject({
      act: 'skip',
    });
  });

  it('never makes a full run on a loaded host, nor lets a new alarm wait', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    const second = fc.record({
      loadShare: share,
      pauseShare: fc.oneof(fc.constant(0), share),
      drops: fc.nat(1),
    });
    fc.assert(
      fc.property(fc.array(second, { maxLength: 700 }), (seconds) => {
        const monitor = new Monitor();
        let alarmMs = Number.NEGATIVE_INFINITY;
        seconds.forEach((each, index) => {
          const nowMs = index * SECOND;
          const decision = monitor.decide(nowMs, host(rnic(each)));
          const alarm = each.pauseShare > THRESHOLDS.pauseAlarm || each.drops > 0;
          if (alarm && nowMs - alarmMs >= 30_000) {
            expect(decision).toMatchObject({ act: 'run', trigger: 'alarm' });
            alarmMs = nowMs;
          } else if (decision.act === 'run') expect(each.loadShare).toBeLessThan(THRESHOLDS.busy);
        });
      }),
      { numRuns: 50 },
    );
  });

  it('waits no longer than usual when the clock is set back', () => {
    const monitor = new Monitor();
    const [quiet, paused] = [host(rnic()), host(rnic({ pauseShare: 0.5 }))];
    const day = 86_400_000;
    expect(monitor.decide(day, quiet)).toMatchObject({ trigger: 'start' });
    expect(monitor.decide(day + 1000, paused)).toMatchObject({ trigger: 'alarm' });
    expect(monitor.decide(0, paused)).toMatchObject({ trigger: 'alarm' });
    expect(monitor.decide(1000, quiet)).toEqual({ act: 'wait' });
    expect(monitor.decide(301_000, quiet)).toMatchObject({ trigger: 'idle' });
  });

  it('says what cannot be watched', () => {
    expect(unwatched(host(rnic()))).toEqual([]);
    const blind = { rnics: [rnic({ pauseShare: null, drops: null })], gpusIdle: null };
    expect(unwatched(blind)).toEqual([
      'no counter of pauses at rnic0',
      'no counter of drops at rnic0',
      'without both there are no alarms, and only idle runs are made',
      'whether GPUs work cannot be read: the load of the RNICs alone decides',
    ]);
  });
});

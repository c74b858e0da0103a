import { THRESHOLDS, type Thresholds } from '../thresholds.js';

/** What an RNIC's counters say about the last second; null where there is no such counter. */
export interface RnicSample {
  readonly rnic: string;
  /** Share of its line rate that it sent or received, whichever is more. */
  readonly loadShare: number | null;
  /** Share of the time in which it paused its peer. */
  readonly pauseShare: number | null;
  /** Packets that it dropped. */
  readonly drops: number | null;
}

/** What a host says about itself once a second. */
export interface HostSample {
  readonly rnics: readonly RnicSample[];
  /** Whether no GPU works; null where nobody can tell. */
  readonly gpusIdle: boolean | null;
}

/** Why a run was made: the agent began, the host is idle, or an RNIC raised an alarm. */
export type Trigger = 'start' | 'idle' | 'alarm';

/** Why a run that was due was not made. */
export type SkipReason = 'rnic-busy' | 'gpu-busy' | 'load-unknown';

/** What is to be done now. */
export type Decision =
  | { readonly act: 'wait' }
  | { readonly act: 'skip'; readonly reason: SkipReason; readonly why: string }
  | {
      readonly act: 'run';
      readonly trigger: Trigger;
      /** Every path, or those that an RNIC reaches at its best rate. */
      readonly mesh: 'full' | 'affinitive';
      readonly why: string;
      /** RNICs that carry more than what counts as idle. */
      readonly busyRnics: readonly string[];
    };

/** When runs are made; Hostping §4.2 and §5 unless said otherwise. */
export interface MonitorOptions {
  /** Between runs of an idle host. */
  readonly idleEveryMs?: number;
  /** An alarm that goes on is no new one for this long (ours). */
  readonly alarmHoldMs?: number;
  readonly thresholds?: Thresholds;
}

const IDLE_EVERY_MS = 300_000;
const ALARM_HOLD_MS = 30_000;

/**
 * Decides when to probe (Hostping §4.2): every five minutes if every RNIC is below 5 % of its line and no GPU works, and
 * at once if an RNIC pauses its peer for more than 3 % of a second or drops a packet. Asked once a second; knows no clock
 * and no host.
 *
 * @example
 * const monitor = new Monitor();
 * const rnics = [{ rnic: 'rnic0', loadShare: 0.4, pauseShare: 0.05, drops: 0 }];
 * monitor.decide(0, { rnics, gpusIdle: false }); // { act: 'run', trigger: 'alarm', mesh: 'affinitive', … }
 */
export class Monitor {
  private readonly idleEveryMs: number;
  private readonly alarmHoldMs: number;
  private readonly thresholds: Thresholds;
  private dueMs: number | null = null;
  private readonly alarmedMs = new Map<string, number>();

  constructor({
    idleEveryMs = IDLE_EVERY_MS,
    alarmHoldMs = ALARM_HOLD_MS,
    thresholds = THRESHOLDS,
  }: MonitorOptions = {}) {
    this.idleEveryMs = idleEveryMs;
    this.alarmHoldMs = alarmHoldMs;
    this.thresholds = thresholds;
  }

  decide(nowMs: number, sample: HostSample): Decision {
    const busy = sample.rnics.filter(({ loadShare }) => (loadShare ?? 0) >= this.thresholds.busy);
    const busyRnics = busy.map(({ rnic }) => rnic);
    const alarms = this.newAlarms(nowMs, sample);
    if (alarms.length > 0)
      return { act: 'run', trigger: 'alarm', mesh: 'affinitive', why: alarms.join(', '), busyRnics };
    const first = this.dueMs === null;
    // A clock that was set back makes nobody wait for longer than usual.
    const dueMs = Math.min(this.dueMs ?? nowMs, nowMs + this.idleEveryMs);
    this.dueMs = dueMs;
    if (nowMs < dueMs) return { act: 'wait' };
    this.dueMs = nowMs + this.idleEveryMs;
    const unknown = sample.rnics.filter(({ loadShare }) => loadShare === null);
    if (unknown.length > 0) {
      const why = `the load of ${unknown.map(({ rnic }) => rnic).join(', ')} cannot be read`;
      return { act: 'skip', reason: 'load-unknown', why };
    }
    if (busy.length > 0) {
      const loads = busy.map(({ rnic, loadShare }) => `${rnic} carries ${percent(loadShare!)} of its line`);
      return { act: 'skip', reason: 'rnic-busy', why: loads.join(', ') };
    }
    if (sample.gpusIdle === false) return { act: 'skip', reason: 'gpu-busy', why: 'a GPU works' };
    const why = first ? 'the agent began' : 'the host is idle';
    return { act: 'run', trigger: first ? 'start' : 'idle', mesh: 'full', why, busyRnics };
  }

  /** Alarms of RNICs that raised none lately. */
  private newAlarms(nowMs: number, { rnics }: HostSample): string[] {
    return rnics.flatMap(({ rnic, pauseShare, drops }) => {
      const paused = (pauseShare ?? 0) > this.thresholds.pauseAlarm;
      const dropped = (drops ?? 0) > 0;
      if (!paused && !dropped) return [];
      const sinceMs = nowMs - (this.alarmedMs.get(rnic) ?? Number.NEGATIVE_INFINITY);
      if (sinceMs >= 0 && sinceMs < this.alarmHoldMs) return [];
      this.alarmedMs.set(rnic, nowMs);
      return [
        paused
          ? `${rnic} paused its peer for ${percent(pauseShare!)} of a second`
          : `${rnic} dropped ${drops}`,
      ];
    });
  }
}

/** What cannot be watched on this host, in sentences; said once when an agent begins. */
export function unwatched({ rnics, gpusIdle }: HostSample): string[] {
  const without = (field: 'pauseShare' | 'drops') => rnics.filter((each) => each[field] === null);
  const names = (samples: readonly RnicSample[]) => samples.map(({ rnic }) => rnic).join(', ');
  const said: string[] = [];
  const [pauses, drops] = [without('pauseShare'), without('drops')];
  if (pauses.length > 0) said.push(`no counter of pauses at ${names(pauses)}`);
  if (drops.length > 0) said.push(`no counter of drops at ${names(drops)}`);
  if (rnics.every(({ pauseShare, drops: lost }) => pauseShare === null && lost === null))
    said.push('without both there are no alarms, and only idle runs are made');
  if (gpusIdle === null) said.push('whether GPUs work cannot be read: the load of the RNICs alone decides');
  return said;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

import type { JobEvent, JobId, LaboratoryBackend, RunRequest } from '../../laboratory/desk/backend.js';
import { isLast } from '../../laboratory/desk/backend.js';
import { curvePoints } from '../../laboratory/setup/curve.js';
import type { Linked } from '../../laboratory/setup/link.js';
import {
  changed,
  FIRST_SETUP,
  followed,
  keyOf,
  requestOf,
  type Setup,
} from '../../laboratory/setup/setup.js';
import { type RunReading, runReadingOf } from '../../laboratory/view/reading.js';
import type { Measurement } from '../../workload/index.js';
import type { MadeAhead } from './made-ahead.js';
import { Observable } from './observable.js';

/** A run that is going on. */
export interface RunState {
  readonly id: JobId;
  /** From 0 to 1, of the longest that it can take. */
  readonly share: number;
  readonly goodputGbps: number;
  /** How long the last slice was. */
  readonly sliceNs: number;
  /** Goodput of each slice so far. */
  readonly trace: readonly number[];
  /** Counters that moved in the last slice, by device. */
  readonly counters: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** What the laboratory shows. */
export interface LabState {
  readonly linked: Linked;
  /** The newest whole result; it may be of where the controls were before. */
  readonly measurement: Measurement | null;
  /** What a run where the controls are now comes to; null while nobody knows. */
  readonly reading: RunReading | null;
  /** Whether `measurement` is of where the controls are now. */
  readonly isCurrent: boolean;
  /** The number under which the result can be kept; null for one that was made ahead. */
  readonly id: JobId | null;
  readonly run: RunState | null;
  readonly fault: string | null;
  /** What else moved with the last change. */
  readonly note: string;
  /** Counts up whenever a curve has another point. */
  readonly learned: number;
}

/** Whole results that are kept at hand. */
const MOST_RESULTS = 60;
/** Readings that are kept at hand: thousands of positions of the sliders. */
const MOST_READINGS = 5000;
/** Longer runs are shown while they go on, shorter ones only when they have ended. */
const SHOWN_AFTER_MS = 150;

/** The sliders, the run in front of them, and what runs behind them for their curves. */
export class LabModel extends Observable<LabState> {
  private readonly backend: LaboratoryBackend;
  private readonly results = new Map<string, { measurement: Measurement; id: JobId | null }>();
  private readonly readings = new Map<string, RunReading | null>();
  /** Runs for curves that are going on, by key. */
  private readonly idle = new Map<string, () => void>();
  private readonly workers: number;
  private stopRun: (() => void) | null = null;

  constructor(backend: LaboratoryBackend, ahead: MadeAhead, workers: number) {
    const { first, readings } = ahead;
    const key = keyOf(requestOf(FIRST_SETUP));
    super({
      linked: { kind: 'setup', setup: FIRST_SETUP },
      ...{ measurement: first, reading: runReadingOf(first), isCurrent: true, id: null },
      ...{ run: null, fault: null, note: '', learned: 0 },
    });
    this.backend = backend;
    this.workers = workers;
    for (const [each, reading] of Object.entries(readings)) this.readings.set(each, reading);
    this.readings.set(key, runReadingOf(first));
  }

  /** The run that the controls, or a workload in their place, ask for. */
  get request(): RunRequest {
    const { linked } = this.state;
    return linked.kind === 'setup' ? requestOf(linked.setup) : linked.request;
  }

  /** What the newest whole result came to. */
  get lastReading(): RunReading | null {
    const { measurement } = this.state;
    return measurement === null ? null : runReadingOf(measurement);
  }

  /** What a run of a setup came to; undefined where nobody knows, null where it was refused. */
  readingAt(setup: Setup): RunReading | null | undefined {
    return this.readings.get(keyOf(requestOf(setup)));
  }

  /** Moves a control. */
  change<Field extends keyof Setup>(field: Field, value: Setup[Field]): void {
    const { linked } = this.state;
    if (linked.kind !== 'setup') return;
    const setup = changed(linked.setup, field, value);
    this.show({ kind: 'setup', setup }, followed(linked.setup, setup, field).join('; '));
  }

  /** Goes to a setup or a workload and runs it, unless its result is at hand. */
  show(linked: Linked, note = ''): void {
    this.update({ linked, note, fault: null });
    const key = keyOf(this.request);
    const known = this.results.get(key);
    this.stopRun?.();
    if (known !== undefined) {
      this.update({ ...known, reading: runReadingOf(known.measurement), isCurrent: true, run: null });
      this.fillCurves();
      return;
    }
    this.update({ reading: this.readings.get(key) ?? null, isCurrent: false });
    this.dropIdle();
    void this.start(this.request);
  }

  /** Makes the run again that is shown. */
  again(): void {
    this.results.delete(keyOf(this.request));
    this.show(this.state.linked);
  }

  /** Ends the run that is going on; what it has is shown. */
  stop(): void {
    if (this.state.run !== null) void this.backend.cancel(this.state.run.id);
  }

  private async start(request: RunRequest): Promise<void> {
    const key = keyOf(request);
    let isWanted = true;
    let id: JobId | null = null;
    let unwatch = () => {};
    const started = performance.now();
    const trace: number[] = [];
    let beforeNs = 0;
    this.stopRun = () => {
      isWanted = false;
      unwatch();
      if (id !== null) void this.backend.cancel(id).catch(() => {});
      this.stopRun = null;
    };
    const heard = (event: JobEvent) => {
      if (!isWanted) return;
      if (event.kind === 'slice') {
        const { timeNs, maxNs, goodputGbps, counters = {} } = event;
        trace.push(goodputGbps);
        const sliceNs = Math.max(1, timeNs - beforeNs);
        beforeNs = timeNs;
        if (performance.now() - started > SHOWN_AFTER_MS)
          this.update({
            run: {
              ...{ id: id!, share: Math.min(1, timeNs / maxNs), goodputGbps, sliceNs },
              ...{ trace: [...trace], counters },
            },
          });
      }
      if (!isLast(event)) return;
      isWanted = false;
      this.stopRun = null;
      if (event.kind === 'result' && event.result.job === 'run') {
        const { measurement } = event.result;
        this.learn(key, measurement, id);
        this.update({ measurement, id, reading: runReadingOf(measurement), isCurrent: true, run: null });
        performance.mark('kelpie-run');
      } else
        this.update({
          run: null,
          fault: event.kind === 'failed' ? event.failure.message : 'The run was ended.',
        });
      this.fillCurves();
    };
    try {
      id = await this.backend.start(request, 'passing');
      if (!isWanted) void this.backend.cancel(id).catch(() => {});
      else unwatch = this.backend.watch(id, heard);
    } catch (error) {
      if (isWanted) this.update({ run: null, fault: (error as Error).message });
    }
  }

  private learn(key: string, measurement: Measurement, id: JobId | null): void {
    if (measurement.partial) return;
    this.results.delete(key);
    this.results.set(key, { measurement, id });
    if (this.results.size > MOST_RESULTS) this.results.delete([...this.results.keys()][0]);
    this.readings.set(key, runReadingOf(measurement));
    if (this.readings.size > MOST_READINGS) this.readings.delete([...this.readings.keys()][0]);
  }

  /** Runs what the curves of where the controls are still lack, behind everything else. */
  private fillCurves(): void {
    const { linked } = this.state;
    if (linked.kind !== 'setup') return;
    for (const { setup } of curvePoints(linked.setup)) {
      if (this.idle.size >= this.workers) return;
      const request = requestOf(setup);
      const key = keyOf(request);
      if (!this.readings.has(key) && !this.idle.has(key)) void this.runIdle(key, request);
    }
  }

  private async runIdle(key: string, request: RunRequest): Promise<void> {
    let id: JobId | null = null;
    let unwatch = () => {};
    let isWanted = true;
    this.idle.set(key, () => {
      isWanted = false;
      unwatch();
      if (id !== null) void this.backend.cancel(id).catch(() => {});
    });
    const ended = (reading: RunReading | null) => {
      this.idle.delete(key);
      if (!isWanted) return;
      this.readings.set(key, reading);
      this.update({ learned: this.state.learned + 1 });
      this.fillCurves();
    };
    try {
      id = await this.backend.start(request, 'idle');
      if (!isWanted) {
        void this.backend.cancel(id).catch(() => {});
        return;
      }
      const own = id;
      unwatch = this.backend.watch(id, (event) => {
        if (!isLast(event)) return;
        if (event.kind === 'result' && event.result.job === 'run') {
          this.learn(key, event.result.measurement, own);
          ended(runReadingOf(event.result.measurement));
        } else ended(null);
      });
    } catch {
      ended(null);
    }
  }

  /** Where the controls have moved on, what ran for the curves of where they were is not wanted. */
  private dropIdle(): void {
    for (const stop of this.idle.values()) stop();
    this.idle.clear();
  }
}

import type { Isolation, Scheme } from '../../schemes/index.js';
import {
  hostsNeeded,
  type Measurement,
  type Progress,
  type RunOptions,
  resolveWorkload,
  runWorkload,
  type SettingOverrides,
  type Testbed,
  type WorkloadInput,
} from '../../workload/index.js';
import type { Changes } from '../compare/index.js';
import { requireApplies, underScheme } from '../isolate/under-scheme.js';

/** What a testbed is opened with. */
export interface OpenOptions {
  seed: number;
  settings: SettingOverrides;
  /** Mechanisms that are switched off, by the names of the models. */
  ablate: readonly string[];
  /** How many hosts. */
  hosts: number;
  /** How tenants are kept apart; not at all unless set. */
  isolation?: Isolation;
  /** Changes of the subsystem. */
  changes?: Changes;
}

/** Opens a subsystem by its name. Who opens it decides what it is: a simulator, or real machines. */
export type Opener = (subsystem: string, options: OpenOptions) => Promise<Testbed>;

/** What a bench is made from. */
export interface BenchOptions extends Pick<RunOptions, 'signal' | 'onSlice'> {
  open: Opener;
  /** 1 unless set. */
  seed?: number;
}

/** A point to measure beside its workload. */
export interface PointOptions {
  ablate?: readonly string[];
  /** The isolation scheme over the workload's tenants. */
  scheme?: Scheme;
  /** Called after each slice with the testbed and how far the run is. */
  onSlice?: (testbed: Testbed, progress: Progress) => void;
  /** Changes of the subsystem: another device, a constant, a loss. */
  changes?: Changes;
  /** Bandwidth that each tenant is promised; an equal share of the line unless set. */
  guaranteeGbps?: number;
}

/** Thrown where a run was interrupted: a row of partial runs says nothing. */
export class InterruptedRow extends Error {}

/**
 * Where rows are run: every point gets a testbed of its own, so that rows do not depend on each other.
 *
 * @example
 * const bench = new Bench({ open, seed: 1 });
 * const { total } = await bench.measure('husky', { qps: 96, sizes: [512] });
 */
export class Bench {
  /** Points measured so far. */
  points = 0;
  readonly seed: number;
  private readonly options: BenchOptions;

  constructor(options: BenchOptions) {
    this.options = options;
    this.seed = options.seed ?? 1;
  }

  /** Opens a fresh testbed for something that is no workload; whoever opened it closes it. */
  async open(subsystem: string, hosts: number, isolation: Isolation): Promise<Testbed> {
    const { seed } = this;
    const { open, signal } = this.options;
    if (signal?.aborted === true) throw new InterruptedRow();
    this.points++;
    return open(subsystem, { seed, settings: {}, ablate: [], hosts, isolation });
  }

  /** Runs a workload on a fresh testbed. */
  async measure(
    subsystem: string,
    input: WorkloadInput,
    { ablate = [], scheme, guaranteeGbps, changes, onSlice: watch }: PointOptions = {},
  ): Promise<Measurement> {
    const { seed } = this;
    const { open, signal, onSlice } = this.options;
    const { workload, isolation } = underScheme(resolveWorkload(input), scheme ?? null, { guaranteeGbps });
    const hosts = hostsNeeded(workload).length;
    const testbed = await open(subsystem, {
      seed,
      settings: workload.settings,
      ablate,
      hosts,
      ...(isolation === null ? {} : { isolation }),
      ...(changes === undefined ? {} : { changes }),
    });
    try {
      if (scheme !== undefined)
        requireApplies(scheme, workload.tenants, testbed.provider, testbed.hosts[0].context.capabilities);
      const measurement = await runWorkload(workload, testbed, {
        ...{ seed, signal, watchLinks: false },
        onSlice: async (progress) => {
          watch?.(testbed, progress);
          await onSlice?.(progress);
        },
      });
      if (measurement.partial) throw new InterruptedRow();
      this.points++;
      return measurement;
    } finally {
      await testbed.close();
    }
  }
}

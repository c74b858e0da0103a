import type { TestbedDevice } from '../testbed.js';
import { type CounterValues, pausePlaces } from './device-counters.js';
import { Rows } from './rows.js';

/**
 * Reads the counters of one device as rows of numbers. A run reads them after every slice, and an object of eighty names
 * each time would cost more than many a slice itself.
 */
export class CounterReader {
  /**
   * The counters in the order of their places in a row. A counter that first appears later has a place behind the others.
   */
  readonly names: string[] = [];
  private readonly device: TestbedDevice;
  private pauses: readonly number[] = [];
  private readonly rows = new Rows();

  constructor(device: TestbedDevice) {
    this.device = device;
    this.learn(device.probe.counters?.names ?? []);
  }

  /** The counters as they are now. */
  read(): Float64Array {
    const { names } = this;
    const { context, probe } = this.device;
    if (probe.counters !== null) {
      const row = this.rows.next(names.length);
      probe.counters.read(row);
      return row;
    }
    const values = context.counters();
    this.learn(Object.keys(values));
    return Float64Array.from(names, (counter) => values[counter] ?? 0);
  }

  /** A row by names. */
  valuesOf(row: Float64Array): CounterValues {
    return Object.fromEntries(Array.from(row, (value, place) => [this.names[place], value]));
  }

  /** Nanoseconds between two rows in which the device told its peer to pause; null where it does not count that. */
  pauseNs(before: Float64Array, after: Float64Array): number | null {
    let longest: number | null = null;
    for (const place of this.pauses) {
      const grown = (after[place] - (before[place] ?? 0)) * 1000;
      if (longest === null || grown > longest) longest = Math.max(0, grown);
    }
    return longest;
  }

  private learn(names: readonly string[]): void {
    const known = new Set(this.names);
    const fresh = names.filter((name) => !known.has(name));
    if (fresh.length === 0) return;
    this.names.push(...fresh);
    this.pauses = pausePlaces(this.names);
  }
}

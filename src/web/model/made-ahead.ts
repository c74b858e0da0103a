import type { Value } from '../../jobs/reproduce/row.js';
import type { Catalogue } from '../../laboratory/desk/catalogue.js';
import type { RunReading } from '../../laboratory/view/reading.js';
import type { Measurement } from '../../workload/index.js';
import { fileOf } from '../release.js';

/** What was run when these files were built, by the same code: what there is to see before the first run here has ended. */
export interface MadeAhead {
  /** Of a browser with one core: the real number comes with the desk. */
  readonly catalogue: Catalogue;
  /** The first setup's run. */
  readonly first: Measurement;
  /** What the runs round it came to, by {@link keyOf}; null where a run was refused. */
  readonly readings: Readonly<Record<string, RunReading | null>>;
  /** What the committed board says of each row. */
  readonly board: Readonly<Record<string, BoardEntry>>;
}

/** A row on the committed board. */
export interface BoardEntry {
  readonly ok: boolean;
  readonly simulated: Value;
}

/** Fetches it. */
export async function fetchMadeAhead(): Promise<MadeAhead> {
  const response = await fetch(fileOf('made-ahead.json'));
  if (!response.ok) throw new Error(`made-ahead.json: ${response.status}`);
  return (await response.json()) as MadeAhead;
}

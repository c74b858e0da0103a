import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { KelpieError } from '../../error.js';
import type { GridPoint, GridRequest } from '../../jobs/compare/index.js';
import { readTextFile } from '../../node/index.js';
import { VERSION } from '../../version.js';

const FORMAT = 'kelpie-sweep-journal/1';

/** Points of a sweep in a file, a line each as they are measured, so that the next run goes on after them. */
export class SweepJournal {
  readonly known: ReadonlyMap<number, Omit<GridPoint, 'values'>>;
  private readonly file: string;

  private constructor(file: string, known: ReadonlyMap<number, Omit<GridPoint, 'values'>>) {
    this.file = file;
    this.known = known;
  }

  /** Opens the journal of a sweep, or begins one; that of another sweep or version is refused. */
  static open(file: string, request: GridRequest): SweepJournal {
    const head = { format: FORMAT, version: VERSION, sweep: fingerprint(request) };
    if (!existsSync(file)) {
      write(file, () => writeFileSync(file, `${JSON.stringify(head)}\n`));
      return new SweepJournal(file, new Map());
    }
    const names = { field: '--resume', code: 'SWEEP_UNREADABLE', allowed: 'a file that kelpie sweep wrote' };
    const [first = '', ...lines] = readTextFile(file, names).split('\n');
    if (first !== JSON.stringify(head))
      throw new KelpieError('SWEEP_DIVERGED', 'this file belongs to another sweep, or to another version', {
        field: '--resume',
        given: file,
        allowed: 'another file, or the same workload, profiles, values, metrics and seed',
      });
    return new SweepJournal(file, pointsOf(lines));
  }

  add(place: number, { readings, refused }: GridPoint): void {
    const line = JSON.stringify({ place, readings, ...(refused === undefined ? {} : { refused }) });
    write(this.file, () => appendFileSync(this.file, `${line}\n`));
  }
}

/** The points in a journal; the last line of a run that was killed may be cut off. */
function pointsOf(lines: readonly string[]): Map<number, Omit<GridPoint, 'values'>> {
  const known = new Map<number, Omit<GridPoint, 'values'>>();
  for (const line of lines) {
    try {
      const { place, readings, refused } = JSON.parse(line) as { place: number } & GridPoint;
      known.set(place, { readings, ...(refused === undefined ? {} : { refused }) });
    } catch {
      // Cut off: it is measured again.
    }
  }
  return known;
}

function fingerprint(request: GridRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}

function write(file: string, step: () => void): void {
  try {
    step();
  } catch (cause) {
    throw new KelpieError('CANNOT_RUN', `this file cannot be written: ${(cause as Error).message}`, {
      field: '--resume',
      given: file,
      allowed: 'a file in an existing folder, on a disk with free space',
      cause,
    });
  }
}

import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { KelpieError } from '../../error.js';
import type { GridPoint, GridRequest } from '../../jobs/compare/index.js';
import { readTextFile } from '../../node/index.js';
import { VERSION } from '../../version.js';

const FORMAT = 'kelpie-sweep-journal/2';
const SUM_LETTERS = 16;

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
    const text = readTextFile(file, names);
    const [first = '', ...lines] = text.split('\n');
    if (first !== JSON.stringify(head))
      throw new KelpieError('SWEEP_DIVERGED', 'this file belongs to another sweep, or to another version', {
        field: '--resume',
        given: file,
        allowed: 'another file, or the same workload, profiles, values, metrics and seed',
      });
    const known = pointsOf(file, lines);
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole !== text) write(file, () => writeFileSync(file, whole));
    return new SweepJournal(file, known);
  }

  add(place: number, { readings, refused }: GridPoint): void {
    const text = JSON.stringify({ place, readings, ...(refused === undefined ? {} : { refused }) });
    write(this.file, () => appendFileSync(this.file, `${sumOf(text)} ${text}\n`));
  }
}

/**
 * The points in a journal, each behind a sum of its line. The last line of a run that was killed may be cut off: it is
 * measured again. Any other that does not have its sum was changed.
 */
function pointsOf(file: string, lines: readonly string[]): Map<number, Omit<GridPoint, 'values'>> {
  const known = new Map<number, Omit<GridPoint, 'values'>>();
  for (const [index, line] of lines.slice(0, -1).entries()) {
    const text = line.slice(SUM_LETTERS + 1);
    if (line !== `${sumOf(text)} ${text}`)
      throw new KelpieError('SWEEP_UNREADABLE', `line ${index + 2} was changed or is damaged`, {
        ...{ field: '--resume', given: file, allowed: 'the file as it was written, or without that line' },
      });
    const { place, readings, refused } = JSON.parse(text) as { place: number } & GridPoint;
    known.set(place, { readings, ...(refused === undefined ? {} : { refused }) });
  }
  return known;
}

function sumOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SUM_LETTERS);
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

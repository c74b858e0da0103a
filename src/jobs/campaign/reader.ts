import { KelpieError } from '../../error.js';
import { DescriptionError, type Fault, type Path, type SourceDocument } from '../../schema/index.js';
import { parseSweep } from '../compare/index.js';
import type { Axis, CampaignPoint, ListedAxis } from './axis.js';
import type { CampaignDescription } from './description.js';

/** Reads a file that a campaign names. */
export type TextReader = (file: string, field: string) => string;

/** Gathers what is wrong with a campaign and with the files that it names, so that all of it is said at once. */
export class CampaignReader {
  readonly document: SourceDocument;
  readonly readText: TextReader;
  private readonly others: Fault[] = [];

  constructor(document: SourceDocument, readText: TextReader) {
    this.document = document;
    this.readText = readText;
  }

  /** Runs a check; what it refuses becomes a fault of a field, and null comes back. */
  attempt<Result>(path: Path, check: () => Result): Result | null {
    try {
      return check();
    } catch (error) {
      if (error instanceof DescriptionError) this.others.push(...error.faults);
      else if (error instanceof KelpieError) {
        const { code, summary: problem, given, allowed } = error;
        this.document.report(code, path, { problem, given, ...(allowed === undefined ? {} : { allowed }) });
      } else throw error;
      return null;
    }
  }

  /** Checks what each value of the varied fields makes of the rest: each by itself, the first of the others beside it. */
  attemptVaried(
    axes: readonly ListedAxis[],
    others: CampaignPoint,
    check: (point: CampaignPoint) => unknown,
  ): void {
    const firstOf = ({ name, values }: ListedAxis) => [name, values[0] ?? ''] as const;
    const first = { ...others, ...Object.fromEntries(axes.map(firstOf)) };
    const said = new Set<string>();
    for (const { name, values } of axes)
      for (const value of values)
        this.attempt(['vary', name], () => {
          try {
            return check({ ...first, [name]: value });
          } catch (error) {
            if (!(error instanceof DescriptionError)) throw error;
            for (const fault of error.faults) this.reportVaried(fault, name, axes, said);
            return null;
          }
        });
  }

  /** A fault of what was varied has its place here, and is said once, at its own field's turn. */
  private reportVaried(fault: Fault, name: string, axes: readonly ListedAxis[], said: Set<string>): void {
    const { code, field, problem, given, allowed, meant } = fault;
    const detail = { problem, given, ...(allowed === undefined ? {} : { allowed }), meant };
    const isOther = axes.some((axis) => axis.name !== name && axis.name === field);
    const text = JSON.stringify([name, field, detail]);
    if (isOther || said.has(text)) return;
    said.add(text);
    const place = field === name || field === '' ? '' : `${field}: `;
    this.document.report(code, ['vary', name], { ...detail, problem: `${place}${detail.problem}` });
  }

  /** Records a fault of the campaign itself. */
  refuse(path: Path, problem: string, given: unknown, allowed: string): void {
    this.document.report(this.document.kind.codes.outOfRange, path, { problem, given, allowed });
  }

  /** Throws all that was gathered, if anything was. */
  end(): void {
    let own: readonly Fault[] = [];
    try {
      this.document.throwFaults();
    } catch (error) {
      own = (error as DescriptionError).faults;
    }
    if (own.length + this.others.length > 0) throw new DescriptionError([...own, ...this.others]);
  }

  /** The text of a description that is a file or stands in the campaign, with the name for messages. */
  described(
    field: 'workload' | 'fabric',
    given: string | Readonly<Record<string, unknown>>,
  ): Described | null {
    if (typeof given !== 'string')
      return { text: JSON.stringify(given), file: `${this.document.file} ${field}` };
    const text = this.attempt([field], () => this.readText(given, field));
    return text === null ? null : { text, file: given };
  }

  /** The seeds. */
  seeds(given: CampaignDescription['seeds'] = 1): Axis {
    const name = 'seed';
    if (typeof given !== 'string') return { name, values: this.distinct(['seeds'], listOf(given)) };
    const [, from, to] = /^(\d{1,15})\.\.(\d{1,15})$/.exec(given) ?? [];
    const count = Number(to) - Number(from) + 1;
    if (from === undefined || !(count >= 1 && count <= MOST_SEEDS)) {
      this.refuse(['seeds'], 'not a range', given, `FROM..TO, at most ${MOST_SEEDS} of them`);
      return { name, values: [1] };
    }
    return { name, from: Number(from), count };
  }

  /** The values that each field takes. */
  axes(vary: NonNullable<CampaignDescription['vary']>): ListedAxis[] {
    return Object.entries(vary).map(([name, listed]) => {
      const path = ['vary', name];
      if (POINT_NAMES.includes(name)) this.refuse(path, 'this has a field of its own', name, 'another field');
      const values =
        typeof listed === 'string'
          ? (this.attempt(path, () => parseSweep(`${name}=${listed}`).values) ?? [])
          : this.distinct(path, listed);
      return { name, values };
    });
  }

  /** A list in which nothing may stand twice: one task would be two. */
  distinct<Value extends string | number>(path: Path, values: readonly Value[]): readonly Value[] {
    const twice = values.find((value, index) => values.indexOf(value) !== index);
    if (twice !== undefined) this.refuse(path, 'this stands twice', twice, 'each value once');
    return values;
  }
}

/** A description as text, and what messages call it. */
export interface Described {
  readonly text: string;
  readonly file: string;
}

const MOST_SEEDS = 1_000_000;
/** What every task has beside the fields that are varied. */
const POINT_NAMES = ['on', 'seed'];

/** One or several, as a list. */
export function listOf<Value>(given: Value | readonly Value[]): readonly Value[] {
  return Array.isArray(given) ? given : [given as Value];
}

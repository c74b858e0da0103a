import { KelpieError } from '../error.js';

/** What a kind of document calls itself, and the codes of what can be wrong with one. */
export interface DocumentKind {
  /** As in 'a workload is a mapping of fields'. */
  readonly noun: string;
  /** Where all fields are documented: named where a list of them would be too long. */
  readonly reference: string;
  readonly codes: {
    readonly syntax: string;
    readonly unknownField: string;
    readonly missingField: string;
    readonly badType: string;
    readonly outOfRange: string;
  };
}

/** What a fault says beside its place. */
export interface FaultDetail {
  /** What is wrong, in a few words. */
  readonly problem: string;
  readonly given?: unknown;
  /** What would have been accepted, in words. */
  readonly allowed?: string;
  /** The name that was probably meant. */
  readonly meant?: string | undefined;
}

/** One thing that is wrong with a document, and where. */
export interface Fault extends FaultDetail {
  /** Stable, upper case. */
  readonly code: string;
  /** The file, or what a value of a program is called; empty where it has no name. */
  readonly file: string;
  /** From 1; 0 in a value of a program, which has no lines. */
  readonly line: number;
  /** From 1; 0 in a value of a program. */
  readonly column: number;
  /** The path of the field, `tenants[1].qps`; empty for the document as a whole. */
  readonly field: string;
}

/**
 * Everything that is wrong with a document. `code`, `field`, `given` and `allowed` are those of the first fault;
 * `faults` has them all, file by file, in the order of their lines.
 */
export class DescriptionError extends KelpieError {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const files = [...new Set(faults.map(({ file }) => file))];
    const sorted = [...faults].sort(
      (one, other) =>
        files.indexOf(one.file) - files.indexOf(other.file) ||
        one.line - other.line ||
        one.column - other.column,
    );
    // What two documents found in a third is said once.
    const distinct = [
      ...new Map(sorted.map((fault) => [`${fault.code} ${describe(fault)}`, fault])).values(),
    ];
    const [first] = distinct;
    super(first.code, distinct.map(describe).join('\n'));
    this.faults = distinct;
    // The message has the details of every fault already; the base class would print the first one's again.
    Object.assign(this, { field: first.field, given: first.given, allowed: first.allowed });
  }
}

/** A fault as a line: `w.yaml:2:6: qps: too small, given -1, allowed: a whole number from 0 to 1000000`. */
function describe({ file, line, column, field, problem, given, allowed, meant }: Fault): string {
  const place = [file, ...(line > 0 ? [line, column] : [])].filter((part) => part !== '').join(':');
  const value = given === undefined ? '' : `, given ${show(given)}`;
  const suggestion = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  const range = allowed === undefined ? '' : `, allowed: ${allowed}`;
  return [place, field, `${problem}${value}${suggestion}${range}`].filter((part) => part !== '').join(': ');
}

/** Longest value that a message repeats. */
const MAX_SHOWN = 80;

function show(given: unknown): string {
  const text = typeof given === 'string' ? `'${given}'` : plain(given);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN - 3)}...` : text;
}

function plain(given: unknown): string {
  if (given === null) return 'nothing';
  if (Array.isArray(given)) return given.every((item) => typeof item !== 'object') ? `[${given}]` : 'a list';
  if (typeof given === 'object') return 'a mapping';
  return typeof given === 'bigint' ? `${given}n` : String(given);
}

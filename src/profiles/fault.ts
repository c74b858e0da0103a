import { KelpieError } from '../error.js';

/** The codes of what can be wrong with a profile. */
export type ProfileFaultCode =
  | 'PROFILE_SYNTAX'
  | 'PROFILE_UNKNOWN_FIELD'
  | 'PROFILE_MISSING_FIELD'
  | 'PROFILE_OUT_OF_RANGE'
  | 'PROFILE_BAD_TYPE'
  | 'PROFILE_INCONSISTENT'
  | 'PROFILE_UNKNOWN_BASE'
  | 'PROFILE_UNKNOWN_REFERENCE'
  | 'PROFILE_CYCLE';

/** One thing that is wrong with a profile, and where. */
export interface ProfileFault {
  readonly code: ProfileFaultCode;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** From 1. */
  readonly column: number;
  /** Path of the field, `constants.portGbps.value`; empty for the file as a whole. */
  readonly field: string;
  readonly problem: string;
  readonly given?: unknown;
  readonly allowed?: string;
}

/**
 * Everything that is wrong with a profile. `code`, `field`, `given` and `allowed` are those of the first fault;
 * `faults` has them all, in the order of their lines.
 */
export class ProfileError extends KelpieError {
  readonly faults: readonly ProfileFault[];

  constructor(faults: readonly ProfileFault[]) {
    const sorted = [...faults].sort((a, b) => a.line - b.line || a.column - b.column);
    const first = sorted[0];
    super(first.code, sorted.map(describe).join('\n'));
    this.faults = sorted;
    // The message has the details of every fault already; the base class would print the first one's again.
    Object.assign(this, { field: first.field, given: first.given, allowed: first.allowed });
  }
}

function describe(fault: ProfileFault): string {
  const where = `${fault.file}:${fault.line}:${fault.column}: `;
  const what = fault.field === '' ? fault.problem : `${fault.field}: ${fault.problem}`;
  const given = fault.given === undefined ? '' : `, given ${show(fault.given)}`;
  return `${where}${what}${given}${fault.allowed === undefined ? '' : `, allowed: ${fault.allowed}`} (${fault.code})`;
}

function show(given: unknown): string {
  const shown = typeof given === 'string' ? `'${given}'` : String(given);
  return shown.length > 80 ? `${shown.slice(0, 77)}...` : shown;
}

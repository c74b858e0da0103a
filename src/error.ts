/**
 * The one base class of every error that Kelpie raises on purpose.
 *
 * A caller switches on `code`, which is stable across releases; a person reads the message, which says what was
 * given, what is allowed and what to do next.
 *
 * @example
 * throw new KelpieError('PROFILE_OUT_OF_RANGE', 'the port is faster than its PCIe slot', {
 *   field: 'port.gbps', given: 400, allowed: '1 to 200',
 * });
 */
export class KelpieError extends Error {
  /** Stable, upper case, never reused for another meaning. */
  readonly code: string;
  /** What is wrong, without the details below. */
  readonly summary: string;
  /** The name of the offending field or argument, in the words of the caller. */
  readonly field?: string;
  /** What was given. */
  readonly given?: unknown;
  /** What would have been accepted, in words. */
  readonly allowed?: string;

  constructor(code: string, summary: string, detail: ErrorDetail = {}) {
    super(describe(summary, detail), detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'KelpieError';
    this.code = code;
    this.summary = summary;
    this.field = detail.field;
    this.given = detail.given;
    this.allowed = detail.allowed;
  }
}

/** Where an error lies: the field, the value that was given, the values that are allowed. */
export interface ErrorDetail {
  field?: string;
  given?: unknown;
  allowed?: string;
  cause?: unknown;
}

function describe(summary: string, detail: ErrorDetail): string {
  const { field, given, allowed } = detail;
  const value = given === undefined ? '' : `${field === undefined ? 'given' : ' is'} ${show(given)}`;
  const place = `${field ?? ''}${value}`;
  const parts = [place, allowed === undefined ? '' : `allowed: ${allowed}`].filter((part) => part !== '');
  if (parts.length === 0) return summary;
  // A question, 'did you mean hunt?', ends its sentence.
  if (summary.endsWith('?')) return `${summary} (${parts.join(', ')})`;
  return place === '' ? `${summary}, ${parts[0]}` : `${summary}; ${parts.join(', ')}`;
}

function show(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'object' && value !== null)
    return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? `${inner}n` : inner));
  return String(value);
}

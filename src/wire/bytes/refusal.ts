/** Why a decoder did not accept some bytes. Stable words: callers count and switch on them. */
export type RefusalReason =
  | 'truncated'
  | 'oversized'
  | 'bad-version'
  | 'bad-checksum'
  | 'bad-length'
  | 'bad-icrc'
  | 'bad-field'
  | 'fragmented'
  | 'reserved-bits'
  | 'unknown-opcode'
  | 'unknown-kind'
  | 'unsupported'
  | 'unsupported-address'
  | 'wrong-port'
  | 'wrong-protocol';

/**
 * The typed answer of a decoder to bytes it does not accept.
 *
 * Bytes from the network are hostile and arrive at line rate, so a refusal is a value and not an exception, and each
 * pair of header and reason has one shared instance: refusing allocates nothing.
 */
export class Refusal {
  /** What is wrong. */
  readonly reason: RefusalReason;
  /** The header that does not hold, such as `bth`. */
  readonly header: string;

  /** Use {@link refusal}, which shares instances. */
  constructor(header: string, reason: RefusalReason) {
    this.header = header;
    this.reason = reason;
    Object.freeze(this);
  }

  /** `bth: truncated` */
  toString(): string {
    return `${this.header}: ${this.reason}`;
  }
}

const interned = new Map<string, Refusal>();

/**
 * The one refusal of this header for this reason. Call it at module level and keep the result.
 *
 * @example
 * const TRUNCATED = refusal('bth', 'truncated');
 */
export function refusal(header: string, reason: RefusalReason): Refusal {
  const key = `${header} ${reason}`;
  let known = interned.get(key);
  if (known === undefined) {
    known = new Refusal(header, reason);
    interned.set(key, known);
  }
  return known;
}

/** Whether a decoder refused. */
export function isRefusal(value: unknown): value is Refusal {
  return value instanceof Refusal;
}

import { KelpieError } from '../../error.js';

/** Refuses to emit a value that its field cannot carry. */
export function outOfRange(field: string, given: unknown, allowed: string): never {
  throw new KelpieError('WIRE_FIELD_OUT_OF_RANGE', 'the value does not fit its field on the wire', {
    field,
    given,
    allowed,
  });
}

/** Checks that `value` is an integer from 0 to `maximum`. Name the field as `header.field`. */
export function requireAtMost(field: string, value: number, maximum: number): void {
  if (!(Number.isInteger(value) && value >= 0 && value <= maximum)) {
    outOfRange(field, value, `an integer from 0 to ${maximum}`);
  }
}

/** Checks that `value` is an unsigned integer of at most `bits` bits (1 to 53). */
export function requireBits(field: string, value: number, bits: number): void {
  requireAtMost(field, value, 2 ** bits - 1);
}

/** Checks that `value` is an unsigned bigint of at most 64 bits. */
export function requireBits64(field: string, value: bigint): void {
  if (!(typeof value === 'bigint' && value >= 0n && value <= 0xffff_ffff_ffff_ffffn)) {
    outOfRange(field, value, 'a bigint from 0n to 18446744073709551615n');
  }
}

/** Checks that `size` bytes have room in `bytes` from `offset` on. */
export function requireRoom(what: string, bytes: Uint8Array, offset: number, size: number): void {
  if (Number.isInteger(offset) && offset >= 0 && offset + size <= bytes.length) return;
  throw new KelpieError('WIRE_NO_ROOM', `the buffer has no room for the ${size} bytes of ${what}`, {
    field: 'offset',
    given: offset,
    allowed: bytes.length < size ? `a buffer of at least ${size} bytes` : `0 to ${bytes.length - size}`,
  });
}

/** Checks that `value` is a run of exactly `size` bytes. */
export function requireBytes(field: string, value: Uint8Array, size: number): void {
  if (!(value instanceof Uint8Array && value.length === size)) {
    outOfRange(field, value?.length, `${size} bytes`);
  }
}

import { KelpieError } from '../../../error.js';
import { VerbsError, type VerbsErrorCode, verbsErrno } from '../../error.js';
import type { WorkCompletion } from '../../work-completion.js';
import { checksum } from './pattern.js';

/** Fails the case: the provider does not keep the contract. */
export function broken(what: string, given?: unknown, allowed?: string): never {
  throw new KelpieError('CONTRACT_BROKEN', what, { given, allowed });
}

/** Fails the case unless the condition holds. */
export function expectThat(condition: boolean, what: string): void {
  if (!condition) broken(what);
}

/** Fails the case unless both are the same value (numbers, strings, booleans, big integers, identical objects). */
export function expectEqual<T>(actual: T, expected: T, what: string): void {
  if (!Object.is(actual, expected)) broken(what, show(actual), String(show(expected)));
}

/** Fails the case unless both lists hold the same values in the same order. */
export function expectList<T>(actual: readonly T[], expected: readonly T[], what: string): void {
  const same = actual.length === expected.length && expected.every((item, at) => Object.is(item, actual[at]));
  if (!same) broken(what, actual.map(show).join(' '), expected.map(show).join(' '));
}

/** Compares contents by checksum, then names the first byte that differs. */
export function expectBytes(actual: Uint8Array, expected: Uint8Array, what: string): void {
  expectEqual(actual.length, expected.length, `${what}: length`);
  if (checksum(actual) === checksum(expected)) return;
  const at = expected.findIndex((byte, index) => byte !== actual[index]);
  broken(`${what}: byte ${at} of ${expected.length} differs`, actual[at], String(expected[at]));
}

/** Compares those fields of a completion that are given. */
export function expectCompletion(
  actual: WorkCompletion,
  expected: Partial<WorkCompletion>,
  what: string,
): void {
  for (const [field, value] of Object.entries(expected)) {
    expectEqual<unknown>(actual[field as keyof WorkCompletion], value, `${what}: ${field} of the completion`);
  }
}

/** What else a refusal must say. */
export interface RefusalDetail {
  field?: string;
  badWrIndex?: number;
}

/** Fails the case unless the call is refused with this code, its errno and, where given, field and list position. */
export function expectRefused(
  code: VerbsErrorCode,
  call: () => unknown,
  detail: RefusalDetail = {},
): VerbsError {
  const error = thrownBy(call, code);
  expectEqual(error.code, code, `code of the refusal '${error.message}'`);
  expectEqual(error.errno, verbsErrno[code], 'errno of the refusal');
  if (detail.field !== undefined) expectEqual(error.field, detail.field, 'field of the refusal');
  if (detail.badWrIndex !== undefined)
    expectEqual(error.badWrIndex, detail.badWrIndex, 'badWrIndex of the refusal');
  return error;
}

/** Fails the case unless the call is refused with a {@link VerbsError}; gives it back. */
export function thrownBy(call: () => unknown, wanted = 'a refusal'): VerbsError {
  try {
    call();
  } catch (error) {
    if (error instanceof VerbsError) return error;
    broken(`the call threw something other than a VerbsError`, String(error), wanted);
  }
  broken('the call was accepted', undefined, wanted);
}

/** Fails the case unless the promise is refused with this code; gives the refusal back. */
export async function expectRejected(
  code: VerbsErrorCode,
  promise: Promise<unknown>,
  detail: RefusalDetail = {},
): Promise<VerbsError> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  return expectRefused(
    code,
    () => {
      if (outcome !== null) throw outcome.error;
    },
    detail,
  );
}

function show(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`;
  return typeof value === 'object' && value !== null ? '[object]' : value;
}

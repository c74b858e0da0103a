import { KelpieError } from '../error.js';

/** An error that crossed from one thread to another: plain data. */
export interface Failure {
  message: string;
  stack?: string;
  /** Of an error that Kelpie raised on purpose. */
  code?: string;
}

/** An error as a thread can send it. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, stack } = error;
  return { message, stack, ...(error instanceof KelpieError ? { code: error.code } : {}) };
}

/** The error again: one that was raised on purpose keeps its code and its text. */
export function errorOf({ message, stack, code }: Failure): Error {
  const error = code === undefined ? new Error(message) : new KelpieError(code, message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** Codes of what is right but cannot be done here, as the exit code 3 says. */
const CANNOT_RUN_CODES: ReadonlySet<string> = new Set([
  'CANNOT_RUN',
  'LINK_OPEN_FAILED',
  'NOT_ENOUGH_MEMORY',
]);

/** Whether an error says that the command could not run here. */
export function cannotRun({ code }: KelpieError): boolean {
  return CANNOT_RUN_CODES.has(code);
}

/**
 * What the system refused, in words: a full disk, a file that may not be written, memory that is not there. Null where
 * the error is none of that.
 */
export function systemRefusal(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && typeof syscall === 'string') return `the system refused: ${error.message}`;
  if (error instanceof RangeError && error.message === 'Array buffer allocation failed')
    return 'there is not enough memory';
  return null;
}

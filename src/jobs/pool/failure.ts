import { KelpieError } from '../../error.js';

/** An error that crosses from one thread to another: plain data. */
export interface Failure {
  message: string;
  stack?: string;
  /** Of an error that Kelpie raised on purpose. */
  code?: string;
  field?: string;
  allowed?: string;
}

/** An error as a thread can send it. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, stack } = error;
  const plain: Failure = stack === undefined ? { message } : { message, stack };
  if (!(error instanceof KelpieError)) return plain;
  const { code, field, allowed } = error;
  return {
    ...{ ...plain, code },
    ...(field === undefined ? {} : { field }),
    ...(allowed === undefined ? {} : { allowed }),
  };
}

/** The error again: one that was raised on purpose keeps its code, its text and what it says about the input. */
export function errorOf({ message, stack, code, field, allowed }: Failure): Error {
  // The message has the details already: nothing is added to it here.
  const error = code === undefined ? new Error(message) : new KelpieError(code, message);
  if (code !== undefined) Object.assign(error, { field, allowed });
  if (stack !== undefined) error.stack = stack;
  return error;
}

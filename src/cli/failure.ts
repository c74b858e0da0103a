import type { KelpieError } from '../error.js';

/** Codes of what is right but cannot be done here, as the exit code 3 says. */
const CANNOT_RUN_CODES: ReadonlySet<string> = new Set([
  'CANNOT_RUN',
  'LINK_OPEN_FAILED',
  'NOT_ENOUGH_MEMORY',
  'FOLDER_TAKEN',
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

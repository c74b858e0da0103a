import { closeSync, openSync, readdirSync, readSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { KelpieError } from '../error.js';
import { nearest } from '../schema/index.js';

/** Nobody writes more by hand; traces of a fabric's flows come near it. A device that never ends stops here. */
const MAX_BYTES = 2 ** 28;
const CHUNK_BYTES = 2 ** 16;

/** What the system says of a file that cannot be read, in words. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'this is a folder, not a file',
  EACCES: 'no permission to read this file',
  EPERM: 'no permission to read this file',
};

/** What an error about a file says. */
export interface TextFileNames {
  /** The flag, argument or field that named the file. */
  readonly field: string;
  /** The code of the error where it cannot be read. */
  readonly code: string;
  /** What it should be, as in 'a YAML or JSON file'. */
  readonly allowed: string;
}

/**
 * Reads a file that a user named, up to a bound.
 *
 * @example
 * const text = readTextFile('w.yaml', { field: 'workload', code: 'WORKLOAD_UNREADABLE', allowed: 'a YAML file' });
 */
export function readTextFile(file: string, { field, code, allowed }: TextFileNames): string {
  try {
    return readBounded(file);
  } catch (cause) {
    if (cause instanceof KelpieError) throw cause;
    const { code: errno = '', message } = cause as NodeJS.ErrnoException;
    const reason = REASONS[errno] ?? `this file cannot be read: ${message}`;
    const meant = errno === 'ENOENT' ? neighbourOf(file) : undefined;
    const summary = meant === undefined ? reason : `${reason}; did you mean ${meant}?`;
    throw new KelpieError(code, summary, { field, given: file, allowed, cause });
  }

  function readBounded(path: string): string {
    const descriptor = openSync(path, 'r');
    try {
      const chunks: Buffer[] = [];
      for (let bytes = 0; ; ) {
        const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
        const count = readSync(descriptor, chunk);
        if (count === 0) return Buffer.concat(chunks, bytes).toString('utf8');
        chunks.push(chunk.subarray(0, count));
        bytes += count;
        if (bytes > MAX_BYTES)
          throw new KelpieError(code, 'this file is too large', {
            ...{ field, given: path, allowed: `up to ${MAX_BYTES} bytes` },
          });
      }
    } finally {
      closeSync(descriptor);
    }
  }
}

/** The name beside a missing file that was probably meant. */
function neighbourOf(file: string): string | undefined {
  try {
    return nearest(basename(file), readdirSync(dirname(file)).slice(0, 1000));
  } catch {
    return undefined;
  }
}

/** Writes a file that a user named. */
export function writeTextFile(file: string, text: string, field: string): void {
  try {
    writeFileSync(file, text);
  } catch (cause) {
    throw new KelpieError('CANNOT_RUN', `this file cannot be written: ${(cause as Error).message}`, {
      field,
      given: file,
      allowed: 'a file in an existing folder, on a disk with free space',
      cause,
    });
  }
}

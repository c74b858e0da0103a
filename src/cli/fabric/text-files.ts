import { readFileSync, writeFileSync } from 'node:fs';
import { KelpieError } from '../../error.js';

/** Reads a file that a configuration or a flag names. */
export function readText(file: string, field: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new KelpieError('FABRIC_FILE', 'this file cannot be read', {
      field,
      given: file,
      allowed: 'a text file, relative to the configuration',
      cause,
    });
  }
}

/** Writes a file that a configuration or a flag names. */
export function writeText(file: string, text: string, field: string): void {
  try {
    writeFileSync(file, text);
  } catch (cause) {
    throw new KelpieError('CANNOT_RUN', 'this file cannot be written', {
      field,
      given: file,
      allowed: 'a file in a folder that exists',
      cause,
    });
  }
}

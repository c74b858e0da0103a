import { readTextFile } from '../../node/index.js';

/** Reads a file that a configuration or a flag names. */
export function readText(file: string, field: string): string {
  const allowed = 'a text file, relative to the configuration';
  return readTextFile(file, { field, code: 'FABRIC_FILE', allowed });
}

import { readFile } from 'node:fs/promises';
import { KelpieError } from '../../error.js';
import { parseWorkload, type Workload } from '../../workload/index.js';

/** Reads and checks a workload file. */
export async function readWorkload(file: string): Promise<Workload> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new KelpieError('WORKLOAD_UNREADABLE', 'the workload file cannot be read', {
      field: 'workload',
      given: file,
      allowed: 'a YAML or JSON file',
      cause,
    });
  }
  return parseWorkload(text, file);
}

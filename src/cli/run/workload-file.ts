import { readTextFile } from '../../node/index.js';
import { parseWorkload, type Workload } from '../../workload/index.js';

const NAMES = { field: 'workload', code: 'WORKLOAD_UNREADABLE', allowed: 'a YAML or JSON file' };

/** Reads and checks a workload file. */
export function readWorkload(file: string): Workload {
  return parseWorkload(readTextFile(file, NAMES), file);
}

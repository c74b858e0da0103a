import { readTextFile } from '../../node/index.js';
import { parseWorkload, refusedInFile, type Workload, WorkloadRefusedError } from '../../workload/index.js';

const NAMES = { field: 'workload', code: 'WORKLOAD_UNREADABLE', allowed: 'a YAML or JSON file' };

/** A workload and the file that it stands in. */
export interface WorkloadFile {
  readonly workload: Workload;
  /** Runs it; a field that the testbed refuses is named with its line. */
  inFile<Result>(run: () => Promise<Result>): Promise<Result>;
}

/** Reads and checks a workload file. */
export function readWorkload(file: string): Workload {
  return openWorkload(file).workload;
}

/** The same for one that is run. */
export function openWorkload(file: string): WorkloadFile {
  const text = readTextFile(file, NAMES);
  return {
    workload: parseWorkload(text, file),
    inFile: (run) =>
      run().catch((error) => {
        throw error instanceof WorkloadRefusedError ? refusedInFile(error, text, file) : error;
      }),
  };
}

import { azureTargets } from './targets/azure.js';
import { hostpingTargets } from './targets/hostping.js';
import { huskyTargets } from './targets/husky.js';
import { lamdaTargets } from './targets/lamda.js';
import { perfTargets } from './targets/perf.js';
import { srnicTargets } from './targets/srnic.js';
import type { Target } from './targets/target.js';

/** A row of a paper that the simulator does not run yet, and what it waits for. */
export interface PendingRow {
  id: string;
  paper: string;
  setting: string;
  reason: string;
}

/** For each row without code what it waits for. */
const waitsFor: Readonly<Record<string, string>> = {
  A3: 'a NIC that fences, and the storage protocol',
  L: "Lamda's engines",
};

/** Every row of the papers that `done` does not have. */
export function pendingRows(done: ReadonlySet<string>): PendingRow[] {
  const papers: readonly [string, readonly Target[]][] = [
    ['PeRF', perfTargets],
    ['Husky', huskyTargets],
    ['SRNIC', srnicTargets],
    ['Hostping', hostpingTargets],
    ['Lamda', lamdaTargets],
    ['Azure', azureTargets],
  ];
  const rows = papers.flatMap(([paper, targets]) =>
    targets
      .filter(({ id }) => !done.has(id))
      .map(({ id, setting }) => ({ id, paper, setting, reason: reasonOf(id) })),
  );
  return rows;
}

function reasonOf(id: string): string {
  return `waits for ${waitsFor[id] ?? waitsFor[id.replace(/\d+$/, '')] ?? 'later work'}`;
}

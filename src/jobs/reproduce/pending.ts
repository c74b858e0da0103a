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
  S3: 'the SRNIC device',
  S6: 'the comparison of loss recovery schemes',
  S7: 'the comparison of loss recovery schemes',
  S8: 'the SRNIC device',
  S9: 'the SRNIC device',
  S10: 'the SRNIC device',
  S14: 'the SRNIC device',
  S15: 'the SRNIC device',
  S16: 'the IRN device',
  S17: 'the SRNIC device',
  S18: 'the ledger of a conceptual NIC',
  S19: 'the SRNIC device',
  S21: 'the SRNIC device',
  S22: 'the SRNIC device',
  S23: 'the SRNIC device',
  S24: 'the SRNIC device',
  S25: 'the SRNIC device',
  S26: 'the comparison of loss recovery schemes',
  S27: 'the comparison of loss recovery schemes',
  S28: 'the comparison of loss recovery schemes',
  S29: 'the SRNIC device',
  S30: 'the SRNIC device',
  S31: 'the SRNIC device',
  S32: 'the SRNIC device',
  S35: "MELO's recovery",
  S36: 'the SRNIC device',
  S38: 'the SRNIC device',
  G8: 'a continuous loopback stream beside the probes',
  G10: 'service traffic on a server with a fault',
  G14: 'a history of sweeps',
  G15: 'slow start and transmit windows of queue pairs in the device',
  G16: 'background load on the links of a host',
  G17: 'background load on the links of a host',
  G18: 'the faults that G14 to G17 wait for',
  G19: 'the monitor of a host',
  G20: 'service traffic beside the probes',
  G21: 'marks of a receiver at the threshold of its buffer',
  G: 'collective operations over several hosts',
  A3: 'a NIC that fences, and the storage protocol',
  A5: 'a NIC that paces bursts, beside light ones in one fabric',
  A6: "the NIC's firmware queue of paced packets",
  A7: 'full and light NICs in one fabric',
  A26: 'a NIC that paces bursts, beside light ones in one fabric',
  A31: "Gen1's loss recovery in firmware, which is of the NIC: light NICs recover in a round trip",
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

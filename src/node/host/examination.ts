import { KelpieError } from '../../error.js';
import { describeHost, mergeFacts } from '../../host-import/index.js';
import type { HostExamination, HostExaminer, HostRequest } from '../../jobs/campaign/index.js';
import { type MeshFinding, median } from '../../jobs/ping/index.js';
import { collectHostFacts } from '../host-facts.js';
import { faultsOf } from './faults-of.js';
import { probeMesh } from './mesh.js';

/** What this machine says of itself, and how processes on it reach each other over software devices. */
export const examineHost: HostExaminer = async (request) => {
  const { admitted, notes } = await admissions();
  try {
    return { admitted, notes, ...(await reached(request)) };
  } catch (error) {
    if (request.signal?.aborted === true || !(error instanceof KelpieError)) throw error;
    const why = `processes: ${error.message}`;
    return { admitted, notes: [...notes, why], findings: [], smallUs: null, largeGbps: null };
  }
};

/** How processes of this machine reach each other. */
async function reached(
  request: HostRequest,
): Promise<Pick<HostExamination, 'findings' | 'smallUs' | 'largeGbps'>> {
  const { mesh, findings, largeBytes } = await probeMesh(request);
  const pairs = mesh.cells.flatMap((row, from) => row.filter((_, to) => to !== from));
  const times = (of: (cell: (typeof pairs)[number]) => readonly number[]) => {
    const all = pairs.flatMap(of);
    return all.length === 0 ? null : median(all);
  };
  const smallNs = times((cell) => cell.smallNs);
  const largeNs = times((cell) => cell.largeNs);
  return {
    findings: findings.map(inWords),
    smallUs: smallNs === null ? null : smallNs / 1000,
    largeGbps: largeNs === null ? null : (8 * largeBytes) / largeNs,
  };
}

function inWords({ kind, processes, evidence }: MeshFinding): string {
  return `${kind} ${processes.join(' to ')}: ${evidence.join(', ')}`;
}

/** What the machine's own programs admit to; nothing is known where it has no RNIC or no such programs. */
async function admissions(): Promise<{ admitted: readonly string[] | null; notes: readonly string[] }> {
  const { facts, skipped } = await collectHostFacts();
  const notes = skipped.map(({ source, why }) => `${source}: ${why}`);
  try {
    const description = describeHost(mergeFacts(facts));
    const admitted = description.observations.flatMap((each) => faultsOf(each, description));
    return { admitted: [...new Set(admitted)], notes };
  } catch (error) {
    return { admitted: null, notes: [...notes, (error as Error).message] };
  }
}

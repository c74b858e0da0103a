import { type MeshCell, type MeshFinding, median } from '../../../jobs/ping/index.js';
import type { MeshResult } from '../../../node/index.js';
import { formatTable } from '../../terminal.js';

const TITLES: Readonly<Record<MeshFinding['kind'], string>> = {
  unreachable: 'does not answer',
  'slow-process': 'is slower than the others',
  'slow-pair': 'is slower than other pairs',
};

/** A mesh for people: two tables, from the one that probes (rows) to the one that is written to, and what stands out. */
export function formatMesh({ mesh, findings, largeBytes, seconds }: MeshResult): string {
  const { names, cells } = mesh;
  const table = (cell: (each: MeshCell) => string) =>
    formatTable(
      [['', ...names], ...names.map((name, from) => [name, ...cells[from].map(cell)])],
      names.map((_, place) => place + 1),
    );
  return [
    findings.length === 0
      ? `${names.length} processes: none stands out\n`
      : `${findings.map(titleOf).join('; ')}\n`,
    '\nlatency, us, median; rows probe, columns are written to\n',
    table(({ smallNs }) => (smallNs.length === 0 ? '?' : (median(smallNs) / 1000).toFixed(0))),
    `\nGb/s of ${largeBytes / 2 ** 20} MiB, median\n`,
    table(({ largeNs }) => (largeNs.length === 0 ? '?' : ((8 * largeBytes) / median(largeNs)).toFixed(1))),
    ...findings.flatMap((finding, place) => [
      `\n${place + 1}. ${titleOf(finding)}\n`,
      ...finding.evidence.map((line) => `   - ${line}\n`),
      `   do: ${finding.advice}\n`,
    ]),
    `\n${seconds.toFixed(1)} s with starting the processes\n`,
  ].join('');
}

function titleOf({ kind, processes }: MeshFinding): string {
  const who = kind === 'slow-pair' ? processes.join(' to ') : processes.join(' or ');
  return `${who} ${TITLES[kind]}`;
}

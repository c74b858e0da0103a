import type { IpVersion } from './bench.js';
import type { InteropCase } from './cases/case.js';

/** Longer lists of rows are not repeated. */
const MOST_NAMED = 4;

/** What became of a case over one version of IP. */
export interface CaseResult {
  each: InteropCase;
  ip: IpVersion;
  /** Null where it holds. */
  error: string | null;
  remark: string;
  seconds: number;
}

function cell(result: CaseResult | undefined): string {
  if (result === undefined) return '–';
  return result.error === null ? 'green' : '**red**';
}

/** The results as a page of the documentation. Nothing in it changes from run to run while the results do not. */
export function renderTable(results: readonly CaseResult[], versions: readonly string[]): string {
  const groups = new Map<string, InteropCase[]>();
  for (const { each } of results) {
    const cases = groups.get(each.group) ?? [];
    if (!cases.includes(each)) cases.push(each);
    groups.set(each.group, cases);
  }
  const of = (each: InteropCase, ip: IpVersion) =>
    results.find((result) => result.each === each && result.ip === ip);
  const lines = [
    '# Interoperation with Linux',
    '',
    'What `npm run test:interop` found: the software device against `rdma_rxe`, the soft-RoCE of the Linux kernel, in a',
    'virtual machine. Ethernet frames go between the two over a pair of UDP sockets; Kelpie builds every header itself and',
    'verifies every ICRC in full. Each row is run over IPv4 and over IPv6 unless the end of this page says why not. "From" is',
    'the side whose requests the row is about; contents are compared on both sides. This page is written by the suite.',
    '',
    'Run it with `npm run test:interop`, a part of it with `npm run test:interop -- --only RNR --ip 4`, with a capture of every',
    "case with `--capture FOLDER`. The machine is built once from Debian's packages, which needs root, and kept in",
    "`KELPIE_INTEROP_CACHE` or the user's cache; running it needs no privileges. KVM is not used unless `KELPIE_INTEROP_ACCEL`",
    'says so.',
    '',
    'The peer:',
    '',
    ...versions.map((version) => `- ${version}`),
    '',
  ];
  for (const [group, cases] of groups) {
    lines.push(`## ${group}`, '', '| case | from | IPv4 | IPv6 |', '| --- | --- | --- | --- |');
    for (const each of cases)
      lines.push(`| ${each.name} | ${each.requester} | ${cell(of(each, 4))} | ${cell(of(each, 6))} |`);
    lines.push('');
  }
  const faults = [...new Set(results.filter(({ error }) => error !== null).map(({ each }) => each))];
  if (faults.length > 0) {
    lines.push('## What is red', '');
    for (const each of faults) {
      const failed = results.find((result) => result.each === each && result.error !== null);
      const why = each.kernelFault ?? `not explained yet: ${failed?.error?.split('\n')[0]}`;
      lines.push(`- ${each.name}, from ${each.requester}: ${why}`);
    }
    lines.push('');
  }
  lines.push(...ipv4Rows([...groups.values()].flat()));
  return lines.join('\n');
}

/** Why some rows are run over IPv4 alone. */
function ipv4Rows(cases: readonly InteropCase[]): string[] {
  const names = new Map<string, string[]>();
  for (const { ipv4Alone, name } of cases)
    if (ipv4Alone !== undefined) names.set(ipv4Alone, [...(names.get(ipv4Alone) ?? []), name]);
  if (names.size === 0) return [];
  const lines = [...names].map(([why, each]) => {
    const [short] = each.toSorted((one, other) => one.length - other.length);
    return each.length > MOST_NAMED
      ? `- ${each.length} rows, such as ${short}: ${why}`
      : `- ${each.join('; ')}: ${why}`;
  });
  return ['## What is run over IPv4 alone', '', ...lines, ''];
}

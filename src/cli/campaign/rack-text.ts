import type { RackSummary, RackWay } from '../../jobs/campaign/index.js';
import { formatTable } from '../terminal.js';

/** Hosts whose matrix fits a terminal; the page has all. */
const MOST_HOSTS = 10;

/** How hosts reach each other, for people: two matrices, and what stands out. */
export function formatRack({ hosts, ways, findings }: RackSummary): string {
  const failed = ways.filter(({ failure }) => failure !== undefined).length;
  const lines = [
    `ways between ${hosts.length} hosts: ${ways.length} probed, ${failed} failed, ${findings.length === 0 ? 'none stands out' : `${findings.length} findings`}\n`,
  ];
  for (const { kind, hosts: who, evidence, advice } of findings)
    lines.push(`  ${kind} ${who.join(' > ')}: ${evidence.join('; ')}. ${advice}\n`);
  if (hosts.length > MOST_HOSTS) return lines.join('');
  const matrix = (title: string, show: (way: RackWay) => string | undefined) => {
    const rows = hosts.map((from) => [
      from,
      ...hosts.map((to) => {
        const way = ways.find((each) => each.from === from && each.to === to);
        return way === undefined ? '' : (show(way) ?? 'failed');
      }),
    ]);
    return formatTable(
      [[title, ...hosts], ...rows],
      hosts.map((_, place) => place + 1),
    );
  };
  lines.push(
    matrix('us, from', ({ us }) => us?.toFixed(0)),
    matrix('Gb/s, from', ({ gbps }) => gbps?.toPrecision(3)),
  );
  return lines.join('');
}

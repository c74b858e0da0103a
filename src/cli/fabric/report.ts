import type { FabricAnswer } from '../../jobs/fabric/index.js';
import { formatTree, type Percentiles } from '../../models/fabric/index.js';
import { formatTable } from '../terminal.js';

/** The answer as text. */
export function formatAnswer(answer: FabricAnswer): string {
  const lines = [
    `${answer.finished} of ${answer.flows} flows done, ${answer.dataPackets} data packets, ${answer.packetHops} packet-hops`,
    `${answer.drops} dropped, ${answer.lost} lost on links, ${answer.timeouts} timeouts, ${answer.pauseFrames} pauses, ${answer.resumeFrames} resumes, ${answer.marks} marks`,
  ];
  if (answer.cutOff > 0)
    lines.push(`${answer.cutOff} flows have no path any more: the links that failed stay down`);
  for (const { timeNs, from, to, trafficClass, kind } of answer.watchdog.slice(0, SHOWN_EVENTS))
    lines.push(
      `watchdog: ${kind} on ${from} to ${to}, class ${trafficClass}, at ${(timeNs / 1e6).toFixed(3)} ms`,
    );
  if (answer.deadlock !== null)
    lines.push(`deadlock at ${micro(answer.deadlock.timeNs)} us: ${answer.deadlock.circle}`);
  if (answer.partial) lines.push('interrupted: results so far');
  if (answer.completionNs === null || answer.slowdown === null) return `${lines.join('\n')}\n`;
  const { mean, max } = answer.completionNs;
  lines.push(`completion time: mean ${micro(mean)} us, longest ${micro(max)} us`);
  const rows = [
    ['bytes', 'flows', 'slowdown: p50', 'p95', 'p99', 'max'],
    ...answer.bySize.map(({ fromBytes, toBytes, slowdown }) => [
      fromBytes === toBytes ? String(fromBytes) : `${fromBytes} to ${toBytes}`,
      ...cells(slowdown),
    ]),
    ['all', ...cells(answer.slowdown)],
  ];
  return `${lines.join('\n')}\n\n${formatTable(rows, [1, 2, 3, 4, 5])}\n${busiest(answer)}${trees(answer)}`;
}

function cells({ count, p50, p95, p99, max }: Percentiles): string[] {
  return [String(count), ...[p50, p95, p99, max].map((value) => (value === null ? '-' : value.toFixed(2)))];
}

function micro(ns: number): string {
  return (ns / 1000).toFixed(3);
}

/** Events of watchdogs that are printed. */
const SHOWN_EVENTS = 10;
/** Lines of pause trees that are printed. */
const SHOWN_HELD = 12;
/** Links that people look at first. */
const SHOWN_LINKS = 5;

/** How pauses had spread when most ports were held; the first lines of it. */
function trees({ pauseTrees }: FabricAnswer): string {
  if (pauseTrees.length === 0) return '';
  const all = pauseTrees.flatMap((tree) => formatTree(tree).trimEnd().split('\n'));
  const more = all.length > SHOWN_HELD ? [`and ${all.length - SHOWN_HELD} more: --report has them`] : [];
  return `\nmost pauses at one time; each port holds those below it\n${[...all.slice(0, SHOWN_HELD), ...more].join('\n')}\n`;
}

function busiest({ links }: FabricAnswer): string {
  const rows = [
    ['busiest links', 'rate Gb/s', 'used', 'paused us', 'largest queue KB'],
    ...links
      .slice(0, SHOWN_LINKS)
      .map(({ from, to, gbps, utilisation, pausedNs, peakQueueBytes }) => [
        `${from} to ${to}`,
        String(gbps),
        `${(utilisation * 100).toFixed(1)} %`,
        micro(pausedNs),
        (peakQueueBytes / 1000).toFixed(1),
      ]),
  ];
  return formatTable(rows, [1, 2, 3, 4]);
}

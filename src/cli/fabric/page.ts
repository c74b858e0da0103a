import type { FabricAnswer, LinkUse, Sample } from '../../jobs/fabric/index.js';
import { formatTree, type Percentiles, type Topology } from '../../models/fabric/index.js';
import { escapeHtml } from '../../report/html.js';
import { htmlPage } from '../html-page.js';
import { svgChart } from '../hunt/chart.js';
import { heatMap } from './heat-map.js';

/** Links that the table lists. */
const LISTED_LINKS = 40;

/** A run on one page that needs no other file: summary, slowdown by size, queues and pauses over time, heat map. */
export function fabricPage(
  title: string,
  topology: Topology,
  answer: FabricAnswer,
  links: readonly LinkUse[],
): string {
  const { finished, flows, simulatedNs, dataPackets, packetHops } = answer;
  return htmlPage(`Fabric ${title}`, [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p>${finished} of ${flows} flows done in ${(simulatedNs / 1e6).toFixed(3)} ms${answer.partial ? ', interrupted' : ''}: ${dataPackets} data packets, ${packetHops} packet-hops, ${answer.drops} dropped, ${answer.lost} lost on links, ${answer.pauseFrames} pauses, ${answer.marks} marks, ${answer.timeouts} timeouts.</p>`,
    '<h2>Slowdown by size</h2>',
    slowdownTable(answer),
    '<h2>Queues over time</h2>',
    queueChart(answer.series),
    '<h2>Pauses over time</h2>',
    ...(answer.series.some(({ pausedLanes }) => pausedLanes > 0) ? [pauseChart(answer.series)] : []),
    answer.pauseTrees.length === 0
      ? '<p>Nothing was held.</p>'
      : `<p>How pauses had spread when most was held; each port holds those below it.</p><pre>${answer.pauseTrees.map((tree) => escapeHtml(formatTree(tree))).join('')}</pre>`,
    ...(answer.deadlock === null
      ? []
      : [
          `<p><strong>Deadlock</strong> at ${(answer.deadlock.timeNs / 1000).toFixed(1)} us: ${escapeHtml(answer.deadlock.circle)}.</p>`,
        ]),
    '<h2>Use of links</h2>',
    heatMap(topology, links),
    linkTable(answer.links),
  ]);
}

function slowdownTable({ bySize, slowdown }: FabricAnswer): string {
  if (slowdown === null) return '<p>No flow ended.</p>';
  const row = (name: string, { count, p50, p95, p99, max }: Percentiles) =>
    `<tr><td>${name}</td>${[count, ...[p50, p95, p99, max].map((each) => each?.toFixed(2) ?? '-')].map((cell) => `<td class="n">${cell}</td>`).join('')}</tr>`;
  const rows = bySize.map((each) => row(`${each.fromBytes} to ${each.toBytes}`, each.slowdown));
  return `<table><tr><th>bytes</th><th>flows</th><th>p50</th><th>p95</th><th>p99</th><th>max</th></tr>${rows.join('')}${row('all', slowdown)}</table>`;
}

function queueChart(series: readonly Sample[]): string {
  return svgChart('ms', 'bytes', [
    {
      name: 'all switches',
      colour: '#06c',
      points: series.map(({ timeNs, queuedBytes }) => [timeNs / 1e6, queuedBytes]),
    },
    {
      name: 'fullest port',
      colour: '#c30',
      points: series.map(({ timeNs, largestQueueBytes }) => [timeNs / 1e6, largestQueueBytes]),
    },
  ]);
}

function pauseChart(series: readonly Sample[]): string {
  return svgChart('ms', 'ports and classes held', [
    {
      name: 'held',
      colour: '#c30',
      points: series.map(({ timeNs, pausedLanes }) => [timeNs / 1e6, pausedLanes]),
    },
  ]);
}

function linkTable(links: readonly LinkUse[]): string {
  const rows = links
    .slice(0, LISTED_LINKS)
    .map(({ from, to, gbps, utilisation, pausedNs, peakQueueBytes }) => {
      const cells = [
        gbps,
        `${(utilisation * 100).toFixed(1)} %`,
        (pausedNs / 1000).toFixed(1),
        peakQueueBytes,
      ];
      return `<tr><td>${escapeHtml(`${from} to ${to}`)}</td>${cells.map((cell) => `<td class="n">${cell}</td>`).join('')}</tr>`;
    });
  return `<table><tr><th>link</th><th>Gb/s</th><th>used</th><th>paused us</th><th>largest queue</th></tr>${rows.join('')}</table>`;
}

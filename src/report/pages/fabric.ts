import type { FabricAnswer, CableUse, Sample } from '../../jobs/fabric/index.js';
import { formatTree, type Percentiles, type Topology } from '../../models/fabric/index.js';
import { type Html, html, NOTHING } from '../html.js';
import { type Line, lineChart } from '../line-chart.js';
import { linkMap } from '../link-map.js';
import { reportPage } from '../page.js';
import { card, items, numberCell, sortable } from '../parts.js';

/** Links that stand on the page at once, and those behind a line below them. */
const SHOWN_LINKS = 10;
/** Links that the tables list. */
const LISTED_LINKS = 40;
const KB = 1000;

/** A run of a fabric as a report: what became of its flows, slowdown by size, queues and pauses over time, its links. */
export function fabricPage(
  { title, topology, command }: { title: string; topology: Topology; command: string },
  answer: FabricAnswer,
  links: readonly CableUse[],
): string {
  const { finished, flows, simulatedNs, drops, lost, partial, deadlock } = answer;
  const well = finished === flows && drops === 0 && deadlock === null;
  return reportPage({
    title: `Fabric ${title}: ${finished} of ${flows} flows done`,
    job: `kelpie fabric · ${title}`,
    mood: partial ? 'warn' : well ? 'ok' : 'bad',
    headline: headlineOf(answer),
    lead: [
      ...(partial ? ['Interrupted: results so far.'] : []),
      ...(deadlock === null
        ? []
        : [`Deadlock at ${(deadlock.timeNs / 1000).toFixed(1)} µs: ${deadlock.circle}.`]),
      ...(answer.cutOff === 0 ? [] : [`${answer.cutOff} flows have no path any more.`]),
      worstLine(answer),
    ].join(' '),
    facts: [
      { name: 'simulated, ms', value: (simulatedNs / 1e6).toFixed(3) },
      { name: 'data packets', value: answer.dataPackets.toLocaleString('en') },
      { name: 'dropped', value: drops.toLocaleString('en') },
      { name: 'lost on links', value: lost.toLocaleString('en') },
      { name: 'pauses', value: answer.pauseFrames.toLocaleString('en') },
      { name: 'timeouts', value: answer.timeouts.toLocaleString('en') },
    ],
    command,
    body: [
      card('Slowdown by size', slowdownTable(answer)),
      card('Over time', overTime(answer.series)),
      ...(answer.pauseTrees.length === 0
        ? []
        : [
            card(
              'How pauses spread',
              html`<p class="small muted">At the moment when most ports were held; each port holds those below it.</p><pre tabindex="0">${answer.pauseTrees.map((tree) => formatTree(tree)).join('')}</pre>`,
            ),
          ]),
      ...(answer.watchdog.length === 0
        ? []
        : [
            card(
              'Watchdogs',
              items(
                answer.watchdog.map(
                  ({ timeNs, from, to, trafficClass, kind }) =>
                    `${(timeNs / 1000).toFixed(1)} µs: ${kind} at ${from} to ${to}, class ${trafficClass}`,
                ),
              ),
            ),
          ]),
      card(
        'Use of links, busier direction',
        linkMap(topology, links),
        linkTable(answer.links, answer.linkDirections),
      ),
    ],
  });
}

function headlineOf({ finished, flows, drops, deadlock, lastEndNs }: FabricAnswer): string {
  if (deadlock !== null) return `The fabric deadlocks: ${finished} of ${flows} flows ended`;
  const when = `${(lastEndNs / 1e6).toFixed(3)}\u00a0ms`;
  const done =
    finished === flows ? `All ${flows} flows ended within ${when}` : `${finished} of ${flows} flows ended`;
  return drops === 0
    ? `${done}; no packet was dropped`
    : `${done}; ${drops.toLocaleString('en')} packets were dropped`;
}

function worstLine({ slowdown }: FabricAnswer): string {
  if (slowdown === null) return 'No flow ended.';
  const { p50, p99, max } = slowdown;
  const tail =
    p99 === null || p99 === undefined ? `at worst ${max?.toFixed(1) ?? '–'}` : `p99 ${p99.toFixed(1)}`;
  return `A flow takes ${p50?.toFixed(1) ?? '–'} times as long as alone (median), ${tail}.`;
}

function slowdownTable({ bySize, slowdown }: FabricAnswer): Html {
  if (slowdown === null) return html`<p class="dim">No flow ended.</p>`;
  const row = (name: string, { count, p50, p95, p99, max }: Percentiles) => [
    name,
    { text: count.toLocaleString('en'), value: count },
    ...[p50, p95, p99, max].map((each) => numberCell(each)),
  ];
  const rows = [...bySize.map((each) => row(rangeOf(each), each.slowdown)), row('all', slowdown)];
  return sortable('Slowdown by size', ['bytes', 'flows', 'p50', 'p95', 'p99', 'max'], rows, [1, 2, 3, 4, 5]);
}

function rangeOf({ fromBytes, toBytes }: { fromBytes: number; toBytes: number }): string {
  const [from, to] = [fromBytes, toBytes].map((bytes) => bytes.toLocaleString('en'));
  return from === to ? from : `${from} to ${to}`;
}

function overTime(series: readonly Sample[]): Html {
  const line = (name: string, colour: number, value: (sample: Sample) => number): Line => ({
    ...{ name, colour },
    points: series.map((sample) => [sample.timeNs / 1e6, value(sample)]),
  });
  const paused = series.some(({ pausedLanes }) => pausedLanes > 0);
  const charts = [
    lineChart({
      title: 'waiting in switches, KB',
      xTitle: 'ms',
      lines: [
        line('all switches', 1, ({ queuedBytes }) => queuedBytes / KB),
        { ...line('fullest port', 4, ({ largestQueueBytes }) => largestQueueBytes / KB), dashed: true },
      ],
    }),
    paused
      ? lineChart({
          title: 'held by pauses, ports and classes',
          xTitle: 'ms',
          lines: [line('held', 2, ({ pausedLanes }) => pausedLanes)],
        })
      : html`<p class="small muted">No port was held by a pause.</p>`,
  ];
  return series.length === 0
    ? NOTHING
    : html`<div class="charts">${charts}</div><p class="xs dim">The maximum of each interval.</p>`;
}

function linkTable(links: readonly CableUse[], directions: number): Html {
  const rows = links
    .slice(0, LISTED_LINKS)
    .map(({ from, to, gbps, utilisation, pausedNs, peakQueueBytes }) => [
      `${from} to ${to}`,
      numberCell(gbps, 0),
      { text: `${(utilisation * 100).toFixed(1)} %`, value: utilisation },
      numberCell(pausedNs / 1000, 1),
      numberCell(peakQueueBytes / KB, 1),
    ]);
  const head = ['link', 'rate, Gb/s', 'used', 'paused, µs', 'largest queue, KB'];
  const more = rows.slice(SHOWN_LINKS);
  return html`<p class="small muted">The busiest ${Math.min(rows.length, SHOWN_LINKS)} of ${directions} directions.</p>${sortable('Links', head, rows.slice(0, SHOWN_LINKS), [1, 2, 3, 4])}${more.length === 0 ? NOTHING : html`<details><summary>The next ${more.length}</summary>${sortable('More links', head, more, [1, 2, 3, 4])}</details>`}`;
}

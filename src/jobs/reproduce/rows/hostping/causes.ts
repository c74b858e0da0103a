import {
  type CheckUp,
  checkUp,
  type HealthyTwin,
  LinkMemory,
  linkStatesOf,
  Monitor,
  openServer,
  parseFault,
  parseService,
} from '../../../ping/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must, outside } from '../../check.js';
import type { RowSpec } from '../../row.js';
import { DEVICE, PROBES, twinOf } from './sweeps.js';

const HOST = 'hostping';
const FACTS = [
  'by a check-up: links watched, loopback probes, settings read, second stage where the cause is open',
  'service traffic is load on the links between an RNIC and the memory next to it',
];
/** Service traffic of the RNICs that the paper has busy. */
const BUSY = ['rnic0=0.6', 'rnic2=0.6'];
/** More runs than it should take until a link is called flapping. */
const MOST_RUNS = 6;

/** A bottleneck of §6: what is injected, whether RNICs are busy, and what must be named. */
interface Bottleneck {
  readonly fault: string;
  readonly links: readonly string[];
  readonly busy?: boolean;
}

/** The twelve of §6 in their order, less the sixth, which needs a history. */
const BOTTLENECKS: readonly Bottleneck[] = [
  { fault: 'pcie-width@rnic1', links: ['rnic1-up'] },
  { fault: 'pcie-width@gpu4', links: ['gpu4-up'] },
  { fault: 'memory-channel@memory0', links: ['memory0-up'] },
  { fault: 'upi-degraded@socket0-socket1', links: ['socket0-socket1'] },
  { fault: 'root-port@switch0', links: ['switch0-up'] },
  { fault: 'acs@switch1', links: ['gpu2-up', 'gpu3-up'] },
  { fault: 'ats-off@rnic0', links: ['rnic0-up', 'gpu0-up', 'gpu1-up'] },
  { fault: 'slow-start@rnic1', links: ['rnic1-up'] },
  { fault: 'tx-window@rnic1', links: ['rnic1-up'] },
  { fault: 'load-upi@socket0-socket1', links: ['socket0-socket1'], busy: true },
  { fault: 'load-memory@memory0', links: ['memory0-up'], busy: true },
];

/** Hostping's rows that are about causes. */
export const causeRows: Readonly<Record<string, RowSpec>> = {
  G8: {
    unit: 'estimate over sustained',
    facts: [
      'all ten paths of one RNIC; sustained: 16 messages of 1 MiB over one queue pair, the second half',
    ],
    run: async (bench, target) => {
      const { plan, baseline } = await twinOf(bench, HOST);
      const server = await openServer({ host: HOST, device: DEVICE, seed: bench.seed }, [], PROBES);
      const ratios: number[] = [];
      for (const [path, { rnic, endpoint }] of plan.paths.entries()) {
        if (rnic !== plan.rnics[0]) continue;
        const [sustained] = await server.stream([{ rnic, from: endpoint, to: endpoint, queuePairs: 1 }]);
        ratios.push(baseline.paths[path].gbps / sustained);
      }
      await server.close();
      const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
      return conclude({ least: figures(least), most: figures(most) }, [
        outside('the least', least, 1, target.tolerance!),
        outside('the most', most, 1, target.tolerance!),
      ]);
    },
  },
  G14: {
    unit: 'runs',
    facts: ['a channel of memory0 that is slow for half of every half of a sweep'],
    run: async (bench, target) => {
      const runs = await runsUntilFlapping(bench);
      return conclude(runs, [must(runs === target.value, `it takes ${runs} runs`)]);
    },
  },
  G15: {
    unit: 'causes named',
    facts: FACTS,
    run: async (bench) => {
      const twin = await twinOf(bench, HOST);
      const start = await checked(bench, twin, { fault: 'slow-start@rnic1', links: [] });
      const window = await checked(bench, twin, { fault: 'tx-window@rnic1', links: [] });
      const rowLow = ({ statuses }: CheckUp) =>
        twin.plan.paths.every(
          ({ rnic }, path) => (rnic === 'rnic1') === (statuses[path].state === 'abnormal'),
        );
      return conclude({ 'slow start': said(start), 'Tx window': said(window) }, [
        must(rowLow(start), 'with slow start not just the row of the RNIC is low'),
        must(said(start) === 'slow-start@rnic1-up', 'slow start is not named'),
        must(said(window) === 'tx-window@rnic1-up', 'the Tx window is not named'),
      ]);
    },
  },
  G16: overloadRow('load-upi@socket0-socket1', 'socket0-socket1'),
  G17: overloadRow('load-memory@memory0', 'memory0-up'),
  G18: {
    unit: 'of twelve',
    facts: [...FACTS, 'the flapping channel as in G14'],
    run: async (bench, target) => {
      const twin = await twinOf(bench, HOST);
      const counts = { found: 0, link: 0, cause: 0 };
      const wrong: string[] = [];
      for (const bottleneck of BOTTLENECKS) {
        const result = await checked(bench, twin, bottleneck);
        const { findings } = result.diagnosis;
        const links =
          findings.length === 1 && findings[0].links.every((each) => bottleneck.links.includes(each));
        const cause = findings.length === 1 && findings[0].cause === bottleneck.fault.split('@')[0];
        if (findings.length > 0) counts.found++;
        if (links) counts.link++;
        if (cause) counts.cause++;
        if (!links || !cause) wrong.push(`${bottleneck.fault}: ${said(result)}`);
      }
      const flapping = (await runsUntilFlapping(bench)) < MOST_RUNS;
      if (flapping) for (const name of ['found', 'link', 'cause'] as const) counts[name]++;
      else wrong.push('the flapping channel');
      const paper = target.value as readonly number[];
      const all = [counts.found, counts.link, counts.cause].every((count, place) => count === paper[place]);
      return conclude(counts, [must(all, wrong.join('; '))]);
    },
  },
  G19: {
    unit: 'runs',
    facts: [
      'a host as its counters show it, second by second; 3.1 % of pauses and one drop, with all RNICs busy',
    ],
    run: async () => {
      const sample = (loadShare: number, pauseShare = 0, drops = 0) => ({
        rnics: [{ rnic: 'rnic0', loadShare, pauseShare, drops }],
        gpusIdle: true,
      });
      const ran = (loads: readonly ReturnType<typeof sample>[]) => {
        const monitor = new Monitor();
        return loads.flatMap((each, second) =>
          monitor.decide(1000 * second, each).act === 'run' ? [second] : [],
        );
      };
      const hour = Array.from({ length: 3600 }, () => sample(0.06));
      const busy = ran(hour).length;
      const idle = ran(Array.from({ length: 3600 }, () => sample(0.04))).length;
      const paused = ran(hour.map((each, second) => (second === 100 ? sample(0.6, 0.031) : each)));
      const dropped = ran(hour.map((each, second) => (second === 200 ? sample(0.6, 0, 1) : each)));
      const calm = ran(hour.map((each, second) => (second === 100 ? sample(0.6, 0.029) : each)));
      return conclude(
        { 'an hour at 6 %': busy, 'at 4 %': idle, paused: paused.length, dropped: dropped.length },
        [
          must(busy === 0, 'it runs above 5 % load'),
          must(idle === 12, 'it does not run every five minutes when idle'),
          must(paused.join() === '100', 'it does not run in the second of the pauses'),
          must(dropped.join() === '200', 'it does not run in the second of the drop'),
          must(calm.length === 0, 'it runs below 3 % of pauses'),
        ],
      );
    },
  },
};

function overloadRow(fault: string, link: string): RowSpec {
  return {
    unit: 'link and cause',
    facts: [...FACTS, 'rnic0 and rnic2 are busy at 60 %; others take 95 % of it'],
    run: async (bench) => {
      const twin = await twinOf(bench, HOST);
      const result = await checked(bench, twin, { fault, links: [link], busy: true });
      const [first] = result.diagnosis.binary.suspects;
      const most = first?.links.map((each) => twin.plan.links[each].name).join(' or ') ?? 'none';
      return conclude({ 'most accused': most, said: said(result) }, [
        must(most === link, `the most accused is ${most}`),
        must(said(result) === `${fault.split('@')[0]}@${link}`, `it says ${said(result)}`),
      ]);
    },
  };
}

function said({ diagnosis: { findings } }: CheckUp): string {
  return findings.map(({ cause, links }) => `${cause}@${links.join(' or ')}`).join(', ') || 'nothing';
}

async function checked(
  { seed }: Bench,
  twin: HealthyTwin,
  { fault, busy = false }: Bottleneck,
): Promise<CheckUp> {
  const service = busy ? BUSY.flatMap((text) => parseService(text, twin.plan, twin.portGbps)) : [];
  const injected = [parseFault(fault, twin.plan).description, ...service];
  const server = await openServer({ host: HOST, device: DEVICE, seed }, injected, PROBES);
  const result = await checkUp(server, twin);
  await server.close();
  return result;
}

/**
 * Runs until a memory channel that flaps is called so. It is slow for half of each half of a sweep, so that in every run
 * two of the four RNICs see it slow and two prove it good.
 */
async function runsUntilFlapping(bench: Bench): Promise<number> {
  const twin = await twinOf(bench, HOST);
  const choice = { host: HOST, device: DEVICE, seed: bench.seed };
  const healthy = await openServer(choice, [], PROBES);
  const { elapsedNs } = (await healthy.sweep()).cost;
  await healthy.close();
  const { description } = parseFault('memory-channel@memory0:0.12', twin.plan);
  const schedule = { for: Math.round(elapsedNs / 4), every: Math.round(elapsedNs / 2) };
  const server = await openServer(choice, [{ ...description, ...schedule }], PROBES);
  const memory = new LinkMemory(twin.plan);
  const link = twin.plan.links.findIndex(({ name }) => name === 'memory0-up');
  let runs = 0;
  do {
    const { statuses, diagnosis } = await checkUp(server, twin);
    memory.add(linkStatesOf(twin.plan, statuses, diagnosis));
    runs++;
  } while (!memory.isFlapping(link) && runs < MOST_RUNS);
  await server.close();
  return runs;
}

// What a fabric costs: `npm run bench:fabric [-- --json] [--check] [--only NAME]`. Every run is a process of its own, from
// the start of Node to its end: processor time of all threads, and the most memory that it had. The best of three counts.
// Where there are processors for it the largest is run on four threads, too, and what counts is how long one waits.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Random } from '../src/engine/index.js';
import {
  type ControlName,
  Fabric,
  type FabricSpec,
  type FlowSpec,
  fatTree,
  permutation,
  poisson,
  presetBuffer,
  presetControl,
  presetMarking,
  presetNic,
  publishedDistribution,
  type Topology,
  threeTiers,
} from '../src/models/fabric/index.js';
import { type Row, report } from './report.js';

const TRIES = 3;
const THREADS = 4;
/** This many times faster than one thread. */
const THREADS_BAR = 2;
const LARGEST = 'permutation, 8,192 hosts';
const HOST = { gbps: 100, delayNs: 1000 };
const KIND = { trafficClass: 3, dport: 100 };

interface Run {
  readonly spec: () => FabricSpec;
  /** Processor seconds and megabytes that it may take. */
  readonly seconds: number;
  readonly megabytes?: number;
}

interface Outcome {
  readonly seconds: number;
  /** From the start of the process to the end of the run. */
  readonly wallSeconds: number;
  readonly megabytes: number;
  readonly hops: number;
  readonly flows: number;
}

const RUNS: Readonly<Record<string, Run>> = {
  'WebSearch 1 ms, 320 hosts': { spec: webSearch, seconds: 2.5, megabytes: 120 },
  'permutation, 1,024 hosts': { spec: () => permutationOn(16, 1), seconds: 2.5 },
  [LARGEST]: { spec: () => permutationOn(32, 12), seconds: 35, megabytes: 400 },
};

/** HPCC's three-tier tree at a load of 30 %, DCQCN, ns-3's order and coins. */
function webSearch(): FabricSpec {
  const options = { pods: 5, leavesPerPod: 4, spinesPerPod: 4, hostsPerLeaf: 16, cores: 16 };
  const topology = threeTiers({ ...options, host: HOST, fabric: { gbps: 400, delayNs: 1000 } });
  const flows = poisson(
    {
      hosts: hostsOf(topology),
      sizes: publishedDistribution('websearch')!,
      load: 0.3,
      hostBps: HOST.gbps * 1e9,
      startNs: 0,
      durationNs: 1e6,
      ...KIND,
    },
    new Random(1),
  );
  return {
    ...specOf('dcqcn', topology, flows, 1000),
    order: 'ns3',
    rng: 'ns3',
  };
}

/** A fat tree of switches with this many ports; 2 MB from each host to one other, in packets of 4,000 bytes. */
function permutationOn(ports: number, partitions: number): FabricSpec {
  const topology = fatTree({ ports, host: HOST });
  const flows = permutation(
    { hosts: hostsOf(topology), bytes: 2_000_000, startNs: 0, ...KIND },
    new Random(1),
  );
  const spec = specOf('dcqcn', topology, flows, 4000);
  return partitions === 1
    ? { ...spec, order: 'ns3', rng: 'own' }
    : { ...spec, order: 'canonical', rng: 'own', partitions };
}

function specOf(
  control: ControlName,
  topology: Topology,
  flows: FlowSpec[],
  payloadBytes: number,
): Omit<FabricSpec, 'order' | 'rng'> {
  const terms = { nicBps: HOST.gbps * 1e9, nicDelayNs: HOST.delayNs, payloadBytes };
  return {
    topology,
    flows,
    nic: presetNic(control, terms),
    control: presetControl(control, terms),
    buffer: presetBuffer(terms),
    marking: presetMarking(control, topology),
    globalRtt: true,
    visits: 'descending',
    rounding: 'ns3',
    seed: 1,
    commonLossRate: 0,
  };
}

function hostsOf({ nodes, isSwitch }: Topology): number[] {
  return Array.from({ length: nodes }, (_, node) => node).filter((node) => isSwitch[node] === 0);
}

/** Loaded only where there are threads: all of `kelpie/node` takes longer to load than a small fabric to run. */
async function openThreads(spec: FabricSpec, threads: number) {
  const { openFabricThreads } = await import('../src/node/index.js');
  return openFabricThreads(spec, threads);
}

/** The process of one run: prints what it took as JSON. */
async function simulate(name: string, threads: number): Promise<void> {
  const spec = RUNS[name].spec();
  const fabric = threads === 1 ? new Fabric(spec) : await openThreads(spec, threads);
  await fabric.run(1e12);
  const { hops } = fabric.totals;
  if (fabric.finishedFlows !== fabric.flows.count) throw new Error(`${name}: flows did not end`);
  const wallSeconds = performance.now() / 1000;
  await fabric.end();
  const { user, system } = process.cpuUsage();
  const outcome: Outcome = {
    seconds: (user + system) / 1e6,
    wallSeconds,
    megabytes: process.resourceUsage().maxRSS / 1024,
    hops,
    flows: fabric.flows.count,
  };
  process.stdout.write(JSON.stringify(outcome));
}

function measure(name: string, threads = 1): Outcome {
  const self = fileURLToPath(import.meta.url);
  const tries = Array.from({ length: TRIES }, () => {
    const { stdout, status } = spawnSync(process.execPath, [self, '--run', name, String(threads)], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`${name}: the run ended with ${status}`);
    return JSON.parse(stdout) as Outcome;
  });
  return {
    ...tries[0],
    seconds: Math.min(...tries.map(({ seconds }) => seconds)),
    wallSeconds: Math.min(...tries.map(({ wallSeconds }) => wallSeconds)),
    megabytes: Math.min(...tries.map(({ megabytes }) => megabytes)),
  };
}

/** How much sooner a run ends on several threads than on one. */
function threadRows(name: string, alone: Outcome): Row[] {
  if (availableParallelism() < THREADS) {
    console.error(
      `${name} on ${THREADS} threads: skipped, as there are ${availableParallelism()} processors`,
    );
    return [];
  }
  const together = measure(name, THREADS);
  const faster = alone.wallSeconds / together.wallSeconds;
  return [
    { name: `${name}: until it ends, 1 thread`, value: alone.wallSeconds, unit: 's' },
    {
      name: `${name}: until it ends, ${THREADS} threads`,
      value: together.wallSeconds,
      unit: 's',
      ratioTo: { '1 thread': faster, bar: faster / THREADS_BAR },
    },
    { name: `${name}: memory, ${THREADS} threads`, value: together.megabytes, unit: 'MiB' },
  ];
}

function main(args: readonly string[]): void {
  const only = args.includes('--only') ? args[args.indexOf('--only') + 1] : '';
  const rows: Row[] = [];
  for (const [name, run] of Object.entries(RUNS).filter(([each]) => each.includes(only))) {
    const alone = measure(name);
    const { seconds, megabytes, hops } = alone;
    rows.push({ name, value: seconds, unit: 'CPU s', ratioTo: { bar: run.seconds / seconds } });
    rows.push({
      name: `${name}: memory`,
      value: megabytes,
      unit: 'MiB',
      ...(run.megabytes === undefined ? {} : { ratioTo: { bar: run.megabytes / megabytes } }),
    });
    rows.push({ name: `${name}: per packet-hop`, value: (seconds * 1e9) / hops, unit: 'ns' });
    rows.push({ name: `${name}: packet-hops`, value: hops / 1e6, unit: 'million' });
    if (name === LARGEST) rows.push(...threadRows(name, alone));
  }
  report(rows, args);
  for (const { name, ratioTo } of rows)
    if (ratioTo !== undefined && ratioTo['bar'] < 1) {
      console.error(`bar missed: ${name}`);
      if (args.includes('--check')) process.exitCode = 1;
    }
}

const args = process.argv.slice(2);
const role = args.indexOf('--run');
if (role >= 0) await simulate(args[role + 1], Number(args[role + 2]));
else main(args);

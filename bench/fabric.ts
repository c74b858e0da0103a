// What a fabric costs: `npm run bench:fabric [-- --json] [--check] [--only NAME]`. Every run is a process of its own, from
// the start of Node to its end: processor time of all threads, and the most memory that it had. The best of three counts.
import { spawnSync } from 'node:child_process';
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
  readonly megabytes: number;
  readonly hops: number;
  readonly flows: number;
}

const RUNS: Readonly<Record<string, Run>> = {
  'WebSearch 1 ms, 320 hosts': { spec: webSearch, seconds: 2.5, megabytes: 120 },
  'permutation, 1,024 hosts': { spec: () => permutationOn(16, 1), seconds: 2.5 },
  'permutation, 8,192 hosts': { spec: () => permutationOn(32, 12), seconds: 35, megabytes: 400 },
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

/** A fat tree of switches with so many ports; 2 MB from each host to one other, in packets of 4,000 bytes. */
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

/** The process of one run: prints what it took as JSON. */
function simulate(name: string): void {
  const fabric = new Fabric(RUNS[name].spec());
  fabric.run(1e12);
  const { hops } = fabric.totals;
  if (fabric.finished.length !== fabric.flows.count) throw new Error(`${name}: flows did not end`);
  const { user, system } = process.cpuUsage();
  const outcome: Outcome = {
    seconds: (user + system) / 1e6,
    megabytes: process.resourceUsage().maxRSS / 1024,
    hops,
    flows: fabric.flows.count,
  };
  process.stdout.write(JSON.stringify(outcome));
}

function measure(name: string): Outcome {
  const self = fileURLToPath(import.meta.url);
  const tries = Array.from({ length: TRIES }, () => {
    const { stdout, status } = spawnSync(process.execPath, [self, '--run', name], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${name}: the run ended with ${status}`);
    return JSON.parse(stdout) as Outcome;
  });
  return {
    ...tries[0],
    seconds: Math.min(...tries.map(({ seconds }) => seconds)),
    megabytes: Math.min(...tries.map(({ megabytes }) => megabytes)),
  };
}

function main(args: readonly string[]): void {
  const only = args.includes('--only') ? args[args.indexOf('--only') + 1] : '';
  const rows: Row[] = [];
  for (const [name, run] of Object.entries(RUNS).filter(([each]) => each.includes(only))) {
    const { seconds, megabytes, hops } = measure(name);
    rows.push({ name, value: seconds, unit: 'CPU s', ratioTo: { bar: run.seconds / seconds } });
    rows.push({
      name: `${name}: memory`,
      value: megabytes,
      unit: 'MiB',
      ...(run.megabytes === undefined ? {} : { ratioTo: { bar: run.megabytes / megabytes } }),
    });
    rows.push({ name: `${name}: per packet-hop`, value: (seconds * 1e9) / hops, unit: 'ns' });
    rows.push({ name: `${name}: packet-hops`, value: hops / 1e6, unit: 'million' });
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
if (role >= 0) simulate(args[role + 1]);
else main(args);

import { Random } from '../../../engine/index.js';
import {
  completionReport,
  Fabric,
  fatTree,
  IRN,
  logLinear,
  poisson,
  presetBuffer,
  presetControl,
  presetMarking,
  presetNic,
  SizeDistribution,
} from '../../../models/fabric/index.js';
import { runFatTree } from '../../compare/index.js';
import type { Bench } from '../bench.js';
import { conclude, figures, must, outside } from '../check.js';
import { type Finding, paperNumber, type Row, rowsOf } from '../row.js';
import { srnicTargets } from '../targets/srnic.js';
import type { Target } from '../targets/target.js';

const METRICS = { meanFctUs: 'mean FCT', p99FctUs: 'p99 FCT', meanSlowdown: 'mean slowdown' } as const;
type Times = Readonly<Record<keyof typeof METRICS, number>>;

/** The paper's sizes up to where a run takes a minute; flows arrive for so long. */
const SERVERS = [16, 64] as const;
const DURATION_NS = 5_000_000;
/** S33 goes one step further, with less time for each. */
const MORE_SERVERS = [16, 64, 256] as const;
const SHORTER_NS = 2_000_000;

const FACTS = [
  'switches, thresholds, DCQCN and DCTCP of HPCC’s simulator; sizes even over their logarithm from 1 KB to 4 MB through the shares that the paper gives; the paper tells none of these',
];

/** SRNIC's rows in fat trees, on light NICs. */
export const srnicFatTreeRows: readonly Row[] = rowsOf('SRNIC', srnicTargets, {
  S11: { unit: 'ratio', facts: [...FACTS, '16 and 64 servers, flows arrive for 5 ms'], run: slower },
  S12: { unit: 'ratio', facts: [...FACTS, '16 and 64 servers, flows arrive for 5 ms'], run: alike },
  S33: {
    unit: 'ratio',
    facts: [...FACTS, '16, 64 and 256 servers, flows arrive for 2 ms'],
    slow: true,
    run: byServers,
  },
  S34: {
    unit: 'IRN over go-back-N',
    facts: [
      "IRN §4.1: 40 Gb/s, 2 us links, load 0.7, 240 KB a port, timers of 100 and 320 us, no congestion control; sizes even over their logarithm through the paper's shares; flows arrive for 5 ms",
    ],
    run: irnAlone,
  },
});

/** Runs that several rows look at, by what they are of. */
const shared = new Map<string, Promise<Times>>();

function timesOf(nic: string, servers: number, durationNs: number, { seed }: Bench): Promise<Times> {
  const key = JSON.stringify([nic, servers, durationNs, seed]);
  let times = shared.get(key);
  if (times === undefined) {
    times = runFatTree({ nic, servers, durationNs, seed }).then((readings) => readings as Times);
    shared.set(key, times);
  }
  return times;
}

async function ratios(
  [one, other]: readonly [string, string],
  servers: number,
  durationNs: number,
  bench: Bench,
): Promise<Times> {
  const [above, below] = [
    await timesOf(one, servers, durationNs, bench),
    await timesOf(other, servers, durationNs, bench),
  ];
  const keys = Object.keys(METRICS) as (keyof Times)[];
  return Object.fromEntries(keys.map((key) => [key, above[key] / below[key]])) as unknown as Times;
}

async function slower(bench: Bench, target: Target): Promise<Finding> {
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const servers of SERVERS) {
    const found = await ratios(['connectx', 'srnic'], servers, DURATION_NS, bench);
    for (const [key, name] of Object.entries(METRICS)) {
      const label = `${servers} servers, ${name}`;
      simulated[label] = figures(found[key as keyof Times]);
      complaints.push(
        outside(`${label}:`, found[key as keyof Times], paperNumber(target), target.tolerance!),
      );
    }
  }
  return conclude(simulated, complaints);
}

/** S12: alike is within 10 %. */
const ALIKE = 0.1;

async function alike(bench: Bench): Promise<Finding> {
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const servers of SERVERS) {
    const found = await ratios(['irn', 'srnic'], servers, DURATION_NS, bench);
    for (const [key, name] of Object.entries(METRICS)) {
      const label = `${servers} servers, ${name}`;
      simulated[label] = figures(found[key as keyof Times]);
      complaints.push(outside(`${label}:`, found[key as keyof Times], 1, ALIKE));
    }
  }
  return conclude(simulated, complaints);
}

async function byServers(bench: Bench, target: Target): Promise<Finding> {
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  let last = 0;
  for (const servers of MORE_SERVERS) {
    const { meanFctUs } = await ratios(['connectx', 'srnic'], servers, SHORTER_NS, bench);
    simulated[`${servers} servers`] = figures(meanFctUs);
    complaints.push(
      outside(`${servers} servers:`, meanFctUs, paperNumber(target), target.tolerance!),
      must(meanFctUs >= last, `it falls to ${figures(meanFctUs)} at ${servers} servers`),
    );
    last = meanFctUs;
  }
  return conclude(simulated, complaints);
}

/** IRN §4.1: half of the flows up to 1 KB, 15 % from 200 KB to 3 MB, the rest in between. */
const IRN_SIZES = logLinear([
  [32, 0],
  [1000, 50],
  [200_000, 85],
  [3_000_000, 100],
]);
/** A fat tree of switches with six ports: 54 servers. */
const IRN_PORTS = 6;
const IRN_CABLE = { gbps: 40, delayNs: 2000 };
const IRN_PORT_BYTES = 240_000;
const IRN_DURATION_NS = 5_000_000;
const IRN_STOP_NS = 1e9;
/** The least that the abstract claims. */
const IRN_LEAST = 0.06;
const DATA_CLASS = 3;

async function irnAlone({ seed }: Bench): Promise<Finding> {
  const topology = fatTree({ ports: IRN_PORTS, host: IRN_CABLE });
  const terms = { nicBps: IRN_CABLE.gbps * 1e9, nicDelayNs: IRN_CABLE.delayNs, payloadBytes: 1000 };
  const flows = poisson(
    {
      hosts: [...topology.isSwitch.keys()].filter((node) => topology.isSwitch[node] === 0),
      sizes: new SizeDistribution(IRN_SIZES),
      ...{ load: 0.7, hostBps: terms.nicBps, startNs: 0, durationNs: IRN_DURATION_NS },
      ...{ trafficClass: DATA_CLASS, dport: 100 },
    },
    new Random(seed).split('workload'),
  );
  const run = (selective: boolean): Times => {
    const fabric = new Fabric({
      ...{ topology, flows, seed, control: presetControl('none', terms), commonLossRate: 0 },
      nic: {
        ...presetNic('none', terms),
        ackPauseClass: DATA_CLASS,
        recovery: selective ? IRN : { kind: 'go-back-n', timeoutNs: IRN_STOP_NS / 1000 },
      },
      buffer: { ...presetBuffer(terms, IRN_PORTS * IRN_PORT_BYTES), lossless: !selective },
      marking: presetMarking('none', topology),
      ...{ globalRtt: true, visits: 'descending', order: 'canonical', rng: 'own', rounding: 'exact' },
    });
    fabric.run(IRN_STOP_NS);
    const { completionNs, slowdown } = completionReport(fabric);
    return {
      meanFctUs: completionNs!.mean / 1000,
      p99FctUs: completionNs!.p99! / 1000,
      meanSlowdown: slowdown!.mean,
    };
  };
  const [irn, goBackN] = [run(true), run(false)];
  const simulated: Record<string, number> = {};
  const complaints: (string | null)[] = [];
  for (const [key, name] of Object.entries(METRICS)) {
    const better = 1 - irn[key as keyof Times] / goBackN[key as keyof Times];
    simulated[name] = figures(irn[key as keyof Times] / goBackN[key as keyof Times]);
    complaints.push(must(better >= IRN_LEAST, `${name} is ${figures(better * 100)} % better`));
  }
  return conclude(simulated, complaints);
}

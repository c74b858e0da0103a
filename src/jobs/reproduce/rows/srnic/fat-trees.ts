import { runFatTree } from '../../../compare/index.js';
import type { Bench } from '../../bench.js';
import { because, conclude, figures, must, outside } from '../../check.js';
import { type RowOutcome, paperNumber, type Row, rowsOf } from '../../row.js';
import { srnicTargets } from '../../targets/srnic.js';
import type { Target } from '../../targets/target.js';

const METRICS = { meanFctUs: 'mean FCT', p99FctUs: 'p99 FCT', meanSlowdown: 'mean slowdown' } as const;
type Times = Readonly<Record<keyof typeof METRICS, number>>;

/** The paper's sizes up to where a run takes a minute; flows arrive for this long. */
const SERVERS = [16, 64] as const;
const DURATION_NS = 5_000_000;
/** S33 goes one step further, with less time for each. */
const MORE_SERVERS = [16, 64, 256] as const;
const SHORTER_NS = 2_000_000;

const FACTS = [
  "DCQCN with its paper's parameters, as §6.3 says; buffers of two bandwidth-delay products a port (IRN §4.1); switches, marking and DCTCP of HPCC's simulator; sizes even over their logarithm from 1 KB to 4 MB through the shares that the paper gives; the paper tells none of the rest",
];

/** SRNIC's rows in fat trees, on light NICs. */
export const srnicFatTreeRows: readonly Row[] = rowsOf('SRNIC', srnicTargets, {
  S11: {
    unit: 'ratio',
    facts: [...FACTS, '16 and 64 servers, flows arrive for 5 ms'],
    run: slower,
  },
  S12: {
    unit: 'ratio',
    facts: [...FACTS, '16 and 64 servers, flows arrive for 5 ms'],
    run: alike,
  },
  S33: {
    unit: 'ratio',
    facts: [...FACTS, '16, 64 and 256 servers, flows arrive for 2 ms'],
    run: byServers,
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

/** Of S11 and S33. Switches of 32 MB, as HPCC's simulator has them, never pause, and the ratio of mean FCTs is 1.05. */
const BUFFERS_UNKNOWN =
  'pauses that spread from switch to switch make the ratio: around one switch there are none to spread to; the paper tells no buffers, and the ratio follows them';

async function slower(bench: Bench, target: Target): Promise<RowOutcome> {
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
  return conclude(simulated, because(complaints, BUFFERS_UNKNOWN));
}

/** S12: alike is within 10 %. */
const ALIKE = 0.1;

async function alike(bench: Bench): Promise<RowOutcome> {
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
  // With DCQCN in the place of SRNIC's DCTCP all three are within 3 %.
  const why =
    "SRNIC's windows of DCTCP leave shorter queues to short flows than IRN's, of a bandwidth-delay product";
  return conclude(simulated, because(complaints, why));
}

async function byServers(bench: Bench, target: Target): Promise<RowOutcome> {
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
  return conclude(simulated, because(complaints, BUFFERS_UNKNOWN));
}

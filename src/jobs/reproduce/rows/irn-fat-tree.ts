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
import type { Bench } from '../bench.js';
import { conclude, figures, must } from '../check.js';
import { type RowOutcome, type Row, rowsOf } from '../row.js';
import { srnicTargets } from '../targets/srnic.js';

const METRICS = { meanFctUs: 'mean FCT', p99FctUs: 'p99 FCT', meanSlowdown: 'mean slowdown' } as const;
type Times = Readonly<Record<keyof typeof METRICS, number>>;

/** IRN's own comparison, on light NICs. */
export const irnFatTreeRows: readonly Row[] = rowsOf('SRNIC', srnicTargets, {
  S34: {
    unit: 'IRN over go-back-N',
    facts: [
      "IRN §4.1: 40 Gb/s, 2 us links, load 0.7, 240 KB a port, timers of 100 and 320 us, no congestion control; sizes even over their logarithm through the paper's shares; flows arrive for 5 ms",
    ],
    run: irnAlone,
  },
});

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

async function irnAlone({ seed }: Bench): Promise<RowOutcome> {
  const topology = fatTree({ ports: IRN_PORTS, host: IRN_CABLE });
  const terms = { nicBps: IRN_CABLE.gbps * 1e9, payloadBytes: 1000 };
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

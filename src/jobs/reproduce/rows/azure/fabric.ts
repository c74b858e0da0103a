import {
  AZURE_LISTING,
  Fabric,
  type FabricSpec,
  type FlowSpec,
  laboratoryRegion,
  type MarkingThresholds,
  PUBLISHED_DCQCN,
  presetNic,
  region,
  star,
  type Topology,
} from '../../../../models/fabric/index.js';

/** Every link to a host in the laboratory, and every link of what is asked beside it. */
export const LINE_GBPS = 40;

/** Appendix B: 1 MB, 2 MB and 5 %. */
export const SPARSE: MarkingThresholds = { minBytes: 1_000_000, maxBytes: 2_000_000, probability: 0.05 };
/** DCQCN's own paper: 5 KB, 200 KB, 1 %. */
export const DENSE: MarkingThresholds = { minBytes: 5000, maxBytes: 200_000, probability: 0.01 };
export const MS = 1e6;
/** A WRITE of the experiments. */
export const WRITE_BYTES = 65_536;
const MTU_BYTES = 1024;
/** RoCE, UDP, IP and Ethernet with preamble and gap. */
const HEADER_BYTES = 82;
const RECOVERY_NS = 20 * MS;

export const laboratory: Topology = region(laboratoryRegion);

/** One rack of 40 Gb/s hosts. */
export function rack(hosts: number, gbps = LINE_GBPS): Topology {
  return star({ hosts, host: { gbps, delayNs: 450 } });
}

export function flow(source: number, target: number, bytes: number, startNs = 0, trafficClass = 3): FlowSpec {
  return { source, target, bytes, startNs, trafficClass, dport: 100 };
}

/** Azure's NICs as light ones. */
export const azureNic: FabricSpec['nic'] = {
  ...presetNic('dcqcn', { nicBps: 40e9, payloadBytes: MTU_BYTES }),
  headerBytes: HEADER_BYTES,
  ackPauseClass: 3,
  recovery: { kind: 'go-back-n', timeoutNs: RECOVERY_NS },
  // Gen1: the receiver sends at most one notification per flow in 50 us.
  notifyNs: 50_000,
};

/** A fabric with Azure's buffers and NICs, of which parts are changed. */
export function azureFabric(
  topology: Topology,
  flows: readonly FlowSpec[],
  seed: number,
  changes: Partial<FabricSpec> = {},
): Fabric {
  const rates = new Set(topology.links.map(({ rateBps }) => rateBps));
  return new Fabric({
    topology,
    flows,
    nic: azureNic,
    control: { ...PUBLISHED_DCQCN, decreaseIntervalNs: 0 },
    buffer: { kind: 'sonic', ...AZURE_LISTING },
    marking: new Map([...rates].map((rate) => [rate, SPARSE])),
    globalRtt: false,
    visits: 'descending',
    order: 'canonical',
    rng: 'own',
    rounding: 'exact',
    seed,
    commonLossRate: 0,
    ...changes,
  });
}

/** The same thresholds for every port of a topology. */
export function markingOf(
  { links }: Topology,
  thresholds: MarkingThresholds,
): Map<number, MarkingThresholds> {
  return new Map(links.map(({ rateBps }) => [rateBps, thresholds]));
}

/** Payload that arrived of each flow between two times, in Gb/s. */
export function goodputs(fabric: Fabric, fromNs: number, untilNs: number): number[] {
  fabric.run(fromNs);
  const before = [...fabric.flows.expectedBytes];
  fabric.run(untilNs);
  return before.map((bytes, index) => ((fabric.flows.expectedBytes[index] - bytes) * 8) / (untilNs - fromNs));
}

/** The time below which 99 % of some flows took, in microseconds; the longest if there are fewer than 100. */
export function p99Us(fabric: Fabric, flows: readonly number[]): number {
  const times = flows
    .map((each) => fabric.flows.endNs[each] - fabric.flows.startNs[each])
    .sort((a, b) => a - b);
  return times[Math.min(times.length - 1, Math.ceil(times.length * 0.99) - 1)] / 1000;
}

/** The largest number of bytes that waited for a port in each interval, as their mean. */
export function meanOfMaxima(
  fabric: Fabric,
  port: number,
  fromNs: number,
  untilNs: number,
  intervalNs: number,
  stepNs: number,
): number {
  const maxima: number[] = [];
  for (let beginNs = fromNs; beginNs < untilNs; beginNs += intervalNs) {
    let most = 0;
    for (let nowNs = beginNs + stepNs; nowNs <= beginNs + intervalNs; nowNs += stepNs) {
      fabric.run(nowNs);
      most = Math.max(most, fabric.state.ports.queuedBytes[port]);
    }
    maxima.push(most);
  }
  return maxima.reduce((sum, each) => sum + each, 0) / maxima.length;
}

/** The port by which a switch sends to a host. */
export function portTo(fabric: Fabric, host: number): number {
  const { plan } = fabric.state;
  return plan.peer[plan.portBegin[host]];
}

/** Streams of messages one after the other, each once the last was acknowledged: this many are in flight. */
export function streams(
  pairs: readonly (readonly [source: number, target: number])[],
  bytes: number,
  times: number,
  trafficClass = 3,
): FlowSpec[] {
  const last: FlowSpec[] = [];
  const flows: FlowSpec[] = [];
  for (let time = 0; time < times; time++)
    for (const [index, [source, target]] of pairs.entries()) {
      const made = flow(source, target, bytes, 0, trafficClass);
      last[index] = time === 0 ? made : { ...made, after: [last[index]] };
      flows.push(last[index]);
    }
  return flows;
}

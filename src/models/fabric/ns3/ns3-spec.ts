import { KelpieError } from '../../../error.js';
import type { ControlSpec } from '../../../transport/congestion/rates/control-spec.js';
import { hpccHeader } from '../../../transport/congestion/rates/feedback.js';
import type { RateLimits } from '../../../transport/congestion/rates/rate-control.js';
import type { FabricSpec } from '../core/fabric-spec.js';
import { cutNs, cutTransmissionNs } from '../core/rounding.js';
import type { FlowSpec } from '../nic/flow-table.js';
import type { MarkingThresholds } from '../switching/marking.js';
import type { Topology } from '../topology/topology.js';
import type { Ns3Config } from './config.js';

/** A run of HPCC's simulator: what to simulate, and where its time begins and ends. */
export interface Ns3Run {
  readonly spec: FabricSpec;
  /** Nanoseconds of ns-3's time at which our time is 0: the first start. */
  readonly epochNs: number;
  /** Our time at which ns-3 stops. */
  readonly stopNs: number;
}

const DCQCN = 1;
const HPCC = 3;
const TIMELY = 7;
const DCTCP = 8;

/** PPP 14, IPv4 20, UDP 8, sequence number and class 6. */
export const BASE_HEADER_BYTES = 48;
/** Header bytes beside the base: TIMELY's time stamp, and HPCC's telemetry of 5 hops and their count. */
const EXTRA_HEADER_BYTES: Readonly<Record<number, number>> = { [TIMELY]: 8, [HPCC]: 42 };
/** Acknowledgements are padded to 60; HPCC's carry the telemetry back. */
const ACK_BYTES = 60;
const HPCC_ACK_BYTES = 88;
/** The class that holds a host's acknowledgements unless they have priority. */
const DATA_CLASS = 3;

const MEGABYTE = 1_048_576;
const KILOBYTE = 1000;

/** What HPCC's simulator fixes in its code (`switch-mmu`, `rdma-hw`). */
const SWITCH = { reserveBytes: 4096, resumeOffsetBytes: 3072, shareShift: 3, headroomDelays: 3 };
const NACK_INTERVAL_NS = 500_000;
const TIMELY_CONSTANTS = {
  differenceWeight: 0.875,
  cutFactor: 0.8,
  lowNs: 50_000,
  highNs: 500_000,
  minRttNs: 20_000,
  hyperAfter: 5,
};

/** Turns a configuration, its topology and its flows into a run with ns-3's order, coins and rounding. */
export function ns3Run(config: Ns3Config, topology: Topology, flows: readonly FlowSpec[]): Ns3Run {
  if (config.linkDown !== null)
    throw new KelpieError('FABRIC_FILE', 'links that fail are not simulated', {
      field: 'LINK_DOWN',
      given: Object.values(config.linkDown).join(' '),
      allowed: '0 0 0',
    });
  const epochNs = flows.length === 0 ? 0 : flows[0].startNs;
  const nicLink = firstHostLink(topology);
  const hpcc = config.controlMode === HPCC;
  const spec: FabricSpec = {
    topology,
    flows: flows.map((flow) => ({ ...flow, startNs: flow.startNs - epochNs })),
    nic: {
      payloadBytes: config.payloadBytes,
      headerBytes: BASE_HEADER_BYTES + (EXTRA_HEADER_BYTES[config.controlMode] ?? 0),
      ackBytes: hpcc ? HPCC_ACK_BYTES : ACK_BYTES,
      ackPauseClass: config.ackHighPriority ? 0 : DATA_CLASS,
      ackIntervalBytes: config.ackIntervalBytes,
      chunkBytes: config.chunkBytes,
      backToChunk: config.backToChunk,
      askAgainNs: NACK_INTERVAL_NS,
      paces: config.rateBound,
    },
    control: controlOf(config, nicLink.delayNs + cutTransmissionNs(ACK_BYTES, nicLink.rateBps)),
    buffer: {
      kind: 'ns3',
      bufferBytes: config.bufferMegabytes * MEGABYTE,
      nicBps: nicLink.rateBps,
      ...SWITCH,
    },
    marking: markingOf(config, topology),
    globalRtt: config.globalRtt,
    visits: 'descending',
    order: 'ns3',
    rng: 'ns3',
    rounding: 'ns3',
    seed: 1,
    commonLossRate: config.errorRate,
  };
  return { spec, epochNs, stopNs: cutNs(config.stopSeconds, 1e9) - epochNs };
}

function controlOf(config: Ns3Config, ackHopNs: number): ControlSpec {
  const window = !config.hasWindow ? 'none' : config.variableWindow ? 'scaled' : 'fixed';
  const limits: RateLimits = { minRateBps: config.minRateBps, window };
  const { additiveBps, hyperBps } = config;
  switch (config.controlMode) {
    case DCQCN:
      return {
        kind: 'dcqcn',
        ...limits,
        additiveBps,
        hyperBps,
        alphaIntervalNs: config.alphaIntervalUs * 1000,
        decreaseIntervalNs: config.decreaseIntervalUs * 1000,
        increaseIntervalNs: config.increaseIntervalUs * 1000,
        gain: config.gain,
        fastRecoverySteps: config.fastRecoverySteps,
        clampTarget: config.clampTarget,
        alphaAfterNotification: config.alphaIntervalUs * 1000 < ackHopNs,
      };
    case HPCC:
      return {
        kind: 'hpcc',
        ...limits,
        additiveBps,
        telemetry: hpccHeader(config.telemetryMultiple),
        targetUtilisation: config.targetUtilisation,
        additiveSteps: config.additiveSteps,
        fastReact: config.fastReact,
        ratePerHop: config.ratePerHop,
        skipEmptyQueues: config.sampleFeedback,
      };
    case TIMELY:
      return { kind: 'timely', ...limits, additiveBps, hyperBps, ...TIMELY_CONSTANTS };
    case DCTCP:
      return {
        kind: 'dctcp',
        ...limits,
        gain: config.gain,
        additiveBps: config.dctcpAdditiveBps,
        payloadBytes: config.payloadBytes,
      };
    default:
      return { kind: 'none', ...limits };
  }
}

/** ns-3 wants thresholds for the rate of every port of a switch. */
function markingOf(config: Ns3Config, { links, isSwitch }: Topology): Map<number, MarkingThresholds> {
  const marking = new Map<number, MarkingThresholds>();
  for (const { rateBps, from, to } of links) {
    if (marking.has(rateBps) || (isSwitch[from] === 0 && isSwitch[to] === 0)) continue;
    const read = (key: string, map: ReadonlyMap<number, number>): number => {
      const value = map.get(rateBps);
      if (value !== undefined) return value;
      throw new KelpieError('FABRIC_FILE', `${key} has no value for a rate of the topology`, {
        field: key,
        given: `${rateBps} b/s`,
        allowed: `a pair '${rateBps} value'; it has ${[...map.keys()].join(', ') || 'none'}`,
      });
    };
    marking.set(rateBps, {
      minBytes: read('KMIN_MAP', config.minKilobytes) * KILOBYTE,
      maxBytes: read('KMAX_MAP', config.maxKilobytes) * KILOBYTE,
      probability: read('PMAX_MAP', config.markProbability),
    });
  }
  return config.marks ? marking : new Map();
}

/** The link of the first host: its rate is what ns-3 takes for the rate of NICs. */
function firstHostLink({ nodes, isSwitch, links }: Topology): { rateBps: number; delayNs: number } {
  for (let node = 0; node < nodes; node++) {
    if (isSwitch[node] !== 0) continue;
    const link = links.find(({ from, to }) => from === node || to === node);
    if (link !== undefined) return link;
    break;
  }
  throw new KelpieError('FABRIC_FILE', 'the first host has no link', {
    field: 'links',
    allowed: 'at least one host, and a link to each',
  });
}

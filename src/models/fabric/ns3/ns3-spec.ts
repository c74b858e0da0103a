import { type ErrorDetail, KelpieError } from '../../../error.js';
import type { ControlSpec } from '../../../transport/congestion/rates/control-spec.js';
import { hpccHeader } from '../../../transport/congestion/rates/feedback.js';
import { TIMELY_CONSTANTS } from '../../../transport/congestion/rates/presets.js';
import type { RateLimits } from '../../../transport/congestion/rates/rate-control.js';
import { cutNs } from '../core/events/rounding.js';
import type { FabricSpec } from '../core/fabric-spec.js';
import type { LinkChange } from '../core/link-changes.js';
import type { FlowSpec } from '../nic/flow-spec.js';
import type { MarkingThresholds } from '../switching/marking.js';
import type { Topology } from '../topology/topology.js';
import type { Ns3Config } from './config.js';
import {
  DATA_CLASS,
  DCQCN_MODE,
  DCTCP_MODE,
  frameBytes,
  HPCC_MODE,
  KILOBYTE,
  MEGABYTE,
  NACK_INTERVAL_NS,
  NO_TIMER,
  SWITCH,
  TELEMETRY_BPS,
  TIMELY_MODE,
} from './constants.js';
import { fileError } from './text-reader.js';

/** A run of HPCC's simulator: what to simulate, and where its time begins and ends. */
export interface Ns3Run {
  readonly spec: FabricSpec;
  /** Nanoseconds of ns-3's time at which our time is 0: the first start. */
  readonly epochNs: number;
  /** Our time at which ns-3 stops. */
  readonly stopNs: number;
}

/** ns-3 counts the time of `LINK_DOWN` from second 2. */
const LINK_DOWN_EPOCH_NS = 2e9;

/** Turns a configuration, its topology and its flows into a run with ns-3's order, coins and rounding. */
export function ns3Run(config: Ns3Config, topology: Topology, flows: readonly FlowSpec[]): Ns3Run {
  const epochNs = flows.length === 0 ? 0 : flows[0].startNs;
  const nicLink = firstHostLink(topology);
  const control = controlOf(config);
  const spec: FabricSpec = {
    topology,
    flows: flows.map((flow) => ({ ...flow, startNs: flow.startNs - epochNs })),
    nic: {
      payloadBytes: config.payloadBytes,
      ...frameBytes(control.kind),
      ackPauseClass: config.ackHighPriority ? 0 : DATA_CLASS,
      ackIntervalBytes: config.ackIntervalBytes,
      chunkBytes: config.chunkBytes,
      backToChunk: config.backToChunk,
      askAgainNs: NACK_INTERVAL_NS,
      paces: config.rateBound,
      recovery: NO_TIMER,
      forgetsDone: true,
    },
    control,
    buffer: {
      kind: 'ns3',
      bufferBytes: config.bufferMegabytes * MEGABYTE,
      nicBps: nicLink.rateBps,
      ...SWITCH,
    },
    marking: markingOf(config, topology),
    globalRtt: config.globalRtt,
    visits: 'descending',
    unusedLinks: doubledLinks(topology),
    order: 'ns3',
    rng: 'ns3',
    rounding: 'ns3',
    seed: 1,
    commonLossRate: config.errorRate,
    linkChanges: linkChangesOf(config, topology, epochNs),
  };
  return { spec, epochNs, stopNs: cutNs(config.stopSeconds, 1e9) - epochNs };
}

function controlOf(config: Ns3Config): ControlSpec {
  const window = !config.hasWindow ? 'none' : config.variableWindow ? 'scaled' : 'fixed';
  const limits: RateLimits = { minRateBps: config.minRateBps, window };
  const { additiveBps, hyperBps } = config;
  switch (config.controlMode) {
    case DCQCN_MODE:
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
      };
    case HPCC_MODE:
      return {
        kind: 'hpcc',
        ...limits,
        additiveBps,
        telemetry: { ...hpccHeader(config.telemetryMultiple), codedBps: TELEMETRY_BPS },
        targetUtilisation: config.targetUtilisation,
        additiveSteps: config.additiveSteps,
        fastReact: config.fastReact,
        ratePerHop: config.ratePerHop,
        skipEmptyQueues: config.sampleFeedback,
      };
    case TIMELY_MODE:
      return { kind: 'timely', ...limits, additiveBps, hyperBps, ...TIMELY_CONSTANTS };
    case DCTCP_MODE:
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

/** ns-3 knows one link between two nodes: the last one of the file takes the place of those before it. */
function doubledLinks({ links }: Topology): number[] {
  const known = new Map<string, number>();
  const doubled: number[] = [];
  for (const [index, { from, to }] of links.entries()) {
    const key = from < to ? `${from} ${to}` : `${to} ${from}`;
    const before = known.get(key);
    if (before !== undefined) doubled.push(before);
    known.set(key, index);
  }
  return doubled;
}

/** `LINK_DOWN` fails the link between two nodes for good, this many microseconds after second 2. */
function linkChangesOf(config: Ns3Config, { links }: Topology, epochNs: number): LinkChange[] {
  const { linkDown } = config;
  if (linkDown === null) return [];
  const { afterUs, from, to } = linkDown;
  const link = links.findLastIndex(
    (each) => (each.from === from && each.to === to) || (each.from === to && each.to === from),
  );
  if (link < 0)
    throw errorAt(config, 'LINK_DOWN', 'no link connects these nodes', {
      given: `${from} and ${to}`,
      allowed: `two neighbours of ${config.topologyFile}`,
    });
  return [{ atNs: Math.max(0, LINK_DOWN_EPOCH_NS + afterUs * 1000 - epochNs), link, up: false }];
}

/** What is wrong with a key of a configuration; line 1 where it has none. */
function errorAt(config: Ns3Config, key: string, problem: string, detail: ErrorDetail): KelpieError {
  return fileError(config.file, config.lines.get(key) ?? 1, problem, { field: key, ...detail });
}

/** ns-3 wants thresholds for the rate of every port of a switch. */
function markingOf(config: Ns3Config, { links, isSwitch }: Topology): Map<number, MarkingThresholds> {
  const marking = new Map<number, MarkingThresholds>();
  for (const { rateBps, from, to } of links) {
    if (marking.has(rateBps) || (isSwitch[from] === 0 && isSwitch[to] === 0)) continue;
    const read = (key: string, map: ReadonlyMap<number, number>): number => {
      const value = map.get(rateBps);
      if (value !== undefined) return value;
      throw errorAt(config, key, `${key} has no value for a rate of ${config.topologyFile}`, {
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
export function firstHostLink({ nodes, isSwitch, links }: Topology): { rateBps: number; delayNs: number } {
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

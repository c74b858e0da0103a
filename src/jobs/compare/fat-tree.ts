import { Random } from '../../engine/index.js';
import { KelpieError } from '../../error.js';
import {
  type ControlName,
  completionReport,
  Fabric,
  type FabricSpec,
  leafSpine,
  longestRoundTripNs,
  poisson,
  presetBuffer,
  presetControl,
  presetMarking,
  presetNic,
  publishedDistribution,
  type RecoveryOptions,
  star,
  type Topology,
} from '../../models/fabric/index.js';
import { eventTurn } from '../pool/index.js';

/** The NICs that are compared, as far as completion times in a fabric depend on them. */
interface FabricNic {
  readonly control: ControlName;
  readonly recovery: 'go-back-n' | 'selective';
  /** Whether the switches pause it. */
  readonly lossless: boolean;
  /** Bytes of a WRITE's packet beside its payload. */
  readonly headerBytes: number;
}

/**
 * SRNIC §6.3: PFC for ConnectX-6 alone; SRNIC has DCTCP, IRN DCQCN, with the parameters of their papers. Headers: Ethernet
 * 14, IPv4 20, UDP 8, BTH 12 and ICRC 4; a RETH of 16 in every WRITE's packet under IRN, 20 more under SRNIC (§4.4.1).
 */
const NICS: Readonly<Record<string, FabricNic>> = {
  connectx: { control: 'dcqcn-paper', recovery: 'go-back-n', lossless: true, headerBytes: 58 },
  irn: { control: 'dcqcn-paper', recovery: 'selective', lossless: false, headerBytes: 74 },
  srnic: { control: 'dctcp', recovery: 'selective', lossless: false, headerBytes: 78 },
};

/** The names of the NICs that a fat tree can have. */
export const fabricNics: readonly string[] = Object.keys(NICS);

const LINK_DELAY_NS = 1000;
const HOST = { gbps: 100, delayNs: LINK_DELAY_NS };
const BETWEEN_SWITCHES = { gbps: 400, delayNs: LINK_DELAY_NS };
const PAYLOAD_BYTES = 1024;
const DATA_CLASS = 3;

/** SRNIC §6.3's fabrics of one and two tiers: as many leaves as spines, as much above a leaf as below it. */
const TREES: ReadonlyMap<number, () => Topology> = new Map([
  [16, () => star({ hosts: 16, host: HOST })],
  [64, () => twoTiers(4, 16)],
  [256, () => twoTiers(8, 32)],
]);

function twoTiers(switches: number, hostsPerLeaf: number): Topology {
  return leafSpine({
    ...{ leaves: switches, spines: switches, hostsPerLeaf },
    ...{ host: HOST, fabric: BETWEEN_SWITCHES },
  });
}

/** IRN §4.1. */
const FEW_PACKETS = 3;
/** IRN §4.1: each port of a switch has a buffer of two bandwidth-delay products of the network. */
const PORT_BUFFER_DELAYS = 2;
/** Go-back-N's timer: nothing is lost under PFC, so that it never fires. */
const TIMEOUT_NS = 1_000_000;
/** Events between two turns of the event loop. */
const SLICE_EVENTS = 500_000;
const STOP_NS = 1e9;

/** A fat tree to run: plain data. */
export interface FatTree {
  /** One of `fabricNics`. */
  readonly nic: string;
  /** 16, 64 or 256. */
  readonly servers: number;
  /** Share of the hosts' bandwidth; 0.7 unless set. */
  readonly load?: number;
  /** How long flows arrive; 4 ms unless set. */
  readonly durationNs?: number;
  readonly seed: number;
}

const DEFAULT_LOAD = 0.7;
const DEFAULT_DURATION_NS = 4_000_000;

/**
 * Completion times of Facebook's cache-follower flows in a fat tree of light NICs (SRNIC §6.3): buffers of IRN's evaluation,
 * switches, marking, DCQCN of its paper and DCTCP as HPCC's simulator has them. A percentile of too few flows is null; all
 * of it where the signal was raised.
 *
 * @example
 * const { meanFctUs } = await runFatTree({ nic: 'srnic', servers: 16, seed: 1 });
 */
export async function runFatTree(
  tree: FatTree,
  signal?: AbortSignal,
): Promise<Readonly<Record<string, number | null>> | null> {
  const fabric = new Fabric(specOf(tree));
  do {
    await eventTurn();
    if (signal?.aborted === true) return null;
  } while (!fabric.run(STOP_NS, SLICE_EVENTS));
  const { flows, finished, completionNs, slowdown } = completionReport(fabric);
  const { drops, pauseFrames, timeouts } = fabric.totals;
  return {
    meanFctUs: microseconds(completionNs?.mean),
    p99FctUs: microseconds(completionNs?.p99),
    meanSlowdown: slowdown?.mean ?? null,
    ...{ flows, unfinished: flows - finished, drops, pauseFrames, timeouts },
  };
}

function microseconds(ns: number | null | undefined): number | null {
  return ns === null || ns === undefined ? null : ns / 1000;
}

function specOf(tree: FatTree): FabricSpec {
  const { seed, load = DEFAULT_LOAD, durationNs = DEFAULT_DURATION_NS } = tree;
  const nic = known('nic', NICS[tree.nic], tree.nic, fabricNics);
  const topology = known('servers', TREES.get(tree.servers), tree.servers, [...TREES.keys()])();
  const terms = { nicBps: HOST.gbps * 1e9, payloadBytes: PAYLOAD_BYTES };
  const buffer = { ...presetBuffer(terms, bufferBytesOf(topology)), lossless: nic.lossless };
  return {
    topology,
    flows: poisson(
      {
        hosts: [...topology.isSwitch.keys()].filter((node) => topology.isSwitch[node] === 0),
        sizes: publishedDistribution('cache-follower')!,
        ...{ load, hostBps: terms.nicBps, startNs: 0, durationNs, trafficClass: DATA_CLASS, dport: 100 },
      },
      new Random(seed).split('workload'),
    ),
    nic: {
      ...presetNic(nic.control, terms),
      headerBytes: nic.headerBytes,
      ackPauseClass: DATA_CLASS,
      recovery: recoveryOf(nic, topology, buffer.bufferBytes),
    },
    control: presetControl(nic.control, terms),
    buffer,
    marking: presetMarking(nic.control, topology),
    globalRtt: true,
    visits: 'descending',
    order: 'canonical',
    rng: 'own',
    rounding: 'exact',
    seed,
    commonLossRate: 0,
  };
}

/** The memory of a switch with the most ports that the tree has. */
function bufferBytesOf(topology: Topology): number {
  const ports = new Int32Array(topology.nodes);
  for (const { from, to } of topology.links) {
    ports[from]++;
    ports[to]++;
  }
  const delayBytes = (HOST.gbps * longestRoundTripNs(topology, PAYLOAD_BYTES)) / 8;
  return Math.round(Math.max(...ports) * PORT_BUFFER_DELAYS * delayBytes);
}

/** The longer timer waits four round trips and until a full buffer is drained, the shorter a third of that. */
function recoveryOf({ recovery }: FabricNic, topology: Topology, bufferBytes: number): RecoveryOptions {
  if (recovery === 'go-back-n') return { kind: 'go-back-n', timeoutNs: TIMEOUT_NS };
  const drainNs = (bufferBytes * 8) / HOST.gbps;
  const highTimeoutNs = Math.ceil(4 * longestRoundTripNs(topology, PAYLOAD_BYTES) + drainNs);
  const lowTimeoutNs = Math.ceil(highTimeoutNs / 3);
  return { kind: 'selective', lowTimeoutNs, highTimeoutNs, fewPackets: FEW_PACKETS };
}

function known<Value>(
  field: string,
  value: Value | undefined,
  given: unknown,
  allowed: readonly (string | number)[],
): Value {
  if (value !== undefined) return value;
  throw new KelpieError('COMPARE_BAD_VALUE', 'there is no such fat tree', {
    ...{ field, given, allowed: allowed.join(', ') },
  });
}

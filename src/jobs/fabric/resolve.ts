import { Random } from '../../engine/index.js';
import { KelpieError } from '../../error.js';
import {
  AZURE_LISTING,
  type BufferSpec,
  type ControlSpec,
  type FabricSpec,
  firstHostLink,
  IRN,
  isDcqcn,
  LONGEST_PAUSE_QUANTA,
  type LinkChange,
  longestRoundTripNs,
  type MarkingThresholds,
  nameOf,
  notifyNsOf,
  type PauseStorm,
  presetBuffer,
  presetControl,
  presetMarking,
  presetNic,
  type RecoveryOptions,
  reactionOf,
  SONIC_WATCHDOG,
  type Topology,
} from '../../models/fabric/index.js';
import { type JsonSchema, publishedSchema, readWith, SourceDocument } from '../../schema/index.js';
import { DATA_CLASS, FABRIC, type FabricDescription, fabricSchema } from './description.js';
import { type FullHosts, fullHosts, guestsOf } from './full-hosts.js';
import { findNode } from './nodes.js';
import { readSonicBuffers } from './sonic-file.js';
import { topologyOf } from './topologies.js';
import { flowsOf } from './workloads.js';

/** A fabric that can be simulated. */
export interface FabricJob {
  readonly spec: FabricSpec;
  /** When the run ends at the latest. */
  readonly stopNs: number;
  /** What full hosts do; null if there are none. */
  readonly full: FullHosts | null;
}

const PAYLOAD_BYTES = 1000;
/** A minute: no run is that long. */
const STOP_NS = 60e9;
/** Fields of a buffer, and the kinds that have them. */
const BUFFER_FIELDS = [
  ['bytes', ['ns3', 'thresholds']],
  ['file', ['sonic']],
  ['losslessClasses', ['sonic']],
  ['xoffBytes', ['thresholds']],
  ['xonBytes', ['thresholds']],
  ['headroomBytes', ['thresholds']],
] as const satisfies readonly (readonly [string, readonly string[]])[];
/** Changes of links in all. */
const MOST_CHANGES = 2000;
/** Go-back-N waits this long at least, and this many round trips. */
const LEAST_TIMEOUT_NS = 1_000_000;
const TIMEOUT_ROUND_TRIPS = 4;

/**
 * Reads the description of a fabric, YAML or JSON. Files that it names are asked for by `readText`. Whatever is wrong is
 * said with file, line, field and what is allowed, before anything is simulated.
 *
 * @example
 * const text = 'topology: { kind: star, hosts: 4 }\nworkload: [{ kind: permutation, bytes: 1000 }]';
 * const { spec, stopNs } = parseFabric(text, 'star.yaml', () => '');
 */
export function parseFabric(
  text: string,
  file: string,
  readText: (file: string, field: string) => string,
): FabricJob {
  const document = SourceDocument.ofText(text, file, FABRIC);
  const description = readWith(document, fabricSchema);
  const read = (name: string, field: string) => readNamed(document, name, field, readText);
  const topology = topologyOf(document, description.topology, read);
  document.throwFaults();
  const changed = new Resolver(document, description, topology!, read).topologyWithLinks();
  document.throwFaults();
  const job = new Resolver(document, description, changed, read).job();
  document.throwFaults();
  return job;
}

/** Reads a file that a field names; one that cannot be read is a fault of the field. */
function readNamed(
  document: SourceDocument,
  file: string,
  field: string,
  readText: (file: string, field: string) => string,
): string {
  try {
    return readText(file, field);
  } catch (error) {
    if (!(error instanceof KelpieError)) throw error;
    const allowed = error.allowed ?? 'a text file, relative to this one';
    throw document.errorAt(error.code, field, { problem: error.summary, given: file, allowed });
  }
}

/** The published schema of the description of a fabric. */
export function fabricJsonSchema(): JsonSchema {
  return publishedSchema('fabric', 'Kelpie fabric', fabricSchema);
}

class Resolver {
  private readonly document: SourceDocument;
  private readonly description: FabricDescription;
  private readonly topology: Topology;
  private readonly readText: (file: string, field: string) => string;

  constructor(
    document: SourceDocument,
    description: FabricDescription,
    topology: Topology,
    readText: (file: string, field: string) => string,
  ) {
    this.document = document;
    this.description = description;
    this.topology = topology;
    this.readText = readText;
  }

  job(): FabricJob {
    const { description, topology, document, readText } = this;
    const { control = 'dcqcn', seed = 1, payloadBytes = PAYLOAD_BYTES, order = 'canonical' } = description;
    const nic = firstHostLink(topology);
    const terms = { nicBps: nic.rateBps, payloadBytes };
    const rng = description.rng ?? 'own';
    const { partitions = 1 } = description;
    if (partitions > 1 && (order !== 'canonical' || rng !== 'own'))
      this.refuse(
        'partitions',
        'only the canonical order with own random numbers can be divided',
        partitions,
        '1',
      );
    const full = fullHosts(document, description, topology, readText);
    if (full !== null && order !== 'canonical')
      this.refuse('order', 'full hosts need the canonical order', order, 'canonical');
    if (description.full === undefined && description.workload.length === 0)
      this.refuse('workload', 'there is nothing to simulate', '[]', 'a pattern, or full hosts');
    const random = new Random(seed).split('workload');
    const flows = flowsOf(description.workload, {
      document,
      topology,
      hostBps: nic.rateBps,
      full: full?.nodes ?? [],
      random,
      readText,
    });
    if (order === 'ns3' && flows.some(({ after = [] }) => after.length > 0))
      this.refuse('order', "ns-3's order knows no flows that wait for others", order, 'canonical');
    const spec: FabricSpec = {
      topology,
      flows,
      // Acknowledgements travel in their data's class, also where HPCC's settings let them ignore its pauses.
      nic: {
        ...presetNic(control, terms),
        recovery: this.recovery(),
        ackPauseClass: DATA_CLASS,
        ...this.traits(),
      },
      control: this.reaction(presetControl(control, terms)),
      buffer: this.buffer(nic.rateBps) ?? presetBuffer(terms, description.buffer?.bytes),
      marking: this.marking(nic.rateBps) ?? presetMarking(control, topology),
      globalRtt: true,
      visits: 'descending',
      order,
      rng,
      rounding: description.rounding ?? 'exact',
      seed,
      commonLossRate: description.lossRate ?? 0,
      linkChanges: this.linkChanges(),
      convergenceNs: description.convergenceNs ?? 0,
      storms: this.storms(),
      ...(description.pauses === undefined ? {} : { pauses: description.pauses }),
      ...this.watchdog(),
      partitions,
      ...(full === null ? {} : { guests: guestsOf(full) }),
    };
    return { spec, stopNs: description.stopNs ?? STOP_NS, full };
  }

  /** A watchdog looks for pauses that are repeated: switches that have one send the longest ones unless told otherwise. */
  private watchdog(): Partial<FabricSpec> {
    const { watchdog, pauses = { quanta: LONGEST_PAUSE_QUANTA } } = this.description;
    return watchdog === undefined ? {} : { pauses, watchdog: { ...SONIC_WATCHDOG, ...given(watchdog) } };
  }

  /** The control as a generation of NICs reacts. */
  private reaction(control: ControlSpec): ControlSpec {
    const { generations } = this.description;
    if (generations === undefined) return control;
    if (!isDcqcn(control))
      this.refuse(
        'generations',
        'generations are of DCQCN',
        control.kind,
        'control: dcqcn, dcqcn-paper or dcqcn-nic',
      );
    return reactionOf(control, generations.sender);
  }

  /** What the generations of NICs do beside reacting. */
  private traits(): { notifyNs?: number; pacesInLine?: boolean } {
    const { generations } = this.description;
    if (generations === undefined) return {};
    return { notifyNs: notifyNsOf(generations.receiver), pacesInLine: generations.leaks ?? false };
  }

  /** Buffers of another kind than HPCC's if they are asked for. */
  private buffer(nicBps: number): BufferSpec | null {
    const { buffer = {} } = this.description;
    const { kind = 'ns3', file, losslessClasses } = buffer;
    for (const [field, kinds] of BUFFER_FIELDS)
      if (buffer[field] !== undefined && !(kinds as readonly string[]).includes(kind))
        this.refuse(
          `buffer.${field}`,
          `buffers of kind ${kind} have no such field`,
          buffer[field],
          `kind: ${kinds.join(' or ')}`,
        );
    switch (kind) {
      case 'ns3':
        return null;
      case 'thresholds':
        return this.thresholds();
      default: {
        const options =
          file === undefined
            ? AZURE_LISTING
            : readSonicBuffers(file, this.readText(file, 'buffer.file'), nicBps);
        return { kind, ...options, ...(losslessClasses === undefined ? {} : { losslessClasses }) };
      }
    }
  }

  /** Fixed thresholds. */
  private thresholds(): BufferSpec {
    const { bytes = 0, xoffBytes = 0, xonBytes = 0, headroomBytes = 0 } = this.description.buffer ?? {};
    if (bytes === 0)
      this.refuse('buffer.bytes', 'fixed thresholds need it', undefined, 'the memory of a switch');
    if (xonBytes > xoffBytes)
      this.refuse('buffer.xonBytes', 'above xoffBytes', xonBytes, `0 to ${xoffBytes}`);
    return { kind: 'thresholds', bufferBytes: bytes, xoffBytes, xonBytes, headroomBytes };
  }

  private recovery(): RecoveryOptions {
    const given = this.description.recovery;
    if (given?.kind === 'selective') {
      const { timeoutNs, lowTimeoutNs, highTimeoutNs, fewPackets } = given;
      if (timeoutNs !== undefined)
        this.refuse(
          'recovery.timeoutNs',
          'selective has no such field',
          timeoutNs,
          'lowTimeoutNs, highTimeoutNs',
        );
      return {
        ...IRN,
        ...(lowTimeoutNs === undefined ? {} : { lowTimeoutNs }),
        ...(highTimeoutNs === undefined ? {} : { highTimeoutNs }),
        ...(fewPackets === undefined ? {} : { fewPackets }),
      };
    }
    for (const field of ['lowTimeoutNs', 'highTimeoutNs', 'fewPackets'] as const)
      if (given?.[field] !== undefined)
        this.refuse(`recovery.${field}`, 'go-back-n has no such field', given[field], 'timeoutNs');
    const { topology, description } = this;
    const tripNs = longestRoundTripNs(topology, description.payloadBytes ?? PAYLOAD_BYTES);
    const timeoutNs = given?.timeoutNs ?? Math.max(LEAST_TIMEOUT_NS, Math.ceil(TIMEOUT_ROUND_TRIPS * tripNs));
    return { kind: 'go-back-n', timeoutNs };
  }

  /** Thresholds as given for the NICs' rate, and in proportion for other rates. */
  private marking(nicBps: number): Map<number, MarkingThresholds> | null {
    const { marking } = this.description;
    if (marking === undefined) return null;
    if (marking.minBytes > marking.maxBytes)
      this.refuse('marking.minBytes', 'above maxBytes', marking.minBytes, `0 to ${marking.maxBytes}`);
    const rates = this.topology.links.flatMap(({ rateBps, backRateBps = rateBps }) => [rateBps, backRateBps]);
    return new Map(
      [...new Set(rates)].map((rateBps) => {
        const times = rateBps / nicBps;
        return [
          rateBps,
          {
            minBytes: Math.min(2 ** 31 - 1, Math.round(marking.minBytes * times)),
            maxBytes: Math.min(2 ** 31 - 1, Math.round(marking.maxBytes * times)),
            probability: marking.probability,
          },
        ];
      }),
    );
  }

  private linkChanges(): LinkChange[] {
    const changes: LinkChange[] = [];
    for (const [index, failure] of (this.description.failures ?? []).entries()) {
      const field = `failures[${index}]`;
      const link = this.link(failure.link as (string | number)[], `${field}.link`);
      const { downNs, upNs, times = 1, periodNs = 0 } = failure;
      if (upNs !== undefined && upNs <= downNs)
        this.refuse(`${field}.upNs`, 'not after it fails', upNs, `above downNs, ${downNs}`);
      if (times > 1 && (upNs === undefined || periodNs <= upNs - downNs))
        this.refuse(
          `${field}.periodNs`,
          'a flap comes back before it fails again',
          periodNs,
          'above upNs - downNs',
        );
      if (link < 0) continue;
      for (let time = 0; time < times; time++) {
        changes.push({ atNs: downNs + time * periodNs, link, up: false });
        if (upNs !== undefined) changes.push({ atNs: upNs + time * periodNs, link, up: true });
      }
    }
    if (changes.length > MOST_CHANGES)
      this.refuse(
        'failures',
        'too many',
        `${changes.length} changes`,
        `up to ${MOST_CHANGES} changes of links`,
      );
    return changes.sort((a, b) => a.atNs - b.atNs || a.link - b.link);
  }

  /** The topology with the links that differ. */
  topologyWithLinks(): Topology {
    const links = [...this.topology.links];
    for (const [index, change] of (this.description.links ?? []).entries()) {
      const found = this.link(change.link as (string | number)[], `links[${index}].link`);
      if (found < 0) continue;
      const before = links[found];
      // The link may be written down from its other end.
      const turned = before.from !== findNode(this.topology, change.link[0] as string | number);
      const there = { gbps: change.gbps, delayNs: change.delayNs };
      const back = { gbps: change.backGbps, delayNs: change.backDelayNs };
      const [forward, backward] = turned ? [back, there] : [there, back];
      const { rateBps, delayNs, backRateBps = rateBps, backDelayNs = delayNs } = before;
      links[found] = {
        ...before,
        rateBps: bps(forward.gbps, rateBps),
        delayNs: forward.delayNs ?? delayNs,
        backRateBps: bps(backward.gbps, backRateBps),
        backDelayNs: backward.delayNs ?? backDelayNs,
        ...(change.lossRate === undefined ? {} : { lossRate: change.lossRate }),
      };
    }
    return { ...this.topology, links };
  }

  private storms(): PauseStorm[] {
    return (this.description.storms ?? []).flatMap((storm, index) => {
      const field = `storms[${index}]`;
      const { fromNs, untilNs, periodNs, heldNs, trafficClass = DATA_CLASS } = storm;
      const host = findNode(this.topology, storm.host);
      if (untilNs <= fromNs)
        this.refuse(`${field}.untilNs`, 'not after it begins', untilNs, `above ${fromNs}`);
      if ((periodNs === undefined) !== (heldNs === undefined) || (heldNs ?? 0) > (periodNs ?? 0))
        this.refuse(
          `${field}.heldNs`,
          'no part of the period',
          heldNs,
          'periodNs and heldNs, which is not longer',
        );
      if (host !== null && this.topology.isSwitch[host] === 0)
        return [
          {
            host,
            trafficClass,
            fromNs,
            untilNs,
            ...(periodNs === undefined || heldNs === undefined ? {} : { periodNs, heldNs }),
          },
        ];
      this.refuse(`${field}.host`, 'there is no such host', storm.host, 'the name or the number of a host');
      return [];
    });
  }

  /** The first link between two nodes; -1 if there is none. */
  private link(ends: readonly (string | number)[], field: string): number {
    const { topology } = this;
    const nodes = ends.map((end) => findNode(topology, end));
    const [one, other] = nodes;
    if (one === null || other === null) {
      const unknown = ends[nodes.indexOf(null)];
      const examples = [0, topology.nodes - 1].map((node) => `'${nameOf(topology, node)}'`);
      this.refuse(
        field,
        'there is no such node',
        unknown,
        `names such as ${examples.join(' and ')}, or numbers`,
      );
      return -1;
    }
    const found = topology.links.findIndex(
      ({ from, to }) => (from === one && to === other) || (from === other && to === one),
    );
    if (found < 0) this.refuse(field, 'no link connects them', ends.join(', '), 'two neighbours');
    return found;
  }

  private refuse(field: string, problem: string, given: unknown, allowed: string): void {
    this.document.report(FABRIC.codes.outOfRange, field, { problem, given, allowed });
  }
}

/** The fields of a mapping that are given. */
function given<Value extends object>(value: Value): { [Key in keyof Value]-?: NonNullable<Value[Key]> } {
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(fields) as { [Key in keyof Value]-?: NonNullable<Value[Key]> };
}

function bps(gbps: number | undefined, otherwise: number): number {
  return gbps === undefined ? otherwise : Math.round(gbps * 1e9);
}

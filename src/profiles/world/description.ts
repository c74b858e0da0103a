import type { Settings } from '../settings.js';

/** A length of time: nanoseconds, or a number with its unit (`'20us'`, `'1.5 ms'`). */
export type Duration = number | string;

/**
 * A world as anyone can write it: hosts with their devices, the switches and cables between them, and what is wrong
 * with any of it. A profile of the kind `world` has the same fields.
 *
 * @example
 * const world: WorldDescription = {
 *   hosts: [{ host: 'hostping', device: 'connectx-6-200g' }, { subsystem: 'collie-e' }],
 *   faults: [{ at: 'h0/switch1-up', rate: 0.25, from: '1ms' }],
 * };
 */
export interface WorldDescription {
  readonly name?: string;
  readonly title?: string;
  readonly hosts: readonly WorldHostDescription[];
  /** Fabric profile of every switch and cable that names none; default: `lossless-switch`. */
  readonly fabric?: string;
  /** Default: one switch, or two ports back to back if the fabric profile has no switch. */
  readonly switches?: readonly WorldSwitchDescription[];
  /** The cables; default: one from each device to the only switch. */
  readonly links?: readonly WorldLinkDescription[];
  /** Next hops in place of those on the shortest paths. */
  readonly routes?: readonly WorldRouteDescription[];
  /** Settings of the switches (`pfc`, `ecn`) and of every host, unless it says otherwise. */
  readonly settings?: Partial<Settings>;
  readonly faults?: readonly FaultDescription[];
}

/** A host, or several alike. */
export interface WorldHostDescription {
  /** Default: `h` and its place, from 0. */
  readonly name?: string;
  /** How many hosts of this kind, each with the default name; default: 1. */
  readonly count?: number;
  /** A subsystem profile: its host, device, settings and placement, with the one RNIC that it places. */
  readonly subsystem?: string;
  /** A host profile. */
  readonly host?: string;
  /** Device profile of every RNIC that names none. */
  readonly device?: string;
  /** Default: each RNIC of the host profile; with `subsystem` the one that it places. */
  readonly devices?: readonly WorldDeviceDescription[];
  readonly settings?: Partial<Settings>;
}

/** An RNIC of a host. */
export interface WorldDeviceDescription {
  /** The node of the host's graph that it is. */
  readonly rnic: string;
  /** Device profile. */
  readonly device?: string;
  /** Where its queues lie, and memory that is placed nowhere else; default: the memory that is nearest. */
  readonly memory?: string;
  /** Settings of this device alone. */
  readonly settings?: Partial<Settings>;
  /** PCIe payload and read request in bytes; default: those of its profile. */
  readonly maxPayloadBytes?: number;
  readonly maxReadRequestBytes?: number;
}

/** A switch of the fabric. */
export interface WorldSwitchDescription {
  readonly name: string;
  /** Fabric profile with its buffer and thresholds. */
  readonly fabric?: string;
}

/** A cable. */
export interface WorldLinkDescription {
  /** Default: the names of its ends with a hyphen between them. */
  readonly name?: string;
  /** Devices (`h0/rnic1`, or `h0` for a host's first) and switches. */
  readonly between: readonly [string, string];
  /** Default: that of its fabric profile, or of the port on it. */
  readonly gbps?: number;
  readonly propagationNs?: number;
}

/** Where a switch sends what is for a device. */
export interface WorldRouteDescription {
  /** The switch. */
  readonly at: string;
  /** The device. */
  readonly to: string;
  /** The neighbours that take it further; flows are spread over them by a hash. */
  readonly via: readonly string[];
}

/** What losses can be limited to: requests of any kind, the two kinds of acknowledgements, READ data, CNPs. */
export const lossKinds = ['data', 'ack', 'nak', 'read-response', 'cnp'] as const;
export type LossKind = (typeof lossKinds)[number];

/** Something that is wrong: where, how badly and when. */
export interface FaultDescription {
  /**
   * A link of a host (`h0/switch1-up`), one of its devices or switches (`h0/rnic0`, `h0/switch1`), a memory channel
   * (`h0/memory0/channel2`), a host (`h0`) or a cable (`h0/rnic0-leaf0`). Without a host's name: on every host that
   * has such a place.
   */
  readonly at: string;
  /** The share of its rate that a link keeps. */
  readonly rate?: number;
  /** Added to the latency of a link, one way. */
  readonly latencyNs?: number;
  /** A PCIe link trains with no more lanes, or at no higher generation. */
  readonly lanes?: number;
  readonly generation?: number;
  /** The probability that a packet on a PCIe link is damaged and sent again. */
  readonly replay?: number;
  /** The share of a link, or of a memory's channels, that traffic of others takes. */
  readonly load?: number;
  /** A memory channel without a module, or a GPU that fell off the bus. */
  readonly presence?: 'missing';
  /** A host whose RNICs cannot register memory of GPUs: no driver joins them. */
  readonly peerMemory?: 'unavailable';
  /** Threads that choose no socket run on another one than the RNIC's: of an RNIC, or of a host. */
  readonly affinity?: 'remote';
  /** A core of the host that slept takes this long to wake. */
  readonly coreWakeNs?: number;
  /** An IOMMU of the host translates what devices address: a page that it does not remember takes this long. */
  readonly iommuWalkNs?: number;
  /** The share of their clock that the cores of a host run at. */
  readonly coreClock?: number;
  /** Packets of a queue pair of an RNIC that may be in flight. */
  readonly transmitWindowPackets?: number;
  /** Queue pairs of an RNIC begin at this rate, after a pause again. */
  readonly slowStartGbps?: number;
  /** The share of its receive buffer that an RNIC uses. */
  readonly receiveBuffer?: number;
  /** The probability that a packet is lost on a cable; with `burst`: in good times. */
  readonly loss?: number;
  /** Losses on a cable in bursts: probabilities, per packet, that bad times begin and end, and of loss during them. */
  readonly burst?: { readonly begin: number; readonly end: number; readonly loss: number };
  /** The end of the cable that packets are lost on their way to; default: both. */
  readonly towards?: string;
  /** The kinds of packets that are lost; default: all. */
  readonly lossOf?: readonly LossKind[];
  /** Of a PCIe port (a link), of a PCIe switch (all its ports), or of a host. */
  readonly acs?: Settings['acs'];
  /** Of an RNIC, or of all RNICs of a host. */
  readonly ats?: Settings['ats'];
  readonly ordering?: Settings['ordering'];
  readonly maxPayloadBytes?: number;
  readonly maxReadRequestBytes?: number;
  /** Of the link between two sockets, or of a host. */
  readonly interSocket?: Settings['interSocket'];
  /** Of a memory, or of a host. */
  readonly ddio?: Settings['ddio'];
  /** When it begins; default: at once. */
  readonly from?: Duration;
  /** How long it lasts; default: to the end. */
  readonly for?: Duration;
  /** With `for`: it comes again after this long, counted from its beginning. */
  readonly every?: Duration;
}

import type { FabricConstants } from '../fabric-constants.js';
import type { Host, Subsystem } from '../resolve.js';
import type { FaultDescription } from './description.js';

/** A world as the models read it: plain numbers and a graph. */
export interface WorldGraph {
  readonly name: string;
  readonly title: string;
  readonly hosts: readonly WorldHost[];
  readonly switches: readonly SwitchNode[];
  readonly links: readonly WorldLink[];
  readonly routes: readonly WorldRoute[];
  readonly faults: readonly WorldFault[];
}

/** A host with the devices that it has. */
export interface WorldHost {
  readonly name: string;
  readonly host: Host;
  readonly devices: readonly WorldDevice[];
}

/** A device of a host. */
export interface WorldDevice {
  /** Its host's name and its own, `h0/rnic1`. */
  readonly name: string;
  /** The node of its host's graph that it is. */
  readonly rnic: string;
  /** What it is, where it is and how it is set up. */
  readonly subsystem: Subsystem;
}

/** A switch of the fabric. */
export interface SwitchNode {
  readonly name: string;
  readonly constants: FabricConstants;
  /** Priority flow control: a full queue pauses whoever fills it. */
  readonly lossless: boolean;
  /** ECN marking. */
  readonly marking: boolean;
}

/** A cable between two ends, each a device or a switch. */
export interface WorldLink {
  readonly name: string;
  /** Names of devices and switches. */
  readonly ends: readonly [string, string];
  /** 0: the rate of the port on it. */
  readonly gbps: number;
  readonly propagationNs: number;
}

/** Where a switch sends what is for a device, in place of the shortest paths. */
export interface WorldRoute {
  readonly at: string;
  readonly to: string;
  readonly via: readonly string[];
}

/** What a fault does; each field as in {@link FaultDescription}. */
export type FaultEffect = Omit<FaultDescription, 'at' | 'from' | 'for' | 'every'>;

/** A fault with its place looked up and its times in nanoseconds. */
export interface WorldFault {
  readonly at: string;
  readonly places: readonly FaultPlace[];
  readonly effect: FaultEffect;
  readonly fromNs: number;
  /** Infinity: to the end. */
  readonly forNs: number;
  /** 0: once. */
  readonly everyNs: number;
}

/** Something that a fault can sit on, by indices into the graph. */
export type FaultPlace =
  | { readonly kind: 'host'; readonly host: number }
  | { readonly kind: 'node'; readonly host: number; readonly node: number }
  | { readonly kind: 'link'; readonly host: number; readonly link: number }
  | { readonly kind: 'channel'; readonly host: number; readonly node: number; readonly channel: number }
  | { readonly kind: 'cable'; readonly link: number };

import type { Checker } from '../../../engine/checker.js';
import type { ControlSpec } from '../../../transport/congestion/rates/control-spec.js';
import type { FlowSpec } from '../nic/flow-spec.js';
import type { NicOptions } from '../nic/nic-options.js';
import type { BufferSpec } from '../switching/buffer-spec.js';
import type { MarkingThresholds, MarkingTime } from '../switching/marking.js';
import type { WatchdogOptions } from '../switching/watchdog-options.js';
import type { VisitOrder } from '../topology/routing.js';
import type { Topology } from '../topology/topology.js';
import type { Rounding } from './events/rounding.js';
import type { LinkChange } from './link-changes.js';
import type { GuestHosts } from './parts/guest-hosts.js';
import type { PauseOptions, PauseStorm } from './ports/pause-options.js';

/**
 * The order of events of one nanosecond: ns-3's, which is the order of scheduling, or one that depends on nothing but
 * the ports concerned.
 */
export type EventOrder = 'ns3' | 'canonical';

/** Random numbers: ns-3's own streams, or a seeded stream per port. */
export type RandomSource = 'ns3' | 'own';

/** Everything that a run depends on, as plain data: it can be sent to a worker thread. */
export interface FabricSpec {
  readonly topology: Topology;
  /** In order of start. */
  readonly flows: readonly FlowSpec[];
  readonly nic: NicOptions;
  readonly control: ControlSpec;
  readonly buffer: BufferSpec;
  /** Marking by rate of the port; ports of other rates never mark. */
  readonly marking: ReadonlyMap<number, MarkingThresholds>;
  /** When a packet is marked: on arrival by what waits, or on departure by what remains; departure unless set. */
  readonly marksOn?: MarkingTime;
  /** Whether windows and base round-trip times are the longest of the fabric, or each pair's own. */
  readonly globalRtt: boolean;
  readonly visits: VisitOrder;
  /** Links that are there and that no path takes; none unless set. */
  readonly unusedLinks?: readonly number[];
  readonly order: EventOrder;
  readonly rng: RandomSource;
  readonly rounding: Rounding;
  readonly seed: number;
  /** Loss rate of links that have none of their own. */
  readonly commonLossRate: number;
  /** Links that fail and come back, in order of time; none unless set. */
  readonly linkChanges?: readonly LinkChange[];
  /** How long flows keep their ways after a link has changed; 0 unless set. */
  readonly convergenceNs?: number;
  /** Pauses run out after this many quanta unless repeated; unless set they hold until the resume. */
  readonly pauses?: PauseOptions;
  /** Nodes that take pauses for corrupt frames: their links are encrypted, and the other end sends pauses in the clear. */
  readonly deafNodes?: readonly number[];
  /** NICs that hold their link without need. */
  readonly storms?: readonly PauseStorm[];
  /** None unless set. */
  readonly watchdog?: WatchdogOptions;
  /** Parts that are simulated apart for a window at a time; 1 unless set. The answer is the same. */
  readonly partitions?: number;
  /** Hosts that another simulation drives; none unless set. They send no flows; light flows may end at them. */
  readonly guests?: GuestHosts;
  /** Watches every admission and release; costs time. */
  readonly checker?: Checker;
}

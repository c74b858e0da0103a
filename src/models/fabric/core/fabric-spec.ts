import type { Checker } from '../../../engine/checker.js';
import type { ControlSpec } from '../../../transport/congestion/rates/control-spec.js';
import type { FlowSpec } from '../nic/flow-table.js';
import type { NicOptions } from '../nic/nic-options.js';
import type { BufferSpec } from '../switching/buffer-spec.js';
import type { MarkingThresholds } from '../switching/marking.js';
import type { VisitOrder } from '../topology/routing.js';
import type { Topology } from '../topology/topology.js';
import type { Rounding } from './rounding.js';

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
  /** Whether windows and base round-trip times are the longest of the fabric, or each pair's own. */
  readonly globalRtt: boolean;
  readonly visits: VisitOrder;
  readonly order: EventOrder;
  readonly rng: RandomSource;
  readonly rounding: Rounding;
  readonly seed: number;
  /** Loss rate of links that have none of their own. */
  readonly commonLossRate: number;
  /** Watches every admission and release; costs time. */
  readonly checker?: Checker;
}

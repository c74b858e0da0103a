import type { FlowTable } from '../nic/flow-table.js';
import type { WatchdogEvent } from '../switching/watchdog-options.js';
import type { FabricSpec } from './fabric-spec.js';
import type { FabricState } from './fabric-state.js';
import type { HeldPort } from './ports/held-ports.js';
import type { PauseLog } from './ports/pause-log.js';
import type { FabricTotals } from './totals.js';

/** A fabric that is run for a while at a time and looked at in between: in this thread, or in several. */
export interface RunningFabric {
  readonly spec: FabricSpec;
  /** What is read of it is up to date whenever `run` is over: ports, and the times and progress of flows. */
  readonly state: FabricState;
  readonly flows: FlowTable;
  /** When the last event was. */
  readonly nowNs: number;
  /** Events that were handled. */
  readonly events: number;
  /** Whether nothing is under way or planned any more. */
  readonly isIdle: boolean;
  /** Counters of all parts together. */
  readonly totals: FabricTotals;
  /** How many flows are done. */
  readonly finishedFlows: number;
  /** Flows that are done, in order of completion. With several threads: known after `end`. */
  readonly finished: readonly number[];
  /** Pauses and resumes in order of time. With several threads: known after `end`. */
  readonly pauseLog: PauseLog;
  /** Storms that watchdogs found and saw end, in order of time. With several threads: known after `end`. */
  readonly watchdogEvents: readonly WatchdogEvent[];
  /** Runs up to and including `untilNs`, or about `maxEvents` events of it; true if all of it was run. */
  run(untilNs: number, maxEvents?: number): boolean | Promise<boolean>;
  /** Everything that is held at the moment, and what each waits for. */
  heldPorts(): HeldPort[] | Promise<HeldPort[]>;
  /** Brings together what the parts know; nothing runs afterwards. */
  end(): void | Promise<void>;
}

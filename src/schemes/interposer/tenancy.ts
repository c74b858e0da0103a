import type { QpCap, QpInit } from '../../verbs/index.js';
import type { Intercept } from './intercept.js';
import type { InterposedQueuePair } from './queue-pair.js';

/** What a scheme does for one tenant on one host. Absent for an interposer that only passes through. */
export interface Tenancy {
  /** Whether it stands in the way of a queue pair that is about to be made. */
  adopts(init: QpInit): boolean;
  /** The sizes that the device's queue pair gets, with room for requests of the scheme's own. */
  enlarge(asked: Partial<QpCap>, maxQpWr: number): Partial<QpCap>;
  /** Stands in the way of a queue pair that was made. */
  intercept(qp: InterposedQueuePair): Intercept;
}

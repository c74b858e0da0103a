import type { CongestionControl, NotificationPoint } from '../../../transport/index.js';

/** How the queue pairs of a device are controlled, at both ends. */
export interface CongestionFactory {
  /** The control of a queue pair that sends to a node; -1: its datagrams go to several. */
  control(node: number): CongestionControl;
  /** Which marked arrivals cause a notification; null: none do. */
  readonly notification: NotificationPoint | null;
}

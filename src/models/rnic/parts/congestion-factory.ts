import {
  type CongestionControl,
  type NotificationPoint,
  noCongestionControl,
} from '../../../transport/index.js';

/** How the queue pairs of a device are controlled, at both ends. */
export interface CongestionFactory {
  /** The control of a queue pair that sends to a node; -1: its datagrams go to several. */
  control(node: number): CongestionControl;
  /** Which marked arrivals cause a notification; null: none do. */
  readonly notification: NotificationPoint | null;
}

/** Nothing slows queue pairs down, and marked packets cause nothing. */
export const uncontrolled: CongestionFactory = { control: () => noCongestionControl, notification: null };

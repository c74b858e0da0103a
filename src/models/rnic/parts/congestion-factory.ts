import { KelpieError } from '../../../error.js';
import type { Settings } from '../../../profiles/index.js';
import {
  type CongestionControl,
  type NotificationPoint,
  noCongestionControl,
} from '../../../transport/index.js';

/** How the queue pairs of a device are controlled, at both ends. */
export interface CongestionFactory {
  /** The control of a queue pair that sends packets of an MTU to a node; -1: its datagrams go to several. */
  control(node: number, mtuBytes: number): CongestionControl;
  /** Whether acknowledgements say how many packets arrived marked. */
  readonly echoMarks: boolean;
  /** Which marked arrivals cause a notification; null: none do. */
  readonly notification: NotificationPoint | null;
}

/** Nothing slows queue pairs down, and marked packets cause nothing. */
export const uncontrolled: CongestionFactory = {
  control: () => noCongestionControl,
  echoMarks: false,
  notification: null,
};

/** Refuses a setting that a device has no mechanism for: CONTROL_UNSUPPORTED. */
export function requireControl(
  control: Settings['congestionControl'],
  ...allowed: Settings['congestionControl'][]
): void {
  if (allowed.includes(control)) return;
  throw new KelpieError('CONTROL_UNSUPPORTED', 'the device has no such congestion control', {
    field: 'settings.congestionControl',
    given: control,
    allowed: allowed.join(' or '),
  });
}

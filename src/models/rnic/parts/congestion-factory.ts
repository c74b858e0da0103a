import {
  type CongestionControl,
  type NotificationPoint,
  noCongestionControl,
  type TelemetryFormat,
} from '../../../transport/index.js';

/** How the queue pairs of a device are controlled, at both ends. */
export interface CongestionFactory {
  /** The control of a queue pair that sends packets of an MTU to a node; -1: its datagrams go to several. */
  control(node: number, mtuBytes: number): CongestionControl;
  /** Whether acknowledgements say how many packets arrived marked. */
  readonly echoMarks: boolean;
  /** How packets carry telemetry for it; null: they carry none. */
  readonly telemetry: TelemetryFormat | null;
  /** Which marked arrivals cause a notification; null: none do. */
  readonly notification: NotificationPoint | null;
}

/** Nothing slows queue pairs down, and marked packets cause nothing. */
export const uncontrolled: CongestionFactory = {
  control: () => noCongestionControl,
  echoMarks: false,
  telemetry: null,
  notification: null,
};

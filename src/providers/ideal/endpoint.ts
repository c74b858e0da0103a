import { type BaseQueuePair, NO_SLOT } from '../../verbs/base/index.js';
import type { AddressVector } from '../../verbs/index.js';
import type { IdealDevice } from './device.js';

/** Why an endpoint does not send. */
export const Blocked = { NO: 0, NOT_READY: 1, TIMEOUT: 2, FAILED: 3 } as const;

/** What the ideal fabric knows about a queue pair beside its verbs: the ends of its connection. */
export class Endpoint {
  readonly qp: BaseQueuePair;
  readonly device: IdealDevice;
  /** Its place among the fabric's endpoints; events name it by this. */
  readonly id: number;
  /** Changes whenever all requests vanish, so that events about them are known to be old. */
  epoch: number;
  /** The oldest request on its way to the peer. */
  onTheWay = NO_SLOT;
  blocked: number = Blocked.NO;
  rnrRetries = 0;
  timeoutRetries = 0;
  /** Ended waits for a receive, and when the present one began. */
  private waitedNs = 0;
  private waitsSinceNs = -1;
  /** The PSN of the next request. */
  sendPsn = 0;
  /** The PSN that the peer's next request must have. */
  expectedPsn = 0;
  /** The path that `farDevice` was looked up for. */
  path: Readonly<AddressVector> | undefined = undefined;
  /** The device at the end of the path. */
  farDevice: IdealDevice | null = null;
  /** Whether a message came in while in RTR. */
  established = false;
  /** Whether a look at the send queue is scheduled. */
  pumpScheduled = false;

  constructor(qp: BaseQueuePair, device: IdealDevice, id: number, epoch: number) {
    this.qp = qp;
    this.device = device;
    this.id = id;
    this.epoch = epoch;
  }

  /** Forgets all requests on their way. */
  forget(epoch: number): void {
    this.epoch = epoch;
    this.onTheWay = NO_SLOT;
    this.blocked = Blocked.NO;
    this.rnrRetries = 0;
    this.timeoutRetries = 0;
    this.waitsSinceNs = -1;
  }

  /** The peer's program has posted no receive. */
  beginWait(nowNs: number): void {
    this.waitsSinceNs = nowNs;
  }

  /** It tries again. */
  endWait(nowNs: number): void {
    if (this.waitsSinceNs < 0) return;
    this.waitedNs += nowNs - this.waitsSinceNs;
    this.waitsSinceNs = -1;
  }

  /** Time so far in which it waited for a receive. */
  receiveWaitNs(nowNs: number): number {
    return this.waitedNs + (this.waitsSinceNs < 0 ? 0 : nowNs - this.waitsSinceNs);
  }
}

/** The PSNs that a message uses: one per packet, at least one; a READ uses those of its response. */
export function packetsOf(lengthBytes: number, mtu: number): number {
  return Math.max(1, Math.ceil(lengthBytes / mtu));
}

/** How long requests of a queue pair waited because the peer had no receive posted, up to now. */
export interface RnrClock {
  rnrWaitedPs(nowPs: number): number;
}

/** The account of a send queue: how long it had nothing to send, or no receive to send it to. */
export class SendAccount {
  /** Whether anything was ever announced. */
  hasPosted = false;
  /** WQEs that a doorbell announced and no packet was sent of; while there are none the queue is idle. */
  pending = 0;
  private readonly rnr: RnrClock;
  private idleSincePs = 0;
  private idlePs = 0;
  /** Waits for receives of the peer before the queue was idle: those that come while it is idle count once. */
  private waitedWhenIdlePs = 0;

  constructor(rnr: RnrClock) {
    this.rnr = rnr;
  }

  /** Time up to now in which it had nothing to send, or no receive to send it to. */
  idleUntilPs(nowPs: number): number {
    const waitedPs = this.rnr.rnrWaitedPs(nowPs);
    const open = this.pending === 0 ? nowPs - this.idleSincePs - (waitedPs - this.waitedWhenIdlePs) : 0;
    return this.idlePs + open + waitedPs;
  }

  /** The first doorbell: the account begins. */
  begin(nowPs: number): void {
    this.hasPosted = true;
    this.idleSincePs = nowPs;
  }

  /** More WQEs are announced. */
  announce(count: number, nowPs: number): void {
    if (this.pending === 0) this.idlePs = this.idleUntilPs(nowPs) - this.rnr.rnrWaitedPs(nowPs);
    this.pending += count;
  }

  /** Nothing that was announced will be sent. */
  abandon(nowPs: number): void {
    if (this.pending > 0) this.beginIdle(nowPs);
    this.pending = 0;
  }

  /** A message is sent again: the time up to now went into the recovery of a loss, and the queue was not idle. */
  repeated(nowPs: number): void {
    if (this.pending === 0) this.beginIdle(nowPs);
  }

  /** One WQE less is waiting to be sent. */
  served(nowPs: number): void {
    if (this.pending === 0) return;
    this.pending--;
    if (this.pending === 0) this.beginIdle(nowPs);
  }

  private beginIdle(nowPs: number): void {
    this.idleSincePs = nowPs;
    this.waitedWhenIdlePs = this.rnr.rnrWaitedPs(nowPs);
  }
}

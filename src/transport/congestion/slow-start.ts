import type { AckFacts, CongestionControl } from './congestion-control.js';

/** How a device lets queue pairs begin. */
export interface SlowStartParameters {
  readonly startGbps: number;
  readonly lineGbps: number;
  /** The rate doubles after this long. */
  readonly doublePs: number;
  /** A queue pair that sent nothing for this long begins again. */
  readonly idlePs: number;
}

/**
 * Slow start of a queue pair: it begins at a low rate, which doubles until it is the port's, and begins again after a
 * pause (the registers for slow restart, and slow restart after idle, of ConnectX devices). A stream without pauses is
 * as fast as without it.
 */
export class SlowStart implements CongestionControl {
  readonly name = 'slow-start';
  /** What it was controlled by before. */
  readonly inner: CongestionControl;
  nextSendPs = 0;
  private readonly parameters: SlowStartParameters;
  private gbps: number;
  private doubleAtPs = 0;
  private ownPs = Number.NEGATIVE_INFINITY;

  constructor(inner: CongestionControl, parameters: SlowStartParameters) {
    this.inner = inner;
    this.parameters = parameters;
    this.gbps = parameters.startGbps;
  }

  onSend(bytes: number, nowPs: number, counted: boolean): void {
    const { inner } = this;
    const { startGbps, lineGbps, doublePs, idlePs } = this.parameters;
    inner.onSend(bytes, nowPs, counted);
    if (nowPs - this.ownPs > idlePs) {
      this.gbps = startGbps;
      this.doubleAtPs = nowPs + doublePs;
    }
    while (this.gbps < lineGbps && nowPs >= this.doubleAtPs) {
      this.gbps *= 2;
      this.doubleAtPs += doublePs;
    }
    const beganPs = nowPs > this.ownPs ? nowPs : this.ownPs;
    // At the rate of the port that is what holds packets back.
    this.ownPs = this.gbps < lineGbps ? Math.ceil(beganPs + (bytes * 8000) / this.gbps) : nowPs;
    this.nextSendPs = this.ownPs > inner.nextSendPs ? this.ownPs : inner.nextSendPs;
  }

  get windowPackets(): number {
    return this.inner.windowPackets;
  }

  get ackPackets(): number {
    return this.inner.ackPackets;
  }

  get usesRoundTrips(): boolean {
    return this.inner.usesRoundTrips;
  }

  onAck(packets: number, nowPs: number, facts: AckFacts): void {
    this.inner.onAck(packets, nowPs, facts);
  }

  onCnp(nowPs: number): void {
    this.inner.onCnp(nowPs);
  }

  onLoss(nowPs: number): void {
    this.inner.onLoss(nowPs);
  }

  close(): void {
    this.inner.close();
  }
}

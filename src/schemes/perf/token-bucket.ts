/** A static token bucket: bytes at a rate, with some in store. */
export class TokenBucket {
  private readonly bytesPerNs: number;
  private readonly mostBytes: number;
  private bytes: number;
  private atNs = 0;

  constructor(gbps: number, mostBytes: number) {
    this.bytesPerNs = gbps / 8;
    this.mostBytes = mostBytes;
    this.bytes = mostBytes;
  }

  /** Whether something may be sent; it is paid for then, if need be with what comes later. */
  spend(bytes: number, nowNs: number): boolean {
    this.bytes = Math.min(this.mostBytes, this.bytes + (nowNs - this.atNs) * this.bytesPerNs);
    this.atNs = nowNs;
    if (this.bytes <= 0) return false;
    this.bytes -= bytes;
    return true;
  }

  /** When there will be something to spend again. */
  get readyNs(): number {
    return this.bytes > 0 ? this.atNs : this.atNs + (1 - this.bytes) / this.bytesPerNs;
  }
}

import { psnDiff } from '../packet/psn.js';

const ENTRIES = 64;

/**
 * When packets left that asked for an acknowledgement, so that acknowledgements say how long packets are under way. Of
 * packets that were sent twice nobody knows which copy is acknowledged: they give no time (Karn).
 */
export class RoundTrips {
  private readonly number = new Int32Array(ENTRIES);
  private readonly sentPs = new Float64Array(ENTRIES);
  private head = 0;
  private count = 0;

  /** A packet of a number left that asks for an acknowledgement. */
  note(number: number, nowPs: number): void {
    if (this.count === ENTRIES) this.drop();
    const at = (this.head + this.count) % ENTRIES;
    this.number[at] = number;
    this.sentPs[at] = nowPs;
    this.count++;
  }

  /** Everything up to and with a number is acknowledged: how long the newest of it was under way; 0 if nobody knows. */
  take(number: number, nowPs: number): number {
    let roundTripPs = 0;
    while (this.count > 0 && psnDiff(number, this.number[this.head]) >= 0) {
      roundTripPs = nowPs - this.sentPs[this.head];
      this.drop();
    }
    return roundTripPs;
  }

  /** Packets are sent again, or a connection begins. */
  forget(): void {
    this.count = 0;
  }

  private drop(): void {
    this.head = (this.head + 1) % ENTRIES;
    this.count--;
  }
}

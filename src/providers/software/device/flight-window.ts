import { psnDistance, RcEndpoint } from '../../../transport/index.js';
import type { QueuePairRecord } from './queue-pair-record.js';
import type { ReadyRing } from './ready-ring.js';

/**
 * How many packets all queue pairs of a device may have under way together. UDP sockets drop what does not fit their
 * buffer, and there is no flow control between devices; READs count with all the packets that they ask for.
 */
export class FlightWindow {
  private readonly mostPackets: number;
  private packets = 0;
  private readonly held: QueuePairRecord[] = [];

  constructor(mostPackets: number) {
    this.mostPackets = mostPackets;
  }

  /** Whether no request may be sent before something is answered. */
  get full(): boolean {
    return this.packets >= this.mostPackets;
  }

  /** Counts what a queue pair has under way now. */
  update(record: QueuePairRecord): void {
    const { endpoint } = record;
    if (!(endpoint instanceof RcEndpoint)) return;
    const { requester } = endpoint;
    const now = requester.active ? psnDistance(requester.nextPsn, requester.unackedPsn) : 0;
    this.packets += now - record.inFlightPackets;
    record.inFlightPackets = now;
  }

  /** Remembers a queue pair that has requests to send and may not. */
  hold(record: QueuePairRecord): void {
    if (record.held) return;
    record.held = true;
    this.held.push(record);
  }

  /** Lets those that were held take their turn again, if there is room. */
  release(ready: ReadyRing): void {
    if (this.held.length === 0 || this.full) return;
    for (const record of this.held) {
      record.held = false;
      if (!record.gone) ready.push(record);
    }
    this.held.length = 0;
  }
}

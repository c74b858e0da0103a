import { PRIORITIES } from '../fabric/egress-port.js';
import { IndexQueue } from '../resource/index-queue.js';

/**
 * The room for packets between their payload read and their last bit on the wire: a transmit queue of its own for each
 * traffic class. Who waits for room waits strictly in order within its class, and not for other classes.
 */
export class TransmitRoom {
  private readonly capacityBytes: number;
  private readonly bytes = new Float64Array(PRIORITIES);
  private readonly queues = Array.from({ length: PRIORITIES }, () => new IndexQueue());

  /** `capacityBytes`: of each class. */
  constructor(capacityBytes: number) {
    this.capacityBytes = capacityBytes;
  }

  /** Bytes of a class that are taken. */
  taken(trafficClass: number): number {
    return this.bytes[trafficClass];
  }

  /** Whether a packet fits; one always does when its class has nothing. */
  fits(trafficClass: number, packetBytes: number): boolean {
    const bytes = this.bytes[trafficClass];
    return bytes + packetBytes <= this.capacityBytes || bytes === 0;
  }

  take(trafficClass: number, bytes: number): void {
    this.bytes[trafficClass] += bytes;
  }

  give(trafficClass: number, bytes: number): void {
    this.bytes[trafficClass] -= bytes;
  }

  /** Those of a class that wait for room, first come first served. */
  waiters(trafficClass: number): IndexQueue {
    return this.queues[trafficClass];
  }
}

import { PRIORITIES } from '../../../fabric/cable-side.js';
import { TurnQueue } from '../../../resource/turn-queue.js';
import type { TenantShares } from '../../tenants/tenant-shares.js';

/**
 * The room for packets between their payload read and their last bit on the wire: a transmit queue of its own for each
 * lane, which is a traffic class, or a tenant on a device that keeps accounts; requests and READ responses have lanes of
 * their own. It is given out in whole cells, so that a short packet takes more of it than its bytes. Who waits for room
 * waits for its turn within its lane, and not for other lanes.
 */
export class TransmitRoom {
  private readonly requestBytes: number;
  private readonly responseBytes: number;
  /** Lanes of requests; as many of responses follow. */
  private readonly lanes: number;
  private readonly cellBytes: number;
  private readonly shares: TenantShares | null;
  private readonly bytes: Float64Array;
  private readonly queues: readonly TurnQueue[];

  /** Bytes for requests and for responses, of each class, or of all tenants together. */
  constructor(
    requestBytes: number,
    responseBytes: number,
    cellBytes: number,
    shares: TenantShares | null = null,
  ) {
    this.requestBytes = requestBytes;
    this.responseBytes = responseBytes;
    this.cellBytes = cellBytes;
    this.shares = shares?.kept ? shares : null;
    this.lanes = this.shares?.count ?? PRIORITIES;
    this.bytes = new Float64Array(2 * this.lanes);
    this.queues = Array.from({ length: 2 * this.lanes }, () => new TurnQueue());
  }

  /** The lane of a class or tenant for its requests, or for its responses. */
  laneOf(index: number, responses: boolean): number {
    return responses ? this.lanes + index : index;
  }

  /** How many lanes there are, of requests and responses. */
  get count(): number {
    return this.queues.length;
  }

  /** Bytes of a lane that are taken. */
  taken(lane: number): number {
    return this.bytes[lane];
  }

  /** Whether a packet fits; one always does when its lane has nothing. */
  fits(lane: number, packetBytes: number): boolean {
    const bytes = this.bytes[lane];
    const { lanes, shares } = this;
    const whole = lane < lanes ? this.requestBytes : this.responseBytes;
    const capacity = shares === null ? whole : shares.partOf(lane % lanes, whole);
    return bytes + this.inCells(packetBytes) <= capacity || bytes === 0;
  }

  take(lane: number, bytes: number): void {
    this.bytes[lane] += this.inCells(bytes);
  }

  give(lane: number, bytes: number): void {
    this.bytes[lane] -= this.inCells(bytes);
  }

  /** Those of a lane that wait for room, in the order of their turns. */
  waiters(lane: number): TurnQueue {
    return this.queues[lane];
  }

  private inCells(bytes: number): number {
    return Math.ceil(bytes / this.cellBytes) * this.cellBytes;
  }
}

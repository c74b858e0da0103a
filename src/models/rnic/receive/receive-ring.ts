import type { DmaPath } from '../../pcie/dma-path.js';

/** Where the receive WQE is that a message needs. */
export const ReceiveFetch = {
  /** On chip. */
  HIT: 0,
  /** It must be read; the message waits aside, with a descriptor. */
  MISS: 1,
  /** It must be read, and the receive engine stands still until it is there. */
  STALL: 2,
} as const;

/** The device's view of a receive queue: what was posted, and which of it is on chip. */
export abstract class ReceiveRing {
  /** Receives posted and taken so far. */
  posted = 0;
  taken = 0;
  /** Receives that the transport has used; `taken` runs ahead of it by those whose packets are on their way. */
  used = 0;
  /** Whether the WQE of a message is read as the message comes, also while another of its queue pair waits before it. */
  readonly fetchesBehind: boolean = false;
  /** The way to the ring itself, and to the buffers posted last. */
  readonly queuePath: DmaPath;
  path: DmaPath;
  /** Whose it is, on a device that accounts by tenant. */
  readonly tenant: number;

  constructor(queuePath: DmaPath, tenant: number) {
    this.queuePath = queuePath;
    this.path = queuePath;
    this.tenant = tenant;
  }

  /** The program posted `count` receives in one call. */
  abstract post(count: number): void;

  /** Takes the next receive for a message; says where it is, by a {@link ReceiveFetch}. There must be one. */
  abstract take(): number;

  /** Reads the receive that was taken last; `found` is what `take` answered, and no hit. Returns when it is on chip. */
  abstract read(found: number, nowPs: number, tenant: number): number;

  /** Receives that no message has taken. */
  get available(): number {
    return this.posted - this.taken;
  }

  /** Its receives were flushed or forgotten. Messages whose packets are on their way give back what they took. */
  abandon(): void {
    this.posted = this.used;
  }
}

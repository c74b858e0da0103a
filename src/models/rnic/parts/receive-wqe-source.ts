import type { DmaPath } from '../../pcie/dma-path.js';
import type { ReceiveRing } from '../receive/receive-ring.js';

/** What a receive queue is like. */
export interface ReceiveRingOptions {
  /** Receives that it holds. */
  depth: number;
  /** Elements of each. */
  elements: number;
  /** Whether its messages are datagrams. */
  datagrams: boolean;
  tenant: number;
  /** The way to the ring itself. */
  queuePath: DmaPath;
}

/** Where the receive WQEs of messages come from. */
export interface ReceiveWqeSource {
  /** The device's view of a new receive queue. */
  newRing(options: ReceiveRingOptions): ReceiveRing;
}

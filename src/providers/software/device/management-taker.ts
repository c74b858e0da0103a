import type { ManagementDatagram } from '../packets/inbox.js';

/** Who takes the datagrams of queue pair 1. */
export interface ManagementTaker {
  /** One arrived; it is valid during the call. */
  arrived(datagram: ManagementDatagram): void;
  /** All that arrived with it has been served. */
  serve(): void;
}

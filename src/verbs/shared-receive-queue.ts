import type { ProtectionDomain } from './protection-domain.js';
import type { RecvWr } from './work-request.js';

/** Choices when a shared receive queue is made. */
export interface SrqOptions {
  maxWr: number;
  maxSge: number;
  /** Where it lies, by a name of `Context.placements()`; default: where the provider puts queues. */
  placement?: string;
}

/** Receives that several queue pairs take from, first come first served. */
export interface SharedReceiveQueue {
  readonly pd: ProtectionDomain;
  readonly maxWr: number;
  readonly maxSge: number;
  /** Posts one or several receives; a refusal carries `badWrIndex`. */
  postRecv(wr: RecvWr | readonly RecvWr[]): void;
  /** Raises one `SRQ_LIMIT_REACHED` async event when fewer than `limit` receives are left; 0 disarms. */
  setLimit(limit: number): void;
  /** Refused with OBJECT_BUSY while queue pairs use it. */
  destroy(): void;
}

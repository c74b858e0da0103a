import type { CompletionQueue } from './completion-queue.js';
import type { QueuePair } from './queue-pair.js';
import type { SharedReceiveQueue } from './shared-receive-queue.js';

/** What a device tells a program without being asked: the affiliated events of libibverbs, and the port's. */
export type AsyncEvent =
  /** `QP_FATAL`: a QP failed with no request to blame; `QP_REQ_ERR`, `QP_ACCESS_ERR`: the responder refused a request. */
  | {
      type: 'QP_FATAL' | 'QP_REQ_ERR' | 'QP_ACCESS_ERR' | 'COMM_EST' | 'SQ_DRAINED' | 'QP_LAST_WQE_REACHED';
      qp: QueuePair;
    }
  | { type: 'CQ_ERR'; cq: CompletionQueue }
  | { type: 'SRQ_LIMIT_REACHED' | 'SRQ_ERR'; srq: SharedReceiveQueue }
  | { type: 'PORT_ACTIVE' | 'PORT_ERR' | 'DEVICE_FATAL' }
  /**
   * Something threw while a management datagram or a timer of connection management was served: mostly the program's
   * own handler of connection requests, whose port is then given. The device and its other connections go on.
   */
  | { type: 'CM_FAULT'; port: number | null; error: Error };

/** The name of an async event. */
export type AsyncEventType = AsyncEvent['type'];

import type { NicQueuePair } from '../../../models/index.js';
import type { Endpoint } from '../../../transport/index.js';
import type { BaseQueuePair } from '../../../verbs/base/index.js';

/**
 * The queue pairs of a device in their three forms: the verbs' `qp`, the transport's `endpoint` and the NIC's `pair`. The
 * NIC's index, which is the endpoint's tag, leads to the first two, the number of the verbs to the third.
 */
export class QueuePairTable {
  /** By index; null once destroyed. */
  readonly qps: (BaseQueuePair | null)[] = [];
  /** By index. */
  readonly endpoints: Endpoint[] = [];
  private readonly byNumber: (NicQueuePair | null)[] = [];

  add(qp: BaseQueuePair, endpoint: Endpoint, pair: NicQueuePair): void {
    endpoint.tag = pair.index;
    this.qps[pair.index] = qp;
    this.endpoints[pair.index] = endpoint;
    this.byNumber[qp.qpNum] = pair;
  }

  remove(qp: BaseQueuePair): void {
    this.qps[this.pairOf(qp).index] = null;
    this.byNumber[qp.qpNum] = null;
  }

  /** The NIC's form of a queue pair that is there. */
  pairOf(qp: BaseQueuePair): NicQueuePair {
    return this.byNumber[qp.qpNum]!;
  }

  /** The transport's form of a queue pair that is there. */
  endpointOf(qp: BaseQueuePair): Endpoint {
    return this.endpoints[this.pairOf(qp).index];
  }

  /** The NIC's form of the queue pair with this number; null where there is none. */
  find(qpNum: number): NicQueuePair | null {
    return this.byNumber[qpNum] ?? null;
  }
}

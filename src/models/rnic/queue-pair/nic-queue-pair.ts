import type { PacketSink, RequestStream, ResponseStream } from '../../../transport/index.js';
import type { QpType } from '../../../verbs/index.js';
import type { DmaPath } from '../../pcie/dma-path.js';
import type { ContextKeys } from '../memory/context-keys.js';
import { ReceiveSide } from '../receive/receive-side.js';
import type { FunctionLimiter } from '../tenants/function-limiter.js';
import { SendAccount } from './send-account.js';
import { SendSide } from './send-side.js';

/** What a NIC needs of the transport of a queue pair. */
export interface NicEndpoint extends RequestStream, ResponseStream, PacketSink {
  readonly type: QpType;
  readonly attributes: { readonly pathMtu: number };
}

/**
 * A queue pair as the NIC has it.
 *
 * There are three forms of a queue pair, each with one name and one number. The verbs' is `qp`, by `qpNum`: the number
 * that programs and packets use (`qpn` on the wire). The transport's is `endpoint`. The NIC's is `pair`, by `index`: its
 * place in the tables of its device, in the order of creation and never given again; `endpoint.tag` is the same number.
 */
export class NicQueuePair {
  readonly index: number;
  readonly endpoint: NicEndpoint;
  /** What its type says: asked of each packet, where a word would take longer to compare. */
  readonly isReliable: boolean;
  readonly isDatagram: boolean;
  readonly context: ContextKeys;
  readonly send: SendSide;
  readonly receive = new ReceiveSide();
  readonly account: SendAccount;
  /** Node at the other end of a connection; datagrams name theirs one by one. */
  peerNode = -1;
  priority = 0;
  /** What its packets have in their IP headers. */
  ipTrafficClass = 0;
  /** The way to the buffers of the request being sent, and to the memory that the peer reads or writes. */
  path: DmaPath;
  inboundPath: DmaPath;
  /** The function (0: the physical one) that it belongs to, and whose error handling concerns it. */
  functionNumber = 0;
  /** Whose it is, on a device that accounts by tenant; 0 elsewhere. */
  tenant = 0;
  /** The rate limit of the function that it belongs to; null where that has none. */
  limiter: FunctionLimiter | null = null;
  /** Its packets are served by one of the shared processors. */
  processor = 0;

  /** `path` leads to where its queue and buffers lie unless set otherwise. */
  constructor(index: number, endpoint: NicEndpoint, context: ContextKeys, path: DmaPath) {
    this.index = index;
    this.endpoint = endpoint;
    this.isReliable = endpoint.type === 'RC';
    this.isDatagram = endpoint.type === 'UD';
    this.context = context;
    this.send = new SendSide(path);
    this.account = new SendAccount(endpoint);
    this.path = path;
    this.inboundPath = path;
  }
}

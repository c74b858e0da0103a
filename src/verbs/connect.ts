import { ACCESS_REMOTE } from './access.js';
import type { CompletionQueue } from './completion-queue.js';
import type { Context } from './context.js';
import type { ProtectionDomain } from './protection-domain.js';
import type { Mtu, QpCap, QueuePair } from './queue-pair.js';

/** The first PSNs differ, so that a mistake in the exchange is found at the first message. */
const LEFT_PSN = 0x1a0000;
const RIGHT_PSN = 0x2b0000;

/** One end of a reliable connection, with all that was made for it. */
export interface RcEnd {
  readonly context: Context;
  readonly pd: ProtectionDomain;
  readonly sendCq: CompletionQueue;
  readonly recvCq: CompletionQueue;
  /** In RTS. */
  readonly qp: QueuePair;
}

/** What can be chosen about a pair; everything has a default. */
export interface RcPairOptions {
  /** Sizes of the queues; 128 requests, 4 elements, no inline data where left out. */
  cap?: Partial<QpCap>;
  /** The row of both GID tables; 0 where left out. */
  sgidIndex?: number;
  /** Where left out, the smaller of the two ports' active MTUs. */
  pathMtu?: Mtu;
  /** Service level of both ends, 0 to 15; 0 where left out. */
  sl?: number;
  /** Access.REMOTE_… that each end allows the other; all where left out. */
  qpAccessFlags?: number;
}

/**
 * Makes a protection domain, two completion queues and a queue pair on each side and connects them: the exchange that
 * programs do out of band, and every attribute that RC requires, in one place to read. Nothing here is special to any
 * provider; for another choice of attributes copy it.
 *
 * @example
 * const [a, b] = connectRcPair(await provider.open('ideal0'), await provider.open('ideal1'));
 * a.qp.postSend({ opcode: 'SEND', sgList, signaled: true });
 */
export function connectRcPair(left: Context, right: Context, options: RcPairOptions = {}): [RcEnd, RcEnd] {
  const a = makeEnd(left, options);
  const b = makeEnd(right, options);
  connect(a, b, LEFT_PSN, RIGHT_PSN, options);
  connect(b, a, RIGHT_PSN, LEFT_PSN, options);
  return [a, b];
}

function makeEnd(context: Context, options: RcPairOptions): RcEnd {
  const cap = {
    maxSendWr: 128,
    maxRecvWr: 128,
    maxSendSge: 4,
    maxRecvSge: 4,
    maxInlineData: 0,
    ...options.cap,
  };
  const pd = context.allocPd();
  const sendCq = context.createCq({ cqe: Math.max(1, cap.maxSendWr) });
  const recvCq = context.createCq({ cqe: Math.max(1, cap.maxRecvWr) });
  return { context, pd, sendCq, recvCq, qp: pd.createQp({ qpType: 'RC', sendCq, recvCq, cap }) };
}

/** Takes one end from RESET to RTS, towards the other. */
function connect(self: RcEnd, peer: RcEnd, sqPsn: number, rqPsn: number, options: RcPairOptions): void {
  const portNum = 1;
  const sgidIndex = options.sgidIndex ?? 0;
  const mtus = [self, peer].map(({ context }) => context.queryPort(portNum).activeMtu);
  const { maxQpRdAtom, maxQpInitRdAtom } = self.context.queryDevice();
  self.qp.modify({
    state: 'INIT',
    pkeyIndex: 0,
    portNum,
    qpAccessFlags: options.qpAccessFlags ?? ACCESS_REMOTE,
  });
  self.qp.modify({
    state: 'RTR',
    ahAttr: { dgid: peer.context.queryGid(portNum, sgidIndex), sgidIndex, portNum, sl: options.sl ?? 0 },
    pathMtu: options.pathMtu ?? (Math.min(...mtus) as Mtu),
    destQpNum: peer.qp.qpNum,
    rqPsn,
    maxDestRdAtomic: Math.min(16, maxQpRdAtom),
    minRnrTimer: 12, // 0.64 ms
  });
  self.qp.modify({
    state: 'RTS',
    sqPsn,
    timeout: 14, // 67 ms
    retryCnt: 7,
    rnrRetry: 7, // for ever
    maxRdAtomic: Math.min(16, maxQpInitRdAtom, peer.context.queryDevice().maxQpRdAtom),
  });
}

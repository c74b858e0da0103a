import { ACCESS_REMOTE } from './access.js';
import type { CompletionQueue } from './completion-queue.js';
import type { Context } from './context.js';
import type { ProtectionDomain } from './protection-domain.js';
import type { Mtu, QpCap, QpType, QueuePair } from './queue-pair.js';
import type { DatagramTarget } from './work-request.js';

const PORT_NUM = 1;
/** The first PSNs differ, so that a mistake in the exchange is found at the first message. */
const LEFT_PSN = 0x1a0000;
const RIGHT_PSN = 0x2b0000;

/** The queue key of datagram pairs. */
const QKEY = 0x1ee7;

/** One end of a pair, with all that was made for it. */
export interface PairEnd {
  readonly context: Context;
  readonly pd: ProtectionDomain;
  readonly sendCq: CompletionQueue;
  readonly recvCq: CompletionQueue;
  /** In RTS. */
  readonly qp: QueuePair;
}

/** One end of a reliable connection. */
export type RcEnd = PairEnd;

/** One end of a pair for datagrams. */
export interface UdEnd extends PairEnd {
  /** What a SEND to the other end needs besides its data. */
  readonly to: Required<DatagramTarget>;
}

/** What can be chosen about a pair of connected ends; everything has a default. */
export interface RcPairOptions {
  /** Sizes of the queues; default: 128 requests, 4 elements, no inline data. */
  cap?: Partial<QpCap>;
  /** The row of both GID tables; default 0. */
  sgidIndex?: number;
  /** Default: the smaller of the two ports' active MTUs. */
  pathMtu?: Mtu;
  /** Service level of both ends, 0 to 15; default: 0. */
  sl?: number;
  /** Access.REMOTE_… that each end allows the other; default: all. */
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
  return connectPair('RC', left, right, options);
}

/**
 * As {@link connectRcPair}, with unreliable connections: what is lost is lost, and no READ and no atomic can be asked.
 *
 * @example
 * const [a, b] = connectUcPair(await provider.open('ideal0'), await provider.open('ideal1'));
 */
export function connectUcPair(
  left: Context,
  right: Context,
  options: RcPairOptions = {},
): [PairEnd, PairEnd] {
  return connectPair('UC', left, right, options);
}

/**
 * Makes a queue pair for datagrams on each side, with the way to the other. Receives need 40 bytes more than the
 * datagrams, for the GRH.
 *
 * @example
 * const [a, b] = makeUdPair(await provider.open('ideal0'), await provider.open('ideal1'));
 * a.qp.postSend({ opcode: 'SEND', sgList, ...a.to });
 */
export function makeUdPair(
  left: Context,
  right: Context,
  options: Omit<RcPairOptions, 'pathMtu' | 'qpAccessFlags'> = {},
): [UdEnd, UdEnd] {
  const [a, b] = [makeEnd('UD', left, options), makeEnd('UD', right, options)];
  for (const [end, psn] of [
    [a, LEFT_PSN],
    [b, RIGHT_PSN],
  ] as const) {
    end.qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: PORT_NUM, qkey: QKEY });
    end.qp.modify({ state: 'RTR' });
    end.qp.modify({ state: 'RTS', sqPsn: psn });
  }
  return [
    { ...a, to: wayTo(a, b, options) },
    { ...b, to: wayTo(b, a, options) },
  ];
}

function wayTo(self: PairEnd, peer: PairEnd, options: RcPairOptions): Required<DatagramTarget> {
  const sgidIndex = options.sgidIndex ?? 0;
  const ah = self.pd.createAh({
    dgid: peer.context.queryGid(PORT_NUM, sgidIndex),
    sgidIndex,
    portNum: PORT_NUM,
    sl: options.sl ?? 0,
  });
  return { ah, remoteQpn: peer.qp.qpNum, remoteQkey: QKEY };
}

function connectPair(
  qpType: 'RC' | 'UC',
  left: Context,
  right: Context,
  options: RcPairOptions,
): [PairEnd, PairEnd] {
  const a = makeEnd(qpType, left, options);
  const b = makeEnd(qpType, right, options);
  connect(a, b, LEFT_PSN, RIGHT_PSN, options);
  connect(b, a, RIGHT_PSN, LEFT_PSN, options);
  return [a, b];
}

function makeEnd(qpType: QpType, context: Context, options: RcPairOptions): PairEnd {
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
  return { context, pd, sendCq, recvCq, qp: pd.createQp({ qpType, sendCq, recvCq, cap }) };
}

/** Takes one end from RESET to RTS, towards the other. */
function connect(self: PairEnd, peer: PairEnd, sqPsn: number, rqPsn: number, options: RcPairOptions): void {
  const portNum = PORT_NUM;
  const reliable = self.qp.qpType === 'RC';
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
    ...(reliable && {
      maxDestRdAtomic: Math.min(16, maxQpRdAtom),
      minRnrTimer: 12, // 0.64 ms
    }),
  });
  self.qp.modify({
    state: 'RTS',
    sqPsn,
    ...(reliable && {
      timeout: 14, // 67 ms
      retryCnt: 7,
      rnrRetry: 7, // forever
      maxRdAtomic: Math.min(16, maxQpInitRdAtom, peer.context.queryDevice().maxQpRdAtom),
    }),
  });
}

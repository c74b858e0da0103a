import {
  ACCESS_REMOTE,
  type CompletionQueue,
  type Context,
  type ProtectionDomain,
  type QueuePair,
} from '../../verbs/index.js';

/** One end of a connection that an interposer makes for itself. */
export interface OwnEnd {
  context: Context;
  pd: ProtectionDomain;
  sendCq: CompletionQueue;
  recvCq: CompletionQueue;
  /** Send and receive requests that the queue pair takes. */
  depth: number;
  /** Send requests wait for an ENABLE. */
  managedSend?: boolean;
}

/** Connects two ends of an interposer's own by RC, on one device or two. */
export function connectOwn(left: OwnEnd, right: OwnEnd): [QueuePair, QueuePair] {
  const a = makeQp(left);
  const b = makeQp(right);
  bringUp(a, b, right.context);
  bringUp(b, a, left.context);
  return [a, b];
}

function makeQp({ pd, sendCq, recvCq, depth, managedSend = false }: OwnEnd): QueuePair {
  const cap = { maxSendWr: depth, maxRecvWr: depth, maxSendSge: 1, maxRecvSge: 1 };
  return pd.createQp({ qpType: 'RC', sendCq, recvCq, cap, managedSend });
}

function bringUp(qp: QueuePair, peer: QueuePair, peerContext: Context): void {
  const portNum = 1;
  const { activeMtu } = peerContext.queryPort(portNum);
  qp.modify({ state: 'INIT', pkeyIndex: 0, portNum, qpAccessFlags: ACCESS_REMOTE });
  qp.modify({
    state: 'RTR',
    ahAttr: { dgid: peerContext.queryGid(portNum, 0), sgidIndex: 0, portNum },
    pathMtu: activeMtu,
    destQpNum: peer.qpNum,
    rqPsn: 0,
    maxDestRdAtomic: 1,
    minRnrTimer: 1,
  });
  qp.modify({ state: 'RTS', sqPsn: 0, timeout: 14, retryCnt: 7, rnrRetry: 7, maxRdAtomic: 1 });
}

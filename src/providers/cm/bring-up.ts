import { ACCESS_REMOTE, type Mtu, type QueuePair, VerbsError } from '../../verbs/index.js';
import { formatGidShort, type Gid } from '../../wire/ib/gid.js';

/** The port of the device that connections are made on. */
export const PORT_NUM = 1;
/** Path MTUs by their code, less one. */
export const MTUS: readonly Mtu[] = [256, 512, 1024, 2048, 4096];

/** 0.64 ms until a receiver that was not ready is asked again: librdmacm leaves it to the device; this is rxe's. */
const MIN_RNR_TIMER = 12;
/** 67 ms until an unacknowledged packet is sent again. */
export const ACK_TIMEOUT = 14;

/** What a queue pair needs to know of its connection. */
export interface Way {
  peer: Gid;
  sgidIndex: number;
  mtuCode: number;
  destQpNum: number;
  rqPsn: number;
  sqPsn: number;
  responderResources: number;
  initiatorDepth: number;
  retryCount: number;
  rnrRetryCount: number;
  ackTimeout: number;
}

/** Takes a queue pair from RESET or INIT to RTS. One that cannot go all the way is put back to RESET. */
export function bringUp(qp: QueuePair, way: Way, qpAccessFlags: number | undefined): void {
  const connected = qp.qpType === 'RC';
  try {
    if (qp.state !== 'INIT')
      qp.modify({
        state: 'INIT',
        pkeyIndex: 0,
        portNum: PORT_NUM,
        qpAccessFlags: qpAccessFlags ?? ACCESS_REMOTE,
      });
    qp.modify({
      state: 'RTR',
      ahAttr: { dgid: formatGidShort(way.peer), sgidIndex: way.sgidIndex, portNum: PORT_NUM },
      pathMtu: MTUS[way.mtuCode - 1],
      destQpNum: way.destQpNum,
      rqPsn: way.rqPsn,
      ...(connected ? { maxDestRdAtomic: way.responderResources, minRnrTimer: MIN_RNR_TIMER } : {}),
    });
    qp.modify({
      state: 'RTS',
      sqPsn: way.sqPsn,
      ...(connected
        ? {
            timeout: way.ackTimeout,
            retryCnt: way.retryCount,
            rnrRetry: way.rnrRetryCount,
            maxRdAtomic: way.initiatorDepth,
          }
        : {}),
    });
  } catch (error) {
    leave(qp, 'RESET');
    throw error;
  }
}

/** Moves a queue pair to ERR or RESET; one that its program destroyed meanwhile needs nothing. */
export function leave(qp: QueuePair, state: 'ERR' | 'RESET'): void {
  unlessGone(() => {
    if (qp.state !== state && qp.state !== 'RESET') qp.modify({ state });
  });
}

/** Destroys a queue pair, unless its program did. */
export function destroy(qp: QueuePair): void {
  unlessGone(() => qp.destroy());
}

function unlessGone(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof VerbsError && error.code === 'OBJECT_DESTROYED')) throw error;
  }
}

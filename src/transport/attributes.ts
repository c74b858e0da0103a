import type { QpAttributes } from '../verbs/base/objects/qp-attributes.js';

/**
 * The attributes of a queue pair that its endpoint needs, numbers only. The device changes them in place and then
 * calls `endpoint.modified(state)`.
 */
export interface EndpointAttributes {
  /** Payload bytes of a packet. */
  pathMtu: number;
  destQpn: number;
  /** First PSN expected from the peer, read on entry to RTR. */
  rqPsn: number;
  /** First PSN sent, read on entry to RTS. */
  sqPsn: number;
  /** Bits of `Access` that peers may use. */
  accessFlags: number;
  maxDestRdAtomic: number;
  /** Coded delays. */
  minRnrTimer: number;
  timeout: number;
  retryCnt: number;
  rnrRetry: number;
  qkey: number;
}

/** Attributes as they are in RESET. */
export function resetAttributes(): EndpointAttributes {
  return {
    pathMtu: 1024,
    destQpn: 0,
    rqPsn: 0,
    sqPsn: 0,
    accessFlags: 0,
    maxDestRdAtomic: 0,
    minRnrTimer: 0,
    timeout: 0,
    retryCnt: 0,
    rnrRetry: 0,
    qkey: 0,
  };
}

/** Takes over what the verbs have set; the rest is as in RESET. */
export function copyAttributes(from: QpAttributes, to: EndpointAttributes): void {
  to.pathMtu = from.pathMtu ?? 1024;
  to.destQpn = from.destQpNum ?? 0;
  to.rqPsn = from.rqPsn ?? 0;
  to.sqPsn = from.sqPsn ?? 0;
  to.accessFlags = from.qpAccessFlags ?? 0;
  to.maxDestRdAtomic = from.maxDestRdAtomic ?? 0;
  to.minRnrTimer = from.minRnrTimer ?? 0;
  to.timeout = from.timeout ?? 0;
  to.retryCnt = from.retryCnt ?? 0;
  to.rnrRetry = from.rnrRetry ?? 0;
  to.qkey = from.qkey ?? 0;
}

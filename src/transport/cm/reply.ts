import { padPrivateData, REP_PRIVATE_DATA_BYTES, type Rep, type Req } from '../../wire/cm/index.js';

/** What the passive side answers a request with; all but the queue pair and the first PSN have defaults. */
export interface CmReply {
  qpn: number;
  /** The first PSN that the *other* side sends (table 110). */
  startingPsn: number;
  /** READs and atomics that this side serves at a time; as many as were asked for unless set. */
  responderResources?: number;
  /** READs and atomics that this side keeps in flight; as many as the other side serves unless set. */
  initiatorDepth?: number;
  rnrRetryCount?: number;
  srq?: boolean;
  privateData?: Uint8Array;
}

/** The REP that a reply to a request means. */
export function repOf(reply: CmReply, req: Req, localId: number, caGuid: bigint): Rep {
  return {
    kind: 'rep',
    transactionId: req.transactionId,
    localCommunicationId: localId,
    remoteCommunicationId: req.localCommunicationId,
    localQueueKey: 0,
    localQpn: reply.qpn,
    localEecn: 0,
    startingPsn: reply.startingPsn,
    responderResources: Math.min(reply.responderResources ?? req.initiatorDepth, req.initiatorDepth),
    initiatorDepth: Math.min(reply.initiatorDepth ?? req.responderResources, req.responderResources),
    targetAckDelay: 0,
    failoverAccepted: 0,
    endToEndFlowControl: false,
    rnrRetryCount: reply.rnrRetryCount ?? req.rnrRetryCount,
    srq: reply.srq ?? false,
    localCaGuid: caGuid,
    privateData: padPrivateData(REP_PRIVATE_DATA_BYTES, reply.privateData),
  };
}

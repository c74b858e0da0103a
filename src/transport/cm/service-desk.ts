import {
  APR_PRIVATE_DATA_BYTES,
  APR_STATUS,
  type Apr,
  type CmServiceMessage,
  emitCmService,
  type Lap,
  MAD_BYTES,
  padPrivateData,
  SIDR_REP_PRIVATE_DATA_BYTES,
  SIDR_REQ_PRIVATE_DATA_BYTES,
  SIDR_STATUS,
  type SidrRep,
  type SidrReq,
} from '../../wire/cm/index.js';
import type { Gid } from '../../wire/ib/gid.js';
import type { Admission } from './admission.js';

const DEFAULT_PARTITION_KEY = 0xffff;

/** A queue pair of datagrams that a service names to whoever asks. */
export interface DatagramQueuePair {
  qpn: number;
  queueKey: number;
  /** Bytes for the other program, up to 136. */
  privateData?: Uint8Array;
}

/** What a desk needs of the agent that it belongs to. */
interface DeskHost {
  readonly counters: { strays: number; rateLimited: number };
  readonly admission: Admission;
  nextTransaction(): bigint;
  send(datagram: Uint8Array, to: Gid): void;
  /** Whether a connection of ours is with this address. */
  isPeer(localId: number, source: Gid): boolean;
  sidrRequest(req: SidrReq, source: Gid): DatagramQueuePair | null;
  sidrReply(rep: SidrRep, source: Gid): void;
}

/**
 * Messages that are not about the life of a connection. Nothing is remembered of them: each is answered with one of the
 * same size, or not at all.
 */
export class ServiceDesk {
  private readonly host: DeskHost;

  constructor(host: DeskHost) {
    this.host = host;
  }

  /** Asks for the queue pair of datagrams behind a service; the answer comes as `sidrReply`. */
  ask(requestId: number, serviceId: bigint, privateData: Uint8Array, to: Gid): void {
    const req: SidrReq = {
      kind: 'sidrReq',
      transactionId: this.host.nextTransaction(),
      localCommunicationId: requestId,
      partitionKey: DEFAULT_PARTITION_KEY,
      serviceId,
      privateData: padPrivateData(SIDR_REQ_PRIVATE_DATA_BYTES, privateData),
    };
    this.send(req, to);
  }

  receive(message: CmServiceMessage, source: Gid, nowNs: number): void {
    const { host } = this;
    if (message.kind === 'apr') host.counters.strays++;
    else if (message.kind === 'sidrRep') host.sidrReply(message, source);
    else {
      const peer = host.admission.peerOf(source, nowNs);
      if (host.admission.takeToken(peer, nowNs)) this.send(this.answer(message, source), source);
      else host.counters.rateLimited++;
      host.admission.rest(peer);
    }
  }

  private answer(message: SidrReq | Lap, source: Gid): CmServiceMessage {
    const { host } = this;
    return message.kind === 'lap'
      ? aprAnswer(message, host.isPeer(message.remoteCommunicationId, source))
      : sidrAnswer(message, host.sidrRequest(message, source));
  }

  private send(message: CmServiceMessage, to: Gid): void {
    const datagram = new Uint8Array(MAD_BYTES);
    emitCmService(message, datagram, 0);
    this.host.send(datagram, to);
  }
}

/** The answer to a request for datagrams: the queue pair, or that this service has none. */
function sidrAnswer(req: SidrReq, found: DatagramQueuePair | null): SidrRep {
  return {
    kind: 'sidrRep',
    transactionId: req.transactionId,
    localCommunicationId: req.localCommunicationId,
    outcome: found === null ? SIDR_STATUS.unsupported : SIDR_STATUS.success,
    qpn: found?.qpn ?? 0,
    serviceId: req.serviceId,
    queueKey: found?.queueKey ?? 0,
    privateData: padPrivateData(SIDR_REP_PRIVATE_DATA_BYTES, found?.privateData),
  };
}

/** The answer to a request for another path: there is none to change to, or no such connection. */
function aprAnswer(lap: Lap, known: boolean): Apr {
  return {
    kind: 'apr',
    transactionId: lap.transactionId,
    localCommunicationId: lap.remoteCommunicationId,
    remoteCommunicationId: lap.localCommunicationId,
    outcome: known ? APR_STATUS.unsupported : APR_STATUS.invalidCommunicationId,
    privateData: padPrivateData(APR_PRIVATE_DATA_BYTES),
  };
}

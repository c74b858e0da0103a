import { VerbsError } from '../../verbs/error.js';
import {
  type CmMessage,
  DREP_PRIVATE_DATA_BYTES,
  DREQ_PRIVATE_DATA_BYTES,
  type Dreq,
  emitCm,
  MAD_BYTES,
  MRA_MESSAGE,
  MRA_PRIVATE_DATA_BYTES,
  type Mra,
  padPrivateData,
  REJ_MESSAGE,
  REJ_PRIVATE_DATA_BYTES,
  REJ_REASON,
  type Rej,
  type Rep,
  type Req,
  RTU_PRIVATE_DATA_BYTES,
} from '../../wire/cm/index.js';
import type { Gid } from '../../wire/ib/gid.js';
import type { CmPeer } from './admission.js';
import type { Deadlined } from './deadline-heap.js';
import type { CmHost, CmState } from './event.js';
import { ANSWERS_PER_MESSAGE } from './limits.js';
import { saysNoSuchConnection } from './no-such-connection.js';
import { type CmReply, repOf } from './reply.js';
import { cmTimeoutNs } from './timing.js';

/**
 * One connection, from either side: which message may come now, what it does, and what is sent again when none comes
 * (IBTA vol. 1, 12.9.7 and 12.9.8). Times are nanoseconds on the caller's clock.
 *
 * A DREQ is answered at once, without asking the consumer, who hears that the connection ended.
 */
export class CmConnection implements Deadlined {
  readonly role: 'active' | 'passive';
  readonly localId: number;
  /** The other side's name for it; 0 until that is known. */
  remoteId: number;
  /** The only address that this connection hears. */
  readonly peer: Gid;
  readonly peerRecord: CmPeer;
  readonly req: Req;
  /** Sent or received, once there is one. */
  rep: Rep | null = null;
  state: CmState;
  /** The consumer's own. */
  context: unknown = null;
  deadlineNs = 0;
  heapIndex = -1;
  private readonly host: CmHost;
  private readonly caGuid: bigint;
  private retriesLeft: number;
  /** What is sent again when nothing comes, or when its cause comes again; null where nothing is. */
  private sent: Uint8Array | null = null;
  private retryNs = 0;
  /** Whether the peer has named what only the owner of its address was told. */
  private proven: boolean;
  /** Messages that may still be sent to an address that is not proven. */
  private credit = ANSWERS_PER_MESSAGE;
  /** When a connection that is not established is given up. */
  private expiresNs = Number.POSITIVE_INFINITY;

  constructor(
    host: CmHost,
    role: 'active' | 'passive',
    localId: number,
    peer: Gid,
    peerRecord: CmPeer,
    req: Req,
    caGuid: bigint,
    state: CmState,
  ) {
    this.host = host;
    this.role = role;
    this.localId = localId;
    this.remoteId = role === 'passive' ? req.localCommunicationId : 0;
    this.peer = peer;
    this.peerRecord = peerRecord;
    this.req = req;
    // Whom we ask ourselves needs no proof.
    this.proven = role === 'active';
    this.caGuid = caGuid;
    this.retriesLeft = req.maxCmRetries;
    this.state = state;
  }

  /** The queue pair of this side, where it is known. */
  get localQpn(): number {
    return this.role === 'active' ? this.req.localQpn : (this.rep?.localQpn ?? 0);
  }

  /** The queue pair of the other side, where it is known. */
  get remoteQpn(): number {
    return this.role === 'passive' ? this.req.localQpn : (this.rep?.localQpn ?? 0);
  }

  /** Active: sends the request. */
  begin(nowNs: number): void {
    this.expiresNs = nowNs + this.host.limits.patienceNs;
    this.transmit(this.req, cmTimeoutNs(this.req.remoteCmResponseTimeout), nowNs);
  }

  /**
   * Passive: asks the address whether it is there, with a DREQ for a connection that it does not have. Whoever speaks
   * this protocol answers that with a DREP (12.10.9.1), Linux too, and needs the number that we drew to do so.
   */
  challenge(nowNs: number): void {
    const dreq: Dreq = {
      ...this.answerTo(this.host.nextTransaction(), DREQ_PRIVATE_DATA_BYTES),
      kind: 'dreq',
      remoteQpnOrEecn: 0,
    };
    this.transmit(dreq, 0, nowNs);
    this.host.arm(this, nowNs + this.host.limits.challengeNs);
  }

  /** Passive: the consumer is about to hear of the request; gives it its time. */
  await(nowNs: number): void {
    this.sent = null;
    if (this.state === 'CHALLENGED') this.move('REQ_RCVD');
    this.expiresNs = nowNs + this.host.limits.patienceNs;
    this.host.arm(this, nowNs + this.host.limits.consumerNs);
  }

  /** Passive: accepts. */
  reply(reply: CmReply, nowNs: number): void {
    this.require('reply', ['REQ_RCVD', 'MRA_SENT']);
    const { req, host } = this;
    this.rep = repOf(reply, req, this.localId, this.caGuid);
    this.retriesLeft = req.maxCmRetries;
    this.expiresNs = nowNs + host.limits.halfOpenNs;
    this.move('REP_SENT');
    // The requester's own time, but neither so short that the few answers are spent at once nor as long as it likes.
    const leastNs = Math.min(host.limits.retryNs, host.limits.halfOpenNs / 8);
    this.transmit(this.rep, Math.max(leastNs, this.peerRetryNs), nowNs);
  }

  /** Asks the other side for patience: 4.096 us times two to the power of the code. */
  delay(serviceTimeout: number, nowNs: number): void {
    this.require('delay', ['REQ_RCVD', 'MRA_SENT', 'REP_RCVD']);
    const passive = this.role === 'passive';
    const mra: Mra = {
      ...this.answerTo((passive ? this.req : (this.rep as Rep)).transactionId, MRA_PRIVATE_DATA_BYTES),
      kind: 'mra',
      messageMraed: passive ? MRA_MESSAGE.req : MRA_MESSAGE.rep,
      serviceTimeout,
    };
    if (passive) this.move('MRA_SENT');
    this.transmit(mra, 0, nowNs);
    this.host.arm(this, nowNs + this.host.limits.consumerNs);
  }

  /** Active: the queue pair is up; the third message goes out. */
  ready(privateData?: Uint8Array): void {
    this.require('ready', ['REP_RCVD']);
    this.host.disarm(this);
    this.move('ESTABLISHED');
    const transactionId = (this.rep as Rep).transactionId;
    this.transmit(
      { ...this.answerTo(transactionId, RTU_PRIVATE_DATA_BYTES, privateData), kind: 'rtu' },
      0,
      0,
    );
  }

  /** Says no to a request or a reply. */
  reject(reason: number, privateData?: Uint8Array): void {
    this.require('reject', ['REQ_RCVD', 'MRA_SENT', 'REP_SENT', 'MRA_REP_RCVD', 'REP_RCVD']);
    this.sendReject(this.rejected, reason, privateData);
    this.close();
  }

  /** Traffic proves that the third message, which may be lost, was sent (12.9.8.5, 'communication established'). */
  established(): void {
    if (this.state !== 'REP_SENT' && this.state !== 'MRA_REP_RCVD') return;
    this.proven = true;
    this.host.disarm(this);
    this.sent = null;
    this.move('ESTABLISHED');
    this.host.event(this, { kind: 'established' });
  }

  /** Begins the end. The `disconnected` event follows in every case. */
  disconnect(nowNs: number, privateData?: Uint8Array): void {
    this.require('disconnect', ['ESTABLISHED']);
    this.retriesLeft = this.req.maxCmRetries;
    this.move('DREQ_SENT');
    const dreq: Dreq = {
      ...this.answerTo(this.host.nextTransaction(), DREQ_PRIVATE_DATA_BYTES, privateData),
      kind: 'dreq',
      remoteQpnOrEecn: this.remoteQpn,
    };
    this.expiresNs = nowNs + this.host.limits.patienceNs;
    this.transmit(dreq, this.peerRetryNs, nowNs);
  }

  /** Ends it without a word: the device goes away. */
  abandon(): void {
    this.close();
  }

  /** Makes room for another one. Whoever was answered already hears of it, lest it believe in a connection. */
  evict(): void {
    if (this.state === 'CHALLENGED') {
      this.close();
      return;
    }
    this.sendReject(this.rejected, REJ_REASON.noResources);
    this.close({ kind: 'unreachable' });
  }

  /** A message that names this connection came from its peer. */
  receive(message: CmMessage, nowNs: number): void {
    this.credit += ANSWERS_PER_MESSAGE;
    if (this.state === 'CHALLENGED' && message.kind !== 'req') {
      this.onChallengeAnswered(message, nowNs);
      return;
    }
    // A request names only what its sender chose; all else names what only the owner of the address was told.
    if (message.kind !== 'req') this.proven = true;
    switch (message.kind) {
      case 'req':
        this.onDuplicateReq();
        break;
      case 'mra':
        this.onMra(message, nowNs);
        break;
      case 'rej':
        this.onRej(message);
        break;
      case 'rep':
        this.onRep(message, nowNs);
        break;
      case 'rtu':
        this.established();
        break;
      case 'dreq':
        this.onDreq(message, nowNs);
        break;
      case 'drep':
        if (this.state === 'DREQ_SENT') this.finish(nowNs);
        break;
    }
  }

  private onDuplicateReq(): void {
    const { state } = this;
    if (this.role !== 'passive') return;
    if (state === 'CHALLENGED' || state === 'MRA_SENT' || state === 'REP_SENT') this.resend();
  }

  private onChallengeAnswered(message: CmMessage, nowNs: number): void {
    if (message.kind !== 'drep') return;
    this.peerRecord.silent = false;
    // Another Kelpie says that it did not ask: somebody did in its name.
    if (saysNoSuchConnection(message)) {
      this.peerRecord.denies = true;
      this.close();
    } else this.host.proven(this, nowNs);
  }

  private onMra(mra: Mra, nowNs: number): void {
    const extendedNs = nowNs + cmTimeoutNs(mra.serviceTimeout) + this.retryNs;
    const { patienceNs } = this.host.limits;
    if (mra.messageMraed === MRA_MESSAGE.req && (this.state === 'REQ_SENT' || this.state === 'REP_WAIT')) {
      this.remoteId = mra.localCommunicationId;
      this.move('REP_WAIT');
      this.host.arm(this, Math.min(extendedNs, this.expiresNs));
    } else if (
      mra.messageMraed === MRA_MESSAGE.rep &&
      (this.state === 'REP_SENT' || this.state === 'MRA_REP_RCVD')
    ) {
      // The first one proves the address; those after it gain no more time.
      if (this.state === 'REP_SENT') this.expiresNs = nowNs + patienceNs;
      this.move('MRA_REP_RCVD');
      this.host.arm(this, Math.min(extendedNs, this.expiresNs));
    }
  }

  private onRej(rej: Rej): void {
    if (this.state === 'DREQ_SENT' || this.state === 'TIMEWAIT' || this.state === 'CLOSED') return;
    // An established connection is ended by a DREQ; a REJ that comes late says that the RTU was not believed (12.9.8.3).
    const established = this.state === 'ESTABLISHED';
    if (established && !(this.role === 'active' && rej.messageRejected === REJ_MESSAGE.rep)) return;
    const { reason, privateData } = rej;
    this.close({ kind: 'rejected', reason, privateData });
  }

  private onRep(rep: Rep, nowNs: number): void {
    if (this.role !== 'active') return;
    if (this.state === 'REQ_SENT' || this.state === 'REP_WAIT') {
      this.rep = rep;
      this.remoteId = rep.localCommunicationId;
      this.sent = null;
      this.move('REP_RCVD');
      this.host.arm(this, nowNs + this.host.limits.consumerNs);
      this.host.event(this, { kind: 'reply', rep });
    } else if (rep.localCommunicationId === this.remoteId) {
      // Our RTU, or the MRA before it, was lost.
      if (this.state === 'ESTABLISHED' || this.state === 'REP_RCVD') this.resend();
    }
  }

  private onDreq(dreq: Dreq, nowNs: number): void {
    if (dreq.localCommunicationId !== this.remoteId || dreq.remoteQpnOrEecn !== this.localQpn) return;
    switch (this.state) {
      case 'REP_SENT':
      case 'MRA_REP_RCVD':
      case 'ESTABLISHED':
      case 'DREQ_SENT':
      case 'TIMEWAIT': {
        const again = this.state === 'TIMEWAIT';
        this.transmit(
          { ...this.answerTo(dreq.transactionId, DREP_PRIVATE_DATA_BYTES), kind: 'drep' },
          0,
          nowNs,
        );
        if (!again) this.finish(nowNs);
        break;
      }
    }
  }

  /** Its deadline has come. */
  onDeadline(nowNs: number): void {
    switch (this.state) {
      case 'TIMEWAIT':
        this.close({ kind: 'closed' });
        break;
      case 'CHALLENGED':
        this.peerRecord.silent = true;
        this.close();
        break;
      case 'REQ_RCVD':
      case 'MRA_SENT':
      case 'REP_RCVD':
        // The consumer does not answer.
        this.sendReject(this.role === 'passive' ? REJ_MESSAGE.req : REJ_MESSAGE.rep, REJ_REASON.timeout);
        this.close({ kind: 'unreachable' });
        break;
      case 'REQ_SENT':
      case 'REP_WAIT':
      case 'REP_SENT':
      case 'MRA_REP_RCVD':
      case 'DREQ_SENT':
        if (this.retriesLeft > 0 && nowNs < this.expiresNs) {
          this.retriesLeft--;
          this.resend();
          this.host.arm(this, Math.min(nowNs + this.retryNs, this.expiresNs));
        } else if (this.state === 'DREQ_SENT') {
          this.finish(nowNs);
        } else {
          this.sendReject(this.role === 'active' ? REJ_MESSAGE.req : REJ_MESSAGE.rep, REJ_REASON.timeout);
          this.close({ kind: 'unreachable' });
        }
        break;
    }
  }

  /** The time until a message is sent again that the other side asked for, as far as we go along. */
  private get peerRetryNs(): number {
    const { remoteCmResponseTimeout, localCmResponseTimeout } = this.req;
    const code = this.role === 'active' ? remoteCmResponseTimeout : localCmResponseTimeout;
    return Math.min(cmTimeoutNs(code), this.host.limits.retryNs);
  }

  /** What a REJ of this side rejects now: the request, unless a reply was sent or received (12.6.7.2). */
  private get rejected(): number {
    return this.rep === null ? REJ_MESSAGE.req : REJ_MESSAGE.rep;
  }

  private answerTo(transactionId: bigint, privateBytes: number, privateData?: Uint8Array) {
    return {
      transactionId,
      localCommunicationId: this.localId,
      remoteCommunicationId: this.remoteId,
      privateData: padPrivateData(privateBytes, privateData),
    };
  }

  private sendReject(messageRejected: number, reason: number, privateData?: Uint8Array): void {
    const transactionId = (messageRejected === REJ_MESSAGE.rep ? this.rep : null)?.transactionId;
    this.transmit(
      {
        ...this.answerTo(transactionId ?? this.req.transactionId, REJ_PRIVATE_DATA_BYTES, privateData),
        kind: 'rej',
        messageRejected,
        reason,
        additionalInformation: new Uint8Array(0),
      },
      0,
      0,
    );
  }

  /** Sends a message and, where `retryNs` is given, sends it again after that time. */
  private transmit(message: CmMessage, retryNs: number, nowNs: number): void {
    this.sent = new Uint8Array(MAD_BYTES);
    emitCm(message, this.sent, 0);
    this.retryNs = retryNs;
    if (retryNs > 0) this.host.arm(this, Math.min(nowNs + retryNs, this.expiresNs));
    this.resend();
  }

  /** Sends what was made last, unless its address is unproven and was sent enough. */
  private resend(): void {
    if (this.sent === null) return;
    if (!this.proven && this.credit-- <= 0) {
      this.credit = 0;
      this.host.withheld();
      return;
    }
    this.host.send(this, this.sent);
  }

  private finish(nowNs: number): void {
    this.move('TIMEWAIT');
    this.host.arm(this, nowNs + this.host.limits.timewaitNs);
    this.host.event(this, { kind: 'disconnected' });
  }

  private close(event?: Parameters<CmHost['event']>[1]): void {
    if (this.state === 'CLOSED') return;
    this.host.disarm(this);
    this.sent = null;
    this.move('CLOSED');
    if (event !== undefined) this.host.event(this, event);
  }

  private move(state: CmState): void {
    const before = this.state;
    this.state = state;
    this.host.moved(this, before);
  }

  private require(action: string, states: readonly CmState[]): void {
    if (states.includes(this.state)) return;
    throw new VerbsError('CM_WRONG_STATE', `a connection in this state cannot ${action}`, {
      field: 'state',
      given: this.state,
      allowed: states.join(', '),
    });
  }
}

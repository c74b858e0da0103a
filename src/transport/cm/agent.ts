import { VerbsError } from '../../verbs/error.js';
import { isRefusal, type Refusal } from '../../wire/bytes/refusal.js';
import {
  type CmAnswerBase,
  type CmMessage,
  DREP_PRIVATE_DATA_BYTES,
  DREQ_PRIVATE_DATA_BYTES,
  emitCm,
  MAD_BYTES,
  padPrivateData,
  parseCm,
  parseCmService,
  REJ_MESSAGE,
  REJ_PRIVATE_DATA_BYTES,
  REJ_REASON,
  type Req,
  TRANSPORT_SERVICE_TYPE,
} from '../../wire/cm/index.js';
import { type Gid, sameGid } from '../../wire/ib/gid.js';
import { Admission, type CmPeer } from './admission.js';
import type { CmDevice } from './cm-device.js';
import { CmConnection } from './connection.js';
import { zeroCounters } from './counters.js';
import { DeadlineHeap } from './deadline-heap.js';
import type { CmEvent, CmHost, CmState } from './event.js';
import { type CmLimits, cmLimits } from './limits.js';
import { NO_SUCH_CONNECTION, saysNoSuchConnection } from './no-such-connection.js';
import { Questions } from './proof.js';
import { type CmRequest, consumerPart, reqOf } from './request.js';
import { type DatagramQueuePair, ServiceDesk } from './service-desk.js';
import { remoteKey, Triage, Urgency } from './triage.js';

/**
 * Communication management of one device, both roles, with time and randomness passed in: what arrives on QP 1 goes in,
 * what must leave comes out. Every message must come from the address that its connection is with. What strangers can
 * fill is bounded by {@link CmLimits}; an address that is not proven is never sent more than three times what came from it.
 *
 * @example
 * const agent = new CmAgent(device, { caGuid: 1n });
 * agent.listen(rdmaCmServiceId(7174));
 * agent.receive(mad, 0, mad.length, sourceGid, nowNs);
 * if (agent.nextDeadlineNs <= nowNs) agent.onTimer(nowNs);
 */
export class CmAgent {
  readonly counters = zeroCounters();
  readonly limits: CmLimits;
  private readonly device: CmDevice;
  private readonly caGuid: bigint;
  private readonly listeners = new Set<bigint>();
  private readonly byLocalId = new Map<number, CmConnection>();
  /** Passive connections by the other side's names: peer and communication id. */
  private readonly byRemote = new Map<string, CmConnection>();
  /** Passive connections that were established, by the other side's queue pair. */
  private readonly byRemoteQp = new Map<string, CmConnection>();
  private readonly admission: Admission;
  private readonly deadlines = new DeadlineHeap<CmConnection>();
  private readonly host: CmHost;
  /** What addresses are asked with that nothing is remembered of. */
  private readonly questions: Questions;
  private readonly triage: Triage;
  /** Requests for datagrams and for other paths. */
  readonly desk: ServiceDesk;
  private transaction: bigint;

  constructor(device: CmDevice, options: { caGuid: bigint; limits?: Partial<CmLimits> }) {
    this.device = device;
    this.caGuid = options.caGuid;
    this.limits = cmLimits(options.limits);
    this.admission = new Admission(this.limits);
    this.questions = new Questions(() => device.random32(), this.limits.challengeNs);
    this.transaction = BigInt(device.random32()) << 16n;
    this.host = {
      limits: this.limits,
      nextTransaction: () => this.nextTransaction(),
      send: (connection, datagram) => this.transmit(datagram, connection.peer),
      arm: (connection, atNs) => {
        this.deadlines.set(connection, atNs);
        this.device.deadlineMoved();
      },
      disarm: (connection) => this.deadlines.delete(connection),
      event: (connection, event) => this.tell(connection, event),
      moved: (connection, before) => this.onMoved(connection, before),
      withheld: () => this.counters.withheld++,
      proven: (connection, nowNs) => this.admit(connection, nowNs),
    };
    const { counters, admission, byLocalId, byRemote, questions } = this;
    const ask = (source: Gid, id: number, nowNs: number) => this.ask(source, id, nowNs);
    this.triage = new Triage({ counters, admission, byLocalId, byRemote, questions, ask });
    this.desk = new ServiceDesk({
      counters: this.counters,
      admission: this.admission,
      nextTransaction: () => this.nextTransaction(),
      send: (datagram, to) => this.transmit(datagram, to),
      isPeer: (localId, source) => {
        const connection = this.byLocalId.get(localId);
        return connection !== undefined && sameGid(connection.peer, source);
      },
      sidrRequest: (req, source) => {
        let found: DatagramQueuePair | null = null;
        this.guard(() => {
          found = this.device.sidrRequest(req, source);
        });
        return found;
      },
      sidrReply: (rep, source) => this.guard(() => this.device.sidrReply(rep, source)),
    });
  }

  /** When `onTimer` wants to be called; infinite where there is nothing to wait for. */
  get nextDeadlineNs(): number {
    return this.deadlines.first?.deadlineNs ?? Number.POSITIVE_INFINITY;
  }

  /** Connections that exist, those that ended and are remembered included. */
  get size(): number {
    return this.byLocalId.size;
  }

  /** Requests that are not established yet. */
  get halfOpenCount(): number {
    return this.admission.halfOpenCount;
  }

  /** Peers that something is remembered of. */
  get peerCount(): number {
    return this.admission.peerCount;
  }

  /** Takes requests for a service from now on. */
  listen(serviceId: bigint): void {
    if (this.listeners.has(serviceId)) {
      throw new VerbsError('CM_SERVICE_TAKEN', 'somebody listens to this service already', {
        field: 'serviceId',
        given: `0x${serviceId.toString(16)}`,
        allowed: 'another service',
      });
    }
    this.listeners.add(serviceId);
  }

  /** Takes no more requests for a service; connections stay. */
  unlisten(serviceId: bigint): void {
    this.listeners.delete(serviceId);
  }

  /** Asks for a connection. */
  connect(request: CmRequest, nowNs: number): CmConnection {
    if (this.admission.full) {
      throw new VerbsError('CM_TOO_MANY', 'there are as many connections as are allowed', {
        field: 'connections',
        given: this.admission.openCount,
        allowed: `at most ${this.limits.connections}`,
      });
    }
    const localId = this.newId();
    const req = reqOf(request, localId, this.nextTransaction(), this.caGuid);
    const connection = new CmConnection(
      this.host,
      'active',
      localId,
      request.peer.slice(),
      this.admission.peerOf(request.peer, nowNs),
      req,
      this.caGuid,
      'REQ_SENT',
    );
    this.byLocalId.set(localId, connection);
    this.admission.moved(connection, null);
    connection.begin(nowNs);
    return connection;
  }

  /** A management datagram arrived on QP 1 from this address. Never throws for what it contains. */
  receive(bytes: Uint8Array, offset: number, end: number, source: Gid, nowNs: number): Refusal | null {
    return this.urgencyOf(bytes, offset, end, source, nowNs) === Urgency.DROPPED
      ? null
      : this.serve(bytes, offset, end, source, nowNs);
  }

  /** The second half of {@link receive}, for who has kept a datagram that was not dropped at a glance. */
  serve(bytes: Uint8Array, offset: number, end: number, source: Gid, nowNs: number): Refusal | null {
    if (this.triage.isStale(bytes, offset, end, source, nowNs)) return null;
    const message = parseCm(bytes, offset, end);
    if (isRefusal(message)) {
      const service = parseCmService(bytes, offset, end);
      if (isRefusal(service)) {
        this.counters.refused++;
        return message;
      }
      this.desk.receive(service, source, nowNs);
      return null;
    }
    if (message.kind === 'req') this.onReq(message, source, nowNs);
    else this.onAnswer(message, source, nowNs);
    return null;
  }

  /** Does what is due. */
  onTimer(nowNs: number): void {
    for (;;) {
      const { first } = this.deadlines;
      if (first === undefined || first.deadlineNs > nowNs) break;
      this.deadlines.delete(first);
      first.onDeadline(nowNs);
    }
    this.device.deadlineMoved();
  }

  /** Forgets everything without a word. */
  close(): void {
    for (const connection of [...this.byLocalId.values()]) connection.abandon();
    this.listeners.clear();
  }

  /**
   * The first half of {@link receive}: what a datagram is at a glance ({@link Urgency}). Dropped is a new request of a peer
   * that has made too many, and a DREQ that names no connection from one that was told so often enough. Dropped, not
   * rejected: an honest peer in a hurry asks again, and has waited by then.
   */
  urgencyOf(bytes: Uint8Array, offset: number, end: number, source: Gid, nowNs: number): number {
    return this.triage.urgencyOf(bytes, offset, end, source, nowNs);
  }

  /**
   * Asks an address in whose name others ask and that has as many questions open as it may, and remembers nothing. Its
   * own request is answered for, and taken when it comes again, however fast the others are.
   */
  private ask(source: Gid, id: number, nowNs: number): void {
    this.counters.challenged++;
    this.sendMessage(
      {
        kind: 'dreq',
        transactionId: this.nextTransaction(),
        localCommunicationId: this.questions.numberFor(source, id, nowNs),
        remoteCommunicationId: id,
        remoteQpnOrEecn: 0,
        privateData: padPrivateData(DREQ_PRIVATE_DATA_BYTES),
      },
      source,
    );
  }

  /** An answer that names no connection of ours: maybe to a question that nothing is remembered of. */
  private onStrayDrep(drep: CmMessage & { kind: 'drep' }, source: Gid, nowNs: number): void {
    const { localCommunicationId: id, remoteCommunicationId: number } = drep;
    const peer = this.admission.known(source);
    if (peer?.denies && !saysNoSuchConnection(drep) && this.questions.isAnswer(source, id, number, nowNs))
      peer.proofs.add(id, nowNs);
    else this.counters.strays++;
  }

  private onReq(req: Req, source: Gid, nowNs: number): void {
    const known = this.byRemote.get(remoteKey(source, req.localCommunicationId));
    if (known !== undefined) {
      if (known.req.localQpn === req.localQpn && known.state !== 'TIMEWAIT') known.receive(req, nowNs);
      else this.refuse(req, source, REJ_REASON.staleConnection);
      return;
    }
    const reason = this.refusalOf(req, source);
    if (reason !== 0) {
      this.refuse(req, source, reason);
      return;
    }
    const peer = this.admission.peerOf(source, nowNs);
    const proven = peer.proofs.take(req.localCommunicationId, nowNs);
    if (this.admission.hasRoom(peer)) this.take(req, source, peer, nowNs, proven);
    else {
      this.counters.turnedAway++;
      this.refuse(req, source, REJ_REASON.noResources);
    }
    this.admission.rest(peer);
  }

  /** A request that nothing speaks against: the program hears of it, now or once its address has answered. */
  private take(req: Req, source: Gid, peer: CmPeer, nowNs: number, proven: boolean): void {
    const localId = this.newId();
    const connection = new CmConnection(
      this.host,
      'passive',
      localId,
      source.slice(),
      peer,
      req,
      this.caGuid,
      'CHALLENGED',
    );
    const challenge = !proven && this.admission.underPressure(peer, this.device.backlog);
    if (challenge) this.evict(this.admission.surplusChallenged());
    this.byLocalId.set(localId, connection);
    this.byRemote.set(remoteKey(source, req.localCommunicationId), connection);
    this.admission.moved(connection, null);
    if (challenge) {
      this.counters.challenged++;
      connection.challenge(nowNs);
    } else this.admit(connection, nowNs);
  }

  /** Hands a request to the program, unless its peer makes too many. */
  private admit(connection: CmConnection, nowNs: number): void {
    const { admission } = this;
    if (!admission.takeToken(connection.peerRecord, nowNs)) {
      this.counters.rateLimited++;
      connection.abandon();
      return;
    }
    this.evict(admission.surplusHalfOpen(connection.peerRecord));
    const hasRoom = admission.hasRoom(connection.peerRecord);
    connection.await(nowNs);
    if (!hasRoom) {
      this.counters.turnedAway++;
      connection.reject(REJ_REASON.noResources);
      return;
    }
    const consumer = consumerPart(connection.req);
    if (isRefusal(consumer)) connection.reject(REJ_REASON.unsupportedRequest);
    else this.tell(connection, { kind: 'request', req: connection.req, ...consumer });
  }

  private evict(connection: CmConnection | undefined): void {
    if (connection === undefined) return;
    this.counters.evicted++;
    connection.evict();
  }

  /** Why a request is refused, whoever asks; 0 where it is not. */
  private refusalOf(req: Req, source: Gid): number {
    if (!this.listeners.has(req.serviceId)) return REJ_REASON.invalidServiceId;
    const { transportServiceType: type } = req;
    if (type !== TRANSPORT_SERVICE_TYPE.rc && type !== TRANSPORT_SERVICE_TYPE.uc)
      return REJ_REASON.invalidTransportServiceType;
    if (req.pathMtuCode < 1 || req.pathMtuCode > 5) return REJ_REASON.invalidPathMtu;
    // The path would lead to somebody who did not ask.
    if (!sameGid(req.primaryPath.localGid, source)) return REJ_REASON.primaryRemotePortGidRejected;
    // A queue pair that has a connection already: that one is stale, or this request is forged (12.9.8.3.1).
    if (this.byRemoteQp.has(remoteKey(source, req.localQpn))) return REJ_REASON.staleConnection;
    return 0;
  }

  private onAnswer(message: Exclude<CmMessage, Req>, source: Gid, nowNs: number): void {
    const connection = this.byLocalId.get(message.remoteCommunicationId);
    const foreign = connection !== undefined && !sameGid(connection.peer, source);
    // Once the other side has a name, every message must carry it; before, a REP, an MRA or a REJ tells it.
    const misnamed =
      connection !== undefined &&
      connection.remoteId !== 0 &&
      message.localCommunicationId !== connection.remoteId &&
      !(message.kind === 'rej' && connection.state === 'REP_WAIT');
    if (
      message.kind === 'dreq' &&
      (connection === undefined || foreign || misnamed || connection.remoteId === 0)
    ) {
      this.counters.strays++;
      // Our side is gone, or never was; without an answer the other side would ask again and again (12.10.9.1). One that
      // names a request of ours asks whether we are here (see `CmConnection.challenge`).
      const asked = connection !== undefined && !foreign && connection.role === 'active';
      this.answerStrayDreq(message, source, asked);
      return;
    }
    if (connection === undefined || foreign || misnamed) {
      if (connection === undefined && message.kind === 'drep') this.onStrayDrep(message, source, nowNs);
      else this.counters.strays++;
      return;
    }
    connection.receive(message, nowNs);
  }

  private answerStrayDreq(dreq: CmAnswerBase, source: Gid, asked: boolean): void {
    this.sendMessage(
      {
        kind: 'drep',
        transactionId: dreq.transactionId,
        localCommunicationId: dreq.remoteCommunicationId,
        remoteCommunicationId: dreq.localCommunicationId,
        privateData: padPrivateData(DREP_PRIVATE_DATA_BYTES, asked ? undefined : NO_SUCH_CONNECTION),
      },
      source,
    );
  }

  private refuse(req: Req, to: Gid, reason: number): void {
    this.sendMessage(
      {
        kind: 'rej',
        transactionId: req.transactionId,
        localCommunicationId: 0,
        remoteCommunicationId: req.localCommunicationId,
        messageRejected: REJ_MESSAGE.req,
        reason,
        additionalInformation: new Uint8Array(0),
        privateData: padPrivateData(REJ_PRIVATE_DATA_BYTES),
      },
      to,
    );
  }

  private sendMessage(message: CmMessage, to: Gid): void {
    const datagram = new Uint8Array(MAD_BYTES);
    emitCm(message, datagram, 0);
    this.transmit(datagram, to);
  }

  private transmit(datagram: Uint8Array, to: Gid): void {
    this.counters.sent++;
    this.guard(() => this.device.sendMad(datagram, to));
  }

  private tell(connection: CmConnection, event: CmEvent): void {
    this.guard(() => this.device.cmEvent(connection, event));
  }

  /** What a consumer throws is its own: it must not end what the agent does for others. */
  private guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.device.cmFault(error);
    }
  }

  private onMoved(connection: CmConnection, before: CmState): void {
    const { state, peer, req } = connection;
    this.admission.moved(connection, before);
    if (state === 'TIMEWAIT') this.admission.surplusTimewait(connection.peerRecord)?.abandon();
    if (state === 'CLOSED') this.forget(connection);
    if (state === 'ESTABLISHED' && connection.role === 'passive')
      this.byRemoteQp.set(remoteKey(peer, req.localQpn), connection);
  }

  private forget(connection: CmConnection): void {
    this.byLocalId.delete(connection.localId);
    if (connection.role !== 'passive') return;
    const { peer, req } = connection;
    this.byRemote.delete(remoteKey(peer, req.localCommunicationId));
    const qpKey = remoteKey(peer, req.localQpn);
    if (this.byRemoteQp.get(qpKey) === connection) this.byRemoteQp.delete(qpKey);
  }

  private newId(): number {
    for (;;) {
      const id = this.device.random32() >>> 0;
      if (id !== 0 && !this.byLocalId.has(id)) return id;
    }
  }

  private nextTransaction(): bigint {
    this.transaction = (this.transaction + 1n) & 0xffff_ffff_ffff_ffffn;
    return this.transaction;
  }
}

import { type CmConnection, type CmEvent, type CmRequest, cmTimeoutNs } from '../../transport/cm/index.js';
import { type BaseContext, Mailbox } from '../../verbs/base/index.js';
import {
  type Connection,
  ConnectionError,
  type ConnectionEvent,
  type ConnectionManager,
  type ConnectionManagerOptions,
  type ConnectionOptions,
  type ConnectionTarget,
  type DatagramService,
  type Listener,
  type QueuePair,
  type RequestHandler,
  VerbsError,
} from '../../verbs/index.js';
import {
  emitRdmaCmHeader,
  formatGidShort,
  type Gid,
  gidToIpv4,
  RDMA_CM_CONSUMER_BYTES,
  RDMA_CM_HEADER_BYTES,
  RDMA_PORT_SPACE,
  type RdmaCmHeader,
  REJ_REASON,
  REP_PRIVATE_DATA_BYTES,
  rdmaCmServiceId,
  SIDR_REQ_PRIVATE_DATA_BYTES,
  SIDR_STATUS,
  type SidrRep,
  sidrStatusName,
  TRANSPORT_SERVICE_TYPE,
} from '../../wire/index.js';
import { ACK_TIMEOUT, bringUp, destroy, MTUS } from './bring-up.js';
import { BaseConnection } from './connection.js';
import { BaseRequest } from './connection-request.js';
import type { CmOwner, ConnectionService, PortOwner } from './connection-service.js';
import type { DatagramHandler } from './datagram-services.js';
import { gidOfAddress } from './ip-address.js';
import { hasOffer, withOffer } from './recovery-offer.js';
import { requireBytes, requireInteger } from './requirements.js';

/** Events that are kept for a program that does not take them. */
const MOST_EVENTS = 4096;
/** 0.54 s until a message is sent again. */
const RESPONSE_TIMEOUT = 17;
const MAX_CM_RETRIES = 15;
const VIRTUAL_STEP_NS = 10_000;

/** RDMA-CM of one opened device: what all providers share. */
export class BaseConnectionManager implements ConnectionManager {
  readonly service: ConnectionService;
  private readonly context: BaseContext;
  private readonly owns: (qp: QueuePair) => boolean;
  private readonly responseTimeout: number;
  private readonly maxCmRetries: number;
  private readonly events = new Mailbox<ConnectionEvent>(MOST_EVENTS);
  private readonly listeners = new Set<PortListener>();
  private readonly live = new Set<{ abandon(): void }>();
  private closed = false;

  constructor(service: ConnectionService, context: BaseContext, options: ConnectionManagerOptions) {
    const { responseTimeout = RESPONSE_TIMEOUT, maxCmRetries = MAX_CM_RETRIES } = options;
    this.responseTimeout = requireInteger('responseTimeout', responseTimeout, 0, 31);
    this.maxCmRetries = requireInteger('maxCmRetries', maxCmRetries, 0, 15);
    this.service = service;
    this.context = context;
    this.owns = options.owns ?? ((qp) => qp?.pd?.context === context);
  }

  listen(port: number, onRequest?: RequestHandler): Listener {
    this.requireOpen();
    const listener = new PortListener(this, requireInteger('port', port, 0, 0xffff), onRequest);
    this.listeners.add(listener);
    return listener;
  }

  async connect(qp: QueuePair, target: ConnectionTarget): Promise<Connection> {
    const made = this.orDestroy(qp, target, () => this.ask(qp, target));
    await made.established;
    return made;
  }

  private ask(qp: QueuePair, target: ConnectionTarget): BaseConnection {
    const { service } = this;
    this.requireOpen();
    this.requireReady(qp);
    const peer = gidOfAddress(target.address);
    const row = service.rowFor(peer);
    requireBytes('privateData', target.privateData, RDMA_CM_CONSUMER_BYTES);
    const { responderResources, initiatorDepth } = this.depthsOf(target);
    const offers = service.device.setSelective !== undefined && qp.qpType === 'RC';
    const offer = offers ? withOffer(target.privateData, RDMA_CM_CONSUMER_BYTES) : null;
    const request: CmRequest = {
      peer,
      localGid: service.device.gids[row] as Gid,
      serviceId: rdmaCmServiceId(requireInteger('port', target.port, 1, 0xffff)),
      qpn: qp.qpNum,
      startingPsn: service.randomPsn(),
      pathMtuCode: MTUS.indexOf(service.device.activeMtu) + 1,
      header: headerOf(service, row, peer),
      privateData: offer ?? target.privateData,
      responderResources,
      initiatorDepth,
      retryCount: requireInteger('retryCount', target.retryCount ?? 7, 0, 7),
      rnrRetryCount: requireInteger('rnrRetryCount', target.rnrRetryCount ?? 7, 0, 7),
      transportServiceType: TRANSPORT_SERVICE_TYPE[qp.qpType === 'UC' ? 'uc' : 'rc'],
      srq: qp.srq !== null,
      responseTimeout: this.responseTimeout,
      maxCmRetries: this.maxCmRetries,
      localAckTimeout: requireInteger('ackTimeout', target.ackTimeout ?? ACK_TIMEOUT, 0, 31),
    };
    this.occupy(qp);
    let connection: CmConnection;
    try {
      connection = service.agent.connect(request, service.nowNs);
    } catch (error) {
      service.vacate(qp.qpNum);
      throw error;
    }
    const agreed = { privateData: new Uint8Array(0), responderResources, initiatorDepth };
    const made: BaseConnection = new BaseConnection(this, connection, qp, agreed, target, () =>
      this.bringUpActive(made, connection, row, target),
    );
    this.take(connection, made);
    return made;
  }

  listenDatagrams(port: number, onRequest: DatagramHandler): Listener {
    this.requireOpen();
    const { datagrams } = this.service;
    datagrams.listen(requireInteger('port', port, 1, 0xffff), onRequest);
    const owner = { abandon: () => datagrams.unlisten(port) };
    this.live.add(owner);
    return {
      port,
      close: () => {
        if (this.live.delete(owner)) owner.abandon();
      },
    };
  }

  async resolveDatagrams(
    target: Pick<ConnectionTarget, 'address' | 'port' | 'privateData'>,
  ): Promise<DatagramService> {
    const { service } = this;
    this.requireOpen();
    const peer = gidOfAddress(target.address);
    const row = service.rowFor(peer);
    requireBytes('privateData', target.privateData, SIDR_REQ_PRIVATE_DATA_BYTES - RDMA_CM_HEADER_BYTES);
    const port = requireInteger('port', target.port, 1, 0xffff);
    const bytes = new Uint8Array(SIDR_REQ_PRIVATE_DATA_BYTES);
    emitRdmaCmHeader(headerOf(service, row, peer), bytes, 0);
    bytes.set(target.privateData ?? new Uint8Array(0), RDMA_CM_HEADER_BYTES);
    const rep = await this.askForDatagrams(peer, rdmaCmServiceId(port, RDMA_PORT_SPACE.udp), bytes);
    if (rep === null)
      throw new VerbsError('CM_UNREACHABLE', 'nobody answered the request for datagrams', {
        field: 'address',
        given: 'silence',
        allowed: 'an answer in all retries',
      });
    const { outcome, qpn, queueKey, privateData } = rep;
    if (outcome !== SIDR_STATUS.success)
      throw new ConnectionError(outcome, sidrStatusName(outcome), privateData);
    return { gid: formatGidShort(peer), qpNum: qpn, qkey: queueKey, sgidIndex: row, privateData };
  }

  private async askForDatagrams(peer: Gid, serviceId: bigint, bytes: Uint8Array): Promise<SidrRep | null> {
    const { service, context } = this;
    const { clock } = context;
    const requestId = service.device.random32();
    const answer = service.datagrams.expect(requestId, peer);
    const timeoutNs = cmTimeoutNs(this.responseTimeout);
    // A virtual clock goes as far as somebody sleeps, whether the answer is there or not.
    const stepNs = clock.virtual ? VIRTUAL_STEP_NS : timeoutNs;
    try {
      for (let tries = 0; tries <= this.maxCmRetries; tries++) {
        service.agent.desk.ask(requestId, serviceId, bytes, peer);
        for (let leftNs = timeoutNs; leftNs > 0; leftNs -= stepNs) {
          this.requireOpen();
          const slept = clock.sleep(stepNs).then(() => null);
          const rep = await Promise.race([answer, slept]);
          if (rep !== null) return rep;
        }
      }
      return null;
    } finally {
      service.datagrams.forget(requestId);
    }
  }

  async getCmEvent(signal?: AbortSignal): Promise<ConnectionEvent> {
    this.requireOpen();
    const event = this.events.take(signal);
    if (!this.events.awaited) return event;
    const { device } = this.service;
    device.waiting(1);
    return event.finally(() => device.waiting(-1));
  }

  tryGetCmEvent(): ConnectionEvent | null {
    this.requireOpen();
    return this.events.tryTake();
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    for (const listener of [...this.listeners]) listener.close();
    for (const each of [...this.live]) each.abandon();
    this.events.refuseAll(new VerbsError('OBJECT_DESTROYED', 'the connection manager was closed'));
    this.context.forgetManager(this);
  }

  /** Tells the program something. */
  put(event: ConnectionEvent): void {
    if (this.closed) return;
    if (this.events.awaited) this.service.device.answered();
    this.events.put(event);
  }

  /** Code of the program's threw while somebody's message was served. */
  fault(error: unknown, port: number): void {
    this.put({ type: 'CONNECT_ERROR', port, error });
    this.service.device.fault(error, port, this.context);
  }

  /** A request or a connection is this manager's, until `forget`. */
  take(connection: CmConnection, owner: CmOwner & { abandon(): void }): void {
    connection.context = owner;
    this.live.add(owner);
  }

  /** A connection has ended, or a request was answered. */
  forget(owner: { abandon(): void }): void {
    this.live.delete(owner);
    if (owner instanceof BaseConnection) this.service.vacate(owner.qp.qpNum);
  }

  forgetListener(listener: PortListener): void {
    this.listeners.delete(listener);
  }

  /** Passive: the program takes a request with this queue pair. */
  accept(connection: CmConnection, qp: QueuePair, options: ConnectionOptions): BaseConnection {
    return this.orDestroy(qp, options, () => this.answer(connection, qp, options));
  }

  /**
   * A connection that cannot even begin has come to nothing, too: a queue pair that was made for it goes, lest requests
   * that nobody can accept use up all that there are. One that is in use is left alone.
   */
  private orDestroy(
    qp: QueuePair,
    { destroyQp = false }: ConnectionOptions,
    begin: () => BaseConnection,
  ): BaseConnection {
    try {
      return begin();
    } catch (error) {
      if (destroyQp && this.owns(qp) && this.isFree(qp)) destroy(qp);
      throw error;
    }
  }

  /** Whether a queue pair has no connection and never had one. */
  private isFree(qp: QueuePair): boolean {
    return (qp.state === 'RESET' || qp.state === 'INIT') && !this.service.isBusy(qp.qpNum);
  }

  private answer(connection: CmConnection, qp: QueuePair, options: ConnectionOptions): BaseConnection {
    const { service } = this;
    const { req } = connection;
    this.requireOpen();
    this.requireReady(qp, req.transportServiceType === TRANSPORT_SERVICE_TYPE.uc ? 'UC' : 'RC');
    requireBytes('privateData', options.privateData, REP_PRIVATE_DATA_BYTES);
    const offered = this.depthsOf(options);
    const responderResources = Math.min(offered.responderResources, req.initiatorDepth);
    const initiatorDepth = Math.min(offered.initiatorDepth, req.responderResources);
    const rnrRetryCount = requireInteger('rnrRetryCount', options.rnrRetryCount ?? 7, 0, 7);
    const startingPsn = service.randomPsn();
    const { setSelective } = service.device;
    const asked = setSelective !== undefined && qp.qpType === 'RC' && hasOffer(req.privateData);
    const taken = asked ? withOffer(options.privateData, REP_PRIVATE_DATA_BYTES) : null;
    this.occupy(qp);
    try {
      setSelective?.(qp.qpNum, taken !== null);
      const way = {
        peer: connection.peer,
        sgidIndex: service.rowFor(connection.peer),
        mtuCode: req.pathMtuCode,
        destQpNum: req.localQpn,
        rqPsn: startingPsn,
        sqPsn: req.startingPsn,
        responderResources,
        initiatorDepth,
        retryCount: req.retryCount,
        // Each side says how often the other tries again (12.7.35).
        rnrRetryCount: req.rnrRetryCount,
        // Not the one of the request: who asks does not decide how long we wait.
        ackTimeout: ACK_TIMEOUT,
      };
      bringUp(qp, way, options.qpAccessFlags);
    } catch (error) {
      service.vacate(qp.qpNum);
      throw error;
    }
    const privateData =
      connection.context instanceof BaseRequest ? connection.context.privateData : req.privateData;
    const agreed = { privateData, responderResources, initiatorDepth };
    const made = new BaseConnection(this, connection, qp, agreed, options, null);
    this.take(connection, made);
    // A program may post at once, but nothing leaves to an address that anybody may have written into a request.
    service.device.withhold(qp.qpNum, () => connection.established());
    connection.reply(
      {
        qpn: qp.qpNum,
        startingPsn,
        responderResources,
        initiatorDepth,
        rnrRetryCount,
        srq: qp.srq !== null,
        privateData: taken ?? options.privateData,
      },
      service.nowNs,
    );
    return made;
  }

  /** Active: the reply is here. */
  private bringUpActive(
    made: BaseConnection,
    { peer, req, rep }: CmConnection,
    sgidIndex: number,
    options: ConnectionOptions,
  ): void {
    if (rep === null) return;
    const way = {
      peer,
      sgidIndex,
      mtuCode: req.pathMtuCode,
      destQpNum: rep.localQpn,
      rqPsn: req.startingPsn,
      sqPsn: rep.startingPsn,
      responderResources: made.responderResources,
      initiatorDepth: made.initiatorDepth,
      retryCount: req.retryCount,
      rnrRetryCount: rep.rnrRetryCount,
      ackTimeout: req.primaryPath.localAckTimeout,
    };
    this.service.device.setSelective?.(made.qp.qpNum, hasOffer(req.privateData) && hasOffer(rep.privateData));
    bringUp(made.qp, way, options.qpAccessFlags);
  }

  private depthsOf(options: ConnectionOptions): { responderResources: number; initiatorDepth: number } {
    const { maxResponderResources, maxInitiatorDepth } = this.service.device;
    const { responderResources = 1, initiatorDepth = 1 } = options;
    return {
      responderResources: requireInteger('responderResources', responderResources, 0, maxResponderResources),
      initiatorDepth: requireInteger('initiatorDepth', initiatorDepth, 0, maxInitiatorDepth),
    };
  }

  private requireOpen(): void {
    if (this.closed) throw new VerbsError('OBJECT_DESTROYED', 'the connection manager was closed');
  }

  /** Refuses a queue pair that is not this device's, not of this type, or already on its way somewhere. */
  private requireReady(qp: QueuePair, qpType?: 'RC' | 'UC'): void {
    if (!this.owns(qp))
      throw new VerbsError('WRONG_OWNER', 'the queue pair belongs to another context', { field: 'qp' });
    const types = qpType === undefined ? ['RC', 'UC'] : [qpType];
    if (!types.includes(qp.qpType))
      throw new VerbsError('OUT_OF_RANGE', 'the connection needs another type of queue pair', {
        field: 'qpType',
        given: qp.qpType,
        allowed: types.join(' or '),
      });
    if (qp.state === 'RESET' || qp.state === 'INIT') return;
    throw new VerbsError('WRONG_STATE', 'the queue pair is in use', {
      field: 'state',
      given: qp.state,
      allowed: 'RESET or INIT',
    });
  }

  private occupy(qp: QueuePair): void {
    if (this.service.occupy(qp.qpNum)) return;
    throw new VerbsError('CM_WRONG_STATE', 'the queue pair is being connected already', {
      field: 'qpNum',
      given: qp.qpNum,
      allowed: 'one without a connection',
    });
  }
}

/** A port that a manager listens at. */
class PortListener implements Listener, PortOwner {
  readonly port: number;
  private readonly manager: BaseConnectionManager;
  private readonly handler: RequestHandler | undefined;
  private closed = false;

  constructor(manager: BaseConnectionManager, port: number, handler: RequestHandler | undefined) {
    this.manager = manager;
    this.handler = handler;
    this.port = manager.service.listen(port, this);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.manager.service.unlisten(this.port);
    this.manager.forgetListener(this);
  }

  onRequest(connection: CmConnection, event: CmEvent & { kind: 'request' }): void {
    const request = new BaseRequest(
      this.manager,
      connection,
      this.port,
      this.manager.service.programData(event.privateData),
    );
    this.manager.take(connection, request);
    if (this.handler === undefined) {
      this.manager.put({ type: 'CONNECT_REQUEST', listener: this, request });
      return;
    }
    // The program's own mistake, or its queue pairs are used up: it is told, and so is whoever asked.
    const failed = (error: unknown): void => {
      request.turnDown(REJ_REASON.noResources);
      this.manager.fault(error, this.port);
    };
    try {
      const outcome: unknown = this.handler(request);
      // An async function is a handler too, and throws later.
      if (outcome instanceof Promise) outcome.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}

function headerOf(service: ConnectionService, row: number, peer: Gid): RdmaCmHeader {
  const own = service.device.gids[row] as Gid;
  const sourcePort = service.randomPort();
  const [from, to] = [gidToIpv4(own), gidToIpv4(peer)];
  return from !== null && to !== null
    ? { ipVersion: 4, sourcePort, sourceAddress: from, destinationAddress: to }
    : { ipVersion: 6, sourcePort, sourceAddress: own, destinationAddress: peer };
}

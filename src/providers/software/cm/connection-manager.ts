import { randomInt } from 'node:crypto';
import { KelpieError } from '../../../error.js';
import {
  CmAgent,
  type CmConnection,
  type CmEvent,
  type CmLimits,
  type CmPort,
  GSI_QKEY,
  GSI_QPN,
} from '../../../transport/cm/index.js';
import {
  ACCESS_REMOTE,
  type Connection,
  type ConnectionManager,
  type ConnectionOptions,
  type ConnectionRequest,
  type ConnectionTarget,
  type Mtu,
  type QueuePair,
} from '../../../verbs/index.js';
import {
  formatGidShort,
  type Gid,
  gidToIpv4,
  type RdmaCmHeader,
  REJ_REASON,
  rdmaCmPort,
  rdmaCmServiceId,
} from '../../../wire/index.js';
import { parseEndpoint } from '../link/ip-endpoint.js';
import type { SoftwareContext } from '../provider.js';
import { SoftwareConnection } from './connection.js';

const PORT = 1;
const TWO_32 = 2 ** 32;
const MTUS: readonly Mtu[] = [256, 512, 1024, 2048, 4096];
/** The first of the ports that nobody listens at, which RDMA-CM's header names as the requester's own. */
const FIRST_EPHEMERAL_PORT = 32768;
const EPHEMERAL_PORTS = 28232;

/** Choices about a connection manager. */
export interface SoftwareConnectionManagerOptions {
  limits?: Partial<CmLimits>;
  /** Code of the time until a message is sent again; 17 (0.54 s) where left out. */
  responseTimeout?: number;
}

/**
 * RDMA-CM on queue pair 1 of a software device, both roles: librdmacm's programs connect to it, and it to them.
 *
 * @example
 * const manager = new SoftwareConnectionManager(context);
 * manager.listen(7174, (request) => request.accept(makeQueuePair()));
 */
export class SoftwareConnectionManager implements ConnectionManager {
  readonly agent: CmAgent;
  private readonly context: SoftwareContext;
  private readonly responseTimeout: number;
  private readonly listeners = new Map<number, (request: ConnectionRequest) => void>();
  private timer: NodeJS.Timeout | null = null;
  private timerNs = Number.POSITIVE_INFINITY;

  constructor(context: SoftwareContext, options: SoftwareConnectionManagerOptions = {}) {
    this.context = context;
    this.responseTimeout = options.responseTimeout ?? 17;
    const port: CmPort = {
      sendMad: (datagram, to) => context.software.sendManagement(datagram, to, this.rowFor(to)),
      cmEvent: (connection, event) => this.onEvent(connection, event),
      cmFault: (error) => context.software.fault(error),
      deadlineMoved: () => this.arm(),
      random32: () => randomInt(TWO_32),
    };
    this.agent = new CmAgent(port, { caGuid: BigInt(randomInt(TWO_32)) + 1n, limits: options.limits });
    context.software.onManagement = (datagram) => {
      if (datagram.qkey !== GSI_QKEY || datagram.sourceQpn !== GSI_QPN) return;
      const { bytes, payloadOffset, payloadEnd, sourceGid } = datagram;
      this.agent.receive(bytes, payloadOffset, payloadEnd, sourceGid, this.nowNs);
    };
  }

  listen(port: number, onRequest: (request: ConnectionRequest) => void): () => void {
    const serviceId = rdmaCmServiceId(port);
    this.agent.listen(serviceId);
    this.listeners.set(port, onRequest);
    return () => {
      this.agent.unlisten(serviceId);
      this.listeners.delete(port);
    };
  }

  connect(qp: QueuePair, target: ConnectionTarget): Promise<Connection> {
    const { gid: peer } = parseEndpoint(target.address);
    const row = this.rowFor(peer);
    const localGid = this.context.software.link.gids[row];
    const connection = this.agent.connect(
      {
        peer,
        localGid,
        serviceId: rdmaCmServiceId(target.port),
        qpn: qp.qpNum,
        startingPsn: randomInt(2 ** 24),
        pathMtuCode: MTUS.indexOf(this.context.queryPort(PORT).activeMtu) + 1,
        header: headerOf(localGid, peer),
        privateData: target.privateData,
        responderResources: target.responderResources ?? 1,
        initiatorDepth: target.initiatorDepth ?? 1,
        retryCount: target.retryCount,
        rnrRetryCount: target.rnrRetryCount,
        responseTimeout: this.responseTimeout,
      },
      this.nowNs,
    );
    return new Promise((resolve, reject) => {
      connection.context = new SoftwareConnection(connection, qp, () => this.nowNs, {
        resolve,
        reject,
        bringUp: () => this.bringUp(qp, connection, row, target),
      });
    });
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.agent.close();
    this.context.software.onManagement = null;
  }

  private get nowNs(): number {
    return this.context.clock.nowNs;
  }

  private onEvent(connection: CmConnection, event: CmEvent): void {
    if (event.kind === 'request') this.onRequest(connection, event);
    else (connection.context as SoftwareConnection | null)?.onEvent(event);
    // What is remembered of an ended connection needs its queue pair no more.
    if (event.kind === 'disconnected') connection.context = null;
  }

  private onRequest(connection: CmConnection, event: CmEvent & { kind: 'request' }): void {
    const port = rdmaCmPort(event.req.serviceId);
    const listener = typeof port === 'number' ? this.listeners.get(port) : undefined;
    if (listener === undefined) {
      connection.reject(REJ_REASON.invalidServiceId);
      return;
    }
    // A path that this device cannot carry; a program that accepted it would fail.
    if (MTUS[event.req.pathMtuCode - 1] > this.context.queryPort(PORT).activeMtu) {
      connection.reject(REJ_REASON.invalidPathMtu);
      return;
    }
    // The program's own mistake, or its queue pairs are used up: it is told, and so is whoever asked.
    const failed = (error: unknown): void => {
      if (connection.state === 'REQ_RCVD' || connection.state === 'MRA_SENT')
        connection.reject(REJ_REASON.noResources);
      this.context.software.fault(error, port as number);
    };
    try {
      const outcome: unknown = listener({
        address: formatGidShort(connection.peer),
        privateData: event.privateData.slice(),
        accept: (qp, options = {}) => this.accept(connection, qp, options),
        reject: (privateData) => {
          // One that was forgotten meanwhile has been rejected already.
          if (connection.state !== 'CLOSED') connection.reject(REJ_REASON.consumerReject, privateData);
        },
      });
      // An async function is a handler too, and throws later.
      if (outcome instanceof Promise) outcome.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  private accept(connection: CmConnection, qp: QueuePair, options: ConnectionOptions): Connection {
    if (connection.state !== 'REQ_RCVD' && connection.state !== 'MRA_SENT')
      throw new KelpieError('CM_WRONG_STATE', 'the request is answered or forgotten', {
        field: 'state',
        given: connection.state,
        allowed: 'REQ_RCVD',
      });
    const session = new SoftwareConnection(connection, qp, () => this.nowNs, null);
    connection.context = session;
    const startingPsn = randomInt(2 ** 24);
    const { req } = connection;
    const resources = Math.min(options.responderResources ?? 1, req.initiatorDepth);
    const depth = Math.min(options.initiatorDepth ?? 1, req.responderResources);
    this.moveUp(qp, this.rowFor(connection.peer), options.qpAccessFlags, {
      peer: connection.peer,
      mtuCode: req.pathMtuCode,
      destQpNum: req.localQpn,
      rqPsn: startingPsn,
      sqPsn: req.startingPsn,
      resources,
      depth,
      retryCnt: req.retryCount,
      rnrRetry: options.rnrRetryCount ?? req.rnrRetryCount,
    });
    connection.reply(
      {
        qpn: qp.qpNum,
        startingPsn,
        responderResources: resources,
        initiatorDepth: depth,
        rnrRetryCount: options.rnrRetryCount,
        privateData: options.privateData,
      },
      this.nowNs,
    );
    return session;
  }

  /** Active: the reply is here. */
  private bringUp(qp: QueuePair, connection: CmConnection, row: number, options: ConnectionOptions): void {
    const { req, rep } = connection;
    if (rep === null) return;
    this.moveUp(qp, row, options.qpAccessFlags, {
      peer: connection.peer,
      mtuCode: req.pathMtuCode,
      destQpNum: rep.localQpn,
      rqPsn: req.startingPsn,
      sqPsn: rep.startingPsn,
      resources: req.responderResources,
      depth: Math.min(req.initiatorDepth, rep.responderResources),
      retryCnt: req.retryCount,
      rnrRetry: rep.rnrRetryCount,
    });
  }

  private moveUp(qp: QueuePair, sgidIndex: number, access: number | undefined, way: Way): void {
    qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: PORT, qpAccessFlags: access ?? ACCESS_REMOTE });
    const rc = qp.qpType === 'RC';
    qp.modify({
      state: 'RTR',
      ahAttr: { dgid: formatGidShort(way.peer), sgidIndex, portNum: PORT },
      pathMtu: MTUS[way.mtuCode - 1],
      destQpNum: way.destQpNum,
      rqPsn: way.rqPsn,
      ...(rc ? { maxDestRdAtomic: way.resources, minRnrTimer: 12 } : {}),
    });
    qp.modify({
      state: 'RTS',
      sqPsn: way.sqPsn,
      ...(rc ? { timeout: 14, retryCnt: way.retryCnt, rnrRetry: way.rnrRetry, maxRdAtomic: way.depth } : {}),
    });
  }

  /** The row of our addresses that reaches a peer: one of the same version of IP. */
  private rowFor(peer: Gid): number {
    const version4 = gidToIpv4(peer) !== null;
    const { gids } = this.context.software.link;
    const row = gids.findIndex((gid) => (gidToIpv4(gid) !== null) === version4);
    if (row >= 0) return row;
    throw new KelpieError('CANNOT_RUN', 'this device has no address of the peer’s version of IP', {
      field: 'address',
      given: formatGidShort(peer),
      allowed: gids.map(formatGidShort).join(', '),
    });
  }

  /** One timer for the earliest deadline. */
  private arm(): void {
    const atNs = this.agent.nextDeadlineNs;
    if (atNs === this.timerNs) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timerNs = atNs;
    this.timer = null;
    if (atNs === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.max(0, Math.ceil((atNs - this.nowNs) / 1e6));
    this.timer = setTimeout(() => {
      this.timerNs = Number.POSITIVE_INFINITY;
      this.timer = null;
      this.agent.onTimer(this.nowNs);
    }, delayMs).unref();
  }
}

/** What a queue pair needs to know of its way. */
interface Way {
  peer: Gid;
  mtuCode: number;
  destQpNum: number;
  rqPsn: number;
  sqPsn: number;
  resources: number;
  depth: number;
  retryCnt: number;
  rnrRetry: number;
}

function headerOf(own: Gid, peer: Gid): RdmaCmHeader {
  const sourcePort = FIRST_EPHEMERAL_PORT + randomInt(EPHEMERAL_PORTS);
  const [from, to] = [gidToIpv4(own), gidToIpv4(peer)];
  return from !== null && to !== null
    ? { ipVersion: 4, sourcePort, sourceAddress: from, destinationAddress: to }
    : { ipVersion: 6, sourcePort, sourceAddress: own, destinationAddress: peer };
}

import { CmAgent, type CmConnection, type CmEvent, type CmLimits } from '../../transport/cm/index.js';
import { VerbsError } from '../../verbs/index.js';
import { formatGidShort, type Gid, gidToIpv4 } from '../../wire/ib/gid.js';
import { REJ_REASON, rdmaCmPort, rdmaCmServiceId } from '../../wire/index.js';
import { MTUS } from './bring-up.js';
import { DatagramServices } from './datagram-services.js';
import type { ManagementDevice, ManagementListener } from './management-device.js';
import { withoutOffer } from './recovery-offer.js';

/** The ports that a requester names as its own and `listen(0)` chooses from: Linux' range for 'any port'. */
const FIRST_EPHEMERAL_PORT = 32768;
const EPHEMERAL_PORTS = 28232;

/** Whoever has a listener, a request or a connection and hears of it. */
export interface CmOwner {
  onEvent(event: CmEvent): void;
}

/** Whoever listens at a port. */
export interface PortOwner {
  onRequest(connection: CmConnection, event: CmEvent & { kind: 'request' }): void;
}

/**
 * Connection management of one device: the agent on its queue pair 1, and who listens at which port. The connection
 * managers of all who opened the device share it.
 */
export class ConnectionService {
  readonly agent: CmAgent;
  readonly device: ManagementDevice;
  readonly datagrams = new DatagramServices();
  private readonly owners = new Map<number, PortOwner>();
  private timerNs = Number.POSITIVE_INFINITY;
  /** Queue pairs that have a connection or ask for one, by number. */
  private readonly busy = new Set<number>();

  /** `open` begins to receive. */
  constructor(open: (listener: ManagementListener) => ManagementDevice, limits: Partial<CmLimits> = {}) {
    this.device = open({
      urgencyOf: (bytes, offset, end, source) => this.agent.urgencyOf(bytes, offset, end, source, this.nowNs),
      received: (bytes, offset, end, source) => {
        this.agent.serve(bytes, offset, end, source, this.nowNs);
      },
      due: () => {
        this.timerNs = Number.POSITIVE_INFINITY;
        this.agent.onTimer(this.nowNs);
      },
    });
    const { device } = this;
    this.agent = new CmAgent(
      {
        sendMad: (datagram, to) => device.send(datagram, to, this.rowFor(to)),
        cmEvent: (connection, event) => this.onEvent(connection, event),
        cmFault: (error) => device.fault(error, null, null),
        deadlineMoved: () => this.arm(),
        sidrRequest: (req, source) => this.datagrams.onRequest(req, source, this.rowFor(source)),
        sidrReply: (rep, source) => this.datagrams.onReply(rep, source),
        get backlog() {
          return device.backlog;
        },
        random32: () => device.random32(),
      },
      { caGuid: BigInt(device.random32()) + 1n, limits },
    );
  }

  get nowNs(): number {
    return this.device.nowNs;
  }

  /** Takes requests for a port, 0 for any that is free, and returns it. */
  listen(asked: number, owner: PortOwner): number {
    const port = asked === 0 ? this.freePort() : asked;
    if (this.owners.has(port))
      throw new VerbsError('CM_SERVICE_TAKEN', 'somebody listens at this port already', {
        field: 'port',
        given: port,
        allowed: 'another port, or 0 for any that is free',
      });
    this.agent.listen(rdmaCmServiceId(port));
    this.owners.set(port, owner);
    return port;
  }

  unlisten(port: number): void {
    this.agent.unlisten(rdmaCmServiceId(port));
    this.owners.delete(port);
  }

  /** Forgets everything without a word: the device goes away. */
  close(): void {
    this.agent.close();
    this.owners.clear();
    this.device.setTimer(Number.POSITIVE_INFINITY);
  }

  /** Notes that a queue pair has a connection, or asks for one; false where it does already. */
  occupy(qpNum: number): boolean {
    if (this.busy.has(qpNum)) return false;
    this.busy.add(qpNum);
    return true;
  }

  /** Whether a queue pair has a connection, or asks for one. */
  isBusy(qpNum: number): boolean {
    return this.busy.has(qpNum);
  }

  /** The queue pair's connection has ended. */
  vacate(qpNum: number): void {
    this.busy.delete(qpNum);
  }

  /** Private data as the peer's program gave it. */
  programData(field: Uint8Array): Uint8Array {
    return this.device.setSelective === undefined ? field.slice() : withoutOffer(field);
  }

  randomPsn(): number {
    return this.device.random32() & 0xffffff;
  }

  randomPort(): number {
    return FIRST_EPHEMERAL_PORT + (this.device.random32() % EPHEMERAL_PORTS);
  }

  /** The row of our addresses that reaches a peer: one of the same version of IP. */
  rowFor(peer: Gid): number {
    const { gids } = this.device;
    const version4 = gidToIpv4(peer) !== null;
    const row = gids.findIndex((gid) => (gidToIpv4(gid) !== null) === version4);
    if (row >= 0) return row;
    throw new VerbsError('OUT_OF_RANGE', 'this device has no address of the peer’s version of IP', {
      field: 'address',
      given: formatGidShort(peer),
      allowed: `the version of ${gids.map(formatGidShort).join(', ')}`,
    });
  }

  private freePort(): number {
    const first = this.randomPort() - FIRST_EPHEMERAL_PORT;
    for (let step = 0; step < EPHEMERAL_PORTS; step++) {
      const port = FIRST_EPHEMERAL_PORT + ((first + step) % EPHEMERAL_PORTS);
      if (!this.owners.has(port)) return port;
    }
    throw new VerbsError('LIMIT_REACHED', 'somebody listens at every port', { field: 'port', given: 0 });
  }

  private onEvent(connection: CmConnection, event: CmEvent): void {
    if (event.kind !== 'request') {
      (connection.context as CmOwner | null)?.onEvent(event);
      return;
    }
    const port = rdmaCmPort(event.req.serviceId);
    const owner = typeof port === 'number' ? this.owners.get(port) : undefined;
    if (owner === undefined) connection.reject(REJ_REASON.invalidServiceId);
    // A path that this device cannot carry; a program that accepted it would fail.
    else if (MTUS[event.req.pathMtuCode - 1] > this.device.activeMtu)
      connection.reject(REJ_REASON.invalidPathMtu);
    else owner.onRequest(connection, event);
  }

  /** One timer for the earliest deadline. */
  private arm(): void {
    const atNs = this.agent.nextDeadlineNs;
    if (atNs === this.timerNs) return;
    this.timerNs = atNs;
    this.device.setTimer(atNs);
  }
}

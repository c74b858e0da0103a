import type { CmConnection, CmEvent } from '../../transport/cm/index.js';
import {
  type Connection,
  ConnectionError,
  type ConnectionOptions,
  type QueuePair,
  VerbsError,
} from '../../verbs/index.js';
import { REJ_REASON, rejReasonName } from '../../wire/index.js';
import { destroy, leave } from './bring-up.js';
import type { BaseConnectionManager } from './connection-manager.js';
import type { CmOwner } from './connection-service.js';
import { addressText } from './ip-address.js';

/** Joins the state machine of a connection and its queue pair. */
export class BaseConnection implements Connection, CmOwner {
  readonly qp: QueuePair;
  readonly address: string;
  readonly port: number;
  privateData: Uint8Array;
  responderResources: number;
  initiatorDepth: number;
  readonly established: Promise<void>;
  readonly disconnected: Promise<void>;
  private readonly manager: BaseConnectionManager;
  private readonly connection: CmConnection;
  /** Active: brings the queue pair up with what the reply says. */
  private readonly bringUp: (() => void) | null;
  private readonly destroyQp: boolean;
  private onEstablished: () => void = () => {};
  private onFailed: (error: Error) => void = () => {};
  private onDisconnected: () => void = () => {};
  private holdsTime = false;
  private over = false;

  constructor(
    manager: BaseConnectionManager,
    connection: CmConnection,
    qp: QueuePair,
    agreed: { privateData: Uint8Array; responderResources: number; initiatorDepth: number },
    options: ConnectionOptions,
    bringUp: (() => void) | null,
  ) {
    this.manager = manager;
    this.connection = connection;
    this.qp = qp;
    this.bringUp = bringUp;
    this.destroyQp = options.destroyQp === true;
    this.address = addressText(connection.peer);
    this.port = Number(connection.req.serviceId & 0xffffn);
    this.privateData = agreed.privateData;
    this.responderResources = agreed.responderResources;
    this.initiatorDepth = agreed.initiatorDepth;
    this.established = new Promise((resolve, reject) => {
      this.onEstablished = resolve;
      this.onFailed = reject;
    });
    // Whoever does not wait for it learns of a failure by an event or by `disconnected`.
    this.established.catch(() => {});
    this.disconnected = new Promise((resolve) => {
      this.onDisconnected = resolve;
    });
    this.waits(true);
  }

  async disconnect(): Promise<void> {
    const { connection } = this;
    if (connection.state === 'REP_SENT' || connection.state === 'MRA_REP_RCVD') {
      connection.reject(REJ_REASON.consumerReject);
      this.manager.put({ type: 'DISCONNECTED', connection: this });
      this.fail(new VerbsError('CM_WRONG_STATE', 'this side ended the connection before it was established'));
    }
    if (connection.state === 'ESTABLISHED') {
      this.waits(true);
      connection.disconnect(this.manager.service.nowNs);
    }
    await this.disconnected;
  }

  /** Ends it without a word to the other side: its manager is closed. */
  abandon(): void {
    this.connection.abandon();
    if (this.over) return;
    this.onFailed(new VerbsError('OBJECT_DESTROYED', 'the connection manager was closed'));
    this.finish();
  }

  onEvent(event: CmEvent): void {
    switch (event.kind) {
      case 'reply':
        this.onReply(event);
        break;
      case 'established':
        this.manager.service.device.release(this.qp.qpNum);
        this.stands();
        break;
      case 'rejected': {
        const { reason, privateData } = event;
        const bytes = privateData.slice();
        this.manager.put({ type: 'REJECTED', connection: this, status: reason, privateData: bytes });
        this.fail(new ConnectionError(reason, rejReasonName(reason) ?? `${reason}`, bytes));
        break;
      }
      case 'unreachable':
        this.manager.put({ type: 'UNREACHABLE', connection: this });
        this.fail(
          new VerbsError('CM_UNREACHABLE', 'nobody answered the request for a connection', {
            field: 'address',
            given: this.address,
            allowed: 'one that answers before all retries are used up',
          }),
        );
        break;
      case 'disconnected':
        this.manager.put({ type: 'DISCONNECTED', connection: this });
        this.end();
        break;
      case 'closed':
        this.manager.put({ type: 'TIMEWAIT_EXIT', connection: this });
        break;
    }
  }

  private onReply({ rep }: CmEvent & { kind: 'reply' }): void {
    this.privateData = this.manager.service.programData(rep.privateData);
    this.responderResources = Math.min(this.responderResources, rep.initiatorDepth);
    this.initiatorDepth = Math.min(this.initiatorDepth, rep.responderResources);
    try {
      this.bringUp?.();
    } catch (error) {
      // The peer's numbers do not suit this device, or the program has destroyed the queue pair.
      this.connection.reject(REJ_REASON.unsupportedRequest);
      this.manager.put({ type: 'CONNECT_ERROR', port: this.port, error });
      this.fail(error as Error);
      return;
    }
    this.connection.ready();
    this.stands();
  }

  private stands(): void {
    this.manager.put({ type: 'ESTABLISHED', connection: this });
    this.onEstablished();
    this.waits(false);
  }

  private fail(error: Error): void {
    this.onFailed(error);
    this.end();
  }

  private end(): void {
    leave(this.qp, 'ERR');
    this.finish();
  }

  private finish(): void {
    if (this.over) return;
    this.over = true;
    this.onDisconnected();
    this.waits(false);
    this.manager.forget(this);
    if (this.destroyQp) destroy(this.qp);
  }

  /** A connection that is being made or ended is something that a program waits for. */
  private waits(now: boolean): void {
    if (now === this.holdsTime || (now && this.over)) return;
    this.holdsTime = now;
    const { device } = this.manager.service;
    device.waiting(now ? 1 : -1);
    if (!now) device.answered();
  }
}

import type { CmConnection, CmEvent } from '../../transport/cm/index.js';
import {
  type Connection,
  type ConnectionOptions,
  type ConnectionRequest,
  type QueuePair,
  VerbsError,
} from '../../verbs/index.js';
import { REJ_PRIVATE_DATA_BYTES, REJ_REASON, TRANSPORT_SERVICE_TYPE } from '../../wire/index.js';
import type { BaseConnectionManager } from './connection-manager.js';
import type { CmOwner } from './connection-service.js';
import { addressText } from './ip-address.js';
import { requireBytes } from './requirements.js';

/** A request that waits for the program's answer. */
export class BaseRequest implements ConnectionRequest, CmOwner {
  readonly address: string;
  readonly port: number;
  readonly qpType: 'RC' | 'UC';
  readonly privateData: Uint8Array;
  readonly responderResources: number;
  readonly initiatorDepth: number;
  private readonly manager: BaseConnectionManager;
  private readonly connection: CmConnection;

  constructor(
    manager: BaseConnectionManager,
    connection: CmConnection,
    port: number,
    privateData: Uint8Array,
  ) {
    const { req } = connection;
    this.manager = manager;
    this.connection = connection;
    this.address = addressText(connection.peer);
    this.port = port;
    this.qpType = req.transportServiceType === TRANSPORT_SERVICE_TYPE.uc ? 'UC' : 'RC';
    this.privateData = privateData;
    this.responderResources = req.responderResources;
    this.initiatorDepth = req.initiatorDepth;
  }

  accept(qp: QueuePair, options: ConnectionOptions = {}): Connection {
    this.requireUnanswered();
    const made = this.manager.accept(this.connection, qp, options);
    this.manager.forget(this);
    return made;
  }

  reject(privateData?: Uint8Array): void {
    requireBytes('privateData', privateData, REJ_PRIVATE_DATA_BYTES);
    this.requireUnanswered();
    this.turnDown(REJ_REASON.consumerReject, privateData);
  }

  /** Says no for a reason, unless it was answered. */
  turnDown(reason: number, privateData?: Uint8Array): void {
    if (!this.unanswered) return;
    this.connection.reject(reason, privateData);
    this.manager.forget(this);
  }

  /** The manager is closed. */
  abandon(): void {
    this.connection.abandon();
    this.manager.forget(this);
  }

  onEvent(event: CmEvent): void {
    // The other side gave up, or the program took too long.
    if (event.kind === 'rejected' || event.kind === 'unreachable') this.manager.forget(this);
  }

  private get unanswered(): boolean {
    return this.connection.state === 'REQ_RCVD' || this.connection.state === 'MRA_SENT';
  }

  private requireUnanswered(): void {
    if (this.unanswered) return;
    throw new VerbsError('CM_WRONG_STATE', 'the request is answered or forgotten', {
      field: 'state',
      given: this.connection.state,
      allowed: 'REQ_RCVD',
    });
  }
}

import { KelpieError } from '../../../error.js';
import type { CmConnection, CmEvent } from '../../../transport/cm/index.js';
import { type Connection, type QueuePair, VerbsError } from '../../../verbs/index.js';
import { REJ_REASON, rejReasonName } from '../../../wire/index.js';

/** What the side that asked waits for. */
interface Asking {
  resolve(connection: Connection): void;
  reject(error: Error): void;
  /** Brings the queue pair up with what the reply says. */
  bringUp(): void;
}

/** A connection of a software device: joins the state machine and the queue pair. */
export class SoftwareConnection implements Connection {
  readonly qp: QueuePair;
  privateData: Uint8Array;
  readonly established: Promise<void>;
  readonly disconnected: Promise<void>;
  private readonly connection: CmConnection;
  private readonly nowNs: () => number;
  private readonly asking: Asking | null;
  private onEstablished: () => void = () => {};
  private onFailed: (error: Error) => void = () => {};
  private onDisconnected: () => void = () => {};

  constructor(connection: CmConnection, qp: QueuePair, nowNs: () => number, asking: Asking | null) {
    this.connection = connection;
    this.qp = qp;
    this.nowNs = nowNs;
    this.asking = asking;
    this.privateData = connection.req.privateData;
    this.established = new Promise((resolve, reject) => {
      this.onEstablished = resolve;
      this.onFailed = reject;
    });
    // Whoever does not wait for it learns of a failure by `disconnected`.
    this.established.catch(() => {});
    this.disconnected = new Promise((resolve) => {
      this.onDisconnected = resolve;
    });
  }

  async disconnect(): Promise<void> {
    if (this.connection.state === 'REP_SENT' || this.connection.state === 'MRA_REP_RCVD')
      this.connection.established();
    if (this.connection.state === 'ESTABLISHED') this.connection.disconnect(this.nowNs());
    await this.disconnected;
  }

  onEvent(event: CmEvent): void {
    switch (event.kind) {
      case 'reply':
        this.privateData = event.rep.privateData;
        this.onReply();
        break;
      case 'established':
        this.onEstablished();
        break;
      case 'rejected':
        this.fail(
          new KelpieError('CM_REJECTED', 'the connection was rejected', {
            field: 'reason',
            given: rejReasonName(event.reason) ?? event.reason,
            allowed: 'acceptance',
          }),
        );
        break;
      case 'unreachable':
        this.fail(
          new KelpieError('CM_UNREACHABLE', 'nobody answered the request for a connection', {
            field: 'address',
            given: 'silence',
            allowed: 'an answer in all retries',
          }),
        );
        break;
      case 'disconnected':
        this.end();
        break;
    }
  }

  private onReply(): void {
    if (this.asking === null) return;
    try {
      this.asking.bringUp();
    } catch (error) {
      // The peer's numbers do not suit this device.
      this.connection.reject(REJ_REASON.unsupportedRequest);
      this.fail(error as Error);
      return;
    }
    this.connection.ready();
    this.onEstablished();
    this.asking.resolve(this);
  }

  private fail(error: Error): void {
    this.onFailed(error);
    this.asking?.reject(error);
    this.end();
  }

  private end(): void {
    try {
      const { state } = this.qp;
      if (state !== 'ERR' && state !== 'RESET') this.qp.modify({ state: 'ERR' });
    } catch (error) {
      // A program may destroy its queue pair before its connection ends; then nothing is left to stop.
      if (!(error instanceof VerbsError) || error.code !== 'OBJECT_DESTROYED') throw error;
    } finally {
      this.onDisconnected();
    }
  }
}

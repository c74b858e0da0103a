import type { QpState } from '../../verbs/queue-pair.js';
import { Endpoint, type EndpointInit, type TransportContext } from '../endpoint.js';
import { UnreliableRequester } from './unreliable-requester.js';

/** What UC and UD have in common: requests that nobody answers. */
export abstract class UnreliableEndpoint extends Endpoint {
  readonly requester: UnreliableRequester;
  /** In a state that receives. */
  protected receiving = false;

  constructor(context: TransportContext, init: EndpointInit, datagram: boolean) {
    super(context, init);
    this.requester = new UnreliableRequester(this, datagram);
  }

  override allowSends(): void {
    this.requester.wake();
  }

  override canRequest(nowPs: number): boolean {
    return this.requester.canRequest(nowPs);
  }

  override hasRoom(nowPs: number): boolean {
    return this.requester.hasRoom(nowPs);
  }

  override nextRequestWqe(): number {
    return this.requester.wqe;
  }

  override nextRequestBytes(): number {
    return this.requester.nextBytes();
  }

  override nextRequestOffset(): number {
    return this.requester.offset;
  }

  override nextRequestStartsMessage(): boolean {
    return this.requester.offset === 0;
  }

  override emitRequest(packet: number, nowPs: number): boolean {
    return this.requester.emit(packet, nowPs);
  }

  override canRespond(_nowPs: number): boolean {
    return false;
  }

  override nextResponseIsRead(): boolean {
    return false;
  }

  override nextResponseBytes(): number {
    return 0;
  }

  override emitResponse(): void {}

  override onTimer(nowPs: number): void {
    this.requester.onTimer(nowPs);
  }

  override modified(state: QpState): void {
    const from = this.state;
    this.state = state;
    if (state === from) return;
    this.established = false;
    switch (state) {
      case 'RTR':
        this.receiving = true;
        this.startReceiving();
        break;
      case 'RTS':
        if (from === 'RTR') this.requester.start();
        else this.requester.resume();
        break;
      case 'SQD':
        break;
      case 'SQE':
        this.requester.stop();
        break;
      default:
        this.receiving = false;
        this.requester.stop();
        this.stopReceiving();
    }
  }

  /** Enters RTR. */
  protected abstract startReceiving(): void;
  /** Leaves the states that receive. */
  protected abstract stopReceiving(): void;
}

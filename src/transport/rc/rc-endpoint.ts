import type { QpState } from '../../verbs/queue-pair.js';
import { Endpoint, type EndpointInit, type TransportContext } from '../endpoint.js';
import { REQUEST_TRAITS } from '../packet/opcode-traits.js';
import { RcCompleter } from './rc-completer.js';
import { RcRequester } from './rc-requester.js';
import { RcResponder, rcTraits } from './rc-responder.js';
import { SelectiveCompleter } from './selective-completer.js';

/** A reliable connection: requester and responder of one queue pair (9.7). */
export class RcEndpoint extends Endpoint {
  readonly type = 'RC';
  readonly requester: RcRequester;
  readonly responder: RcResponder;
  private readonly completer: RcCompleter;

  constructor(context: TransportContext, init: EndpointInit) {
    super(context, init);
    this.requester = new RcRequester(this);
    this.responder = new RcResponder(this, this.requester.timer);
    const { selective } = this.requester;
    this.completer =
      selective === null
        ? new RcCompleter(this.requester)
        : new SelectiveCompleter(this.requester, selective, this.responder);
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
    return this.requester.nextWqe();
  }

  override nextRequestBytes(): number {
    return this.requester.nextBytes();
  }

  override nextRequestOffset(): number {
    return this.requester.nextOffset();
  }

  override nextRequestStartsMessage(): boolean {
    return this.requester.nextStartsMessage();
  }

  override nextRequestRepeats(): boolean {
    return this.requester.nextRepeats();
  }

  override takenRequest(behind: number): number {
    return this.requester.takenRequest(behind);
  }

  override emitRequest(packet: number, nowPs: number): boolean {
    return this.requester.emit(packet, nowPs);
  }

  override canRespond(nowPs: number): boolean {
    return this.responder.canRespond(nowPs);
  }

  override nextResponseIsRead(): boolean {
    return this.responder.nextIsRead();
  }

  override nextResponseBytes(): number {
    return this.responder.nextBytes();
  }

  override emitResponse(packet: number, nowPs: number): void {
    this.responder.emit(packet, nowPs);
  }

  override onPacket(packet: number, nowPs: number): void {
    if (this.noteCongestion(packet, nowPs)) return;
    if (this.context.packets.telemetryStride > 0) this.readTelemetry(packet);
    const traits = rcTraits(this.context.packets.opcode[packet]);
    if ((traits & REQUEST_TRAITS) !== 0) {
      const { active, expectedPsn } = this.responder;
      this.responder.onRequest(packet, traits, nowPs);
      const moved = active && this.responder.expectedPsn !== expectedPsn;
      if (moved && this.state === 'RTR') this.establish();
    } else if (traits !== 0) {
      this.completer.onResponse(packet, traits, nowPs);
    } else {
      this.context.device.counters.dropped_packets++;
    }
  }

  /** Data brings what its hops say; an acknowledgement brings it back. */
  private readTelemetry(packet: number): void {
    const { packets, ackFacts } = this.context;
    if (packets.payloadBytes[packet] > 0) {
      this.responder.noteTelemetry(packet);
      ackFacts.hops = 0;
      return;
    }
    const at = packet * packets.telemetryStride;
    ackFacts.hops = packets.telemetry[at];
    ackFacts.telemetry = packets.telemetry;
    ackFacts.telemetryAt = at + 1;
  }

  override onDropped(packet: number): void {
    this.responder.onDropped(packet);
  }

  override onTimer(nowPs: number): void {
    this.requester.onTimer(nowPs);
    this.responder.onTimer(nowPs);
  }

  override rnrWaitedPs(nowPs: number): number {
    return this.requester.rnrWaitedPs(nowPs);
  }

  override modified(state: QpState): void {
    const from = this.state;
    this.state = state;
    if (state === from) return;
    this.established = false;
    switch (state) {
      case 'RTR':
        this.responder.start();
        break;
      case 'RTS':
        if (from === 'RTR') {
          this.requester.start();
          this.responder.waitAgain();
        } else this.requester.wake();
        break;
      case 'SQD':
        break;
      case 'ERR':
        // A responder that failed has stopped already and keeps its NAK; one that did not has nothing to say.
        if (this.responder.active) this.responder.responses.clear();
        this.responder.stop();
        this.requester.stop();
        break;
      default:
        this.responder.responses.clear();
        this.responder.stop();
        this.requester.stop();
    }
  }
}

import { NO_SLOT } from '../../../verbs/base/index.js';
import type { QpType } from '../../../verbs/index.js';
import { OPCODE } from '../../../wire/index.js';
import type { FabricPackets } from '../../fabric/fabric-packets.js';
import type { NicEndpoint } from '../queue-pair/nic-queue-pair.js';

/** What a test chooses about an endpoint. */
export interface TestEndpointOptions {
  type?: QpType;
  pathMtu?: number;
}

/**
 * A transport of which the test says what it has to send: WRITEs and READs by their bytes, acknowledgements, READ data.
 * It records what it is handed.
 */
export class TestEndpoint implements NicEndpoint {
  readonly type: QpType;
  readonly attributes: { pathMtu: number };
  /** Whether requests may leave. */
  open = true;
  /** Messages that wait to be sent, oldest first. */
  readonly messages: { wqe: number; bytes: number; isRead: boolean; repeats: boolean }[] = [];
  /** Answers that wait: acknowledgements, or bytes of READ data. */
  readonly answers: ('ack' | number)[] = [];
  /** Packets that it was handed, by opcode, and those that it was told were dropped. */
  readonly received: number[] = [];
  readonly dropped: number[] = [];
  /** How often the device said that requests are at hand. */
  allowed = 0;
  /** Called where it has nothing to send: takes a request that is at hand. */
  more: () => void = () => {};
  /** Called for each packet that it is handed. */
  onReceived: (packet: number) => void = () => {};
  private readonly packets: FabricPackets;
  private endless: { wqe: number; bytes: number } | null = null;
  private offset = 0;
  private responseOffset = 0;

  constructor(packets: FabricPackets, options: TestEndpointOptions = {}) {
    this.packets = packets;
    this.type = options.type ?? 'RC';
    this.attributes = { pathMtu: options.pathMtu ?? 4096 };
  }

  /** Has one more message to send. */
  send(bytes: number, wqe = 0, more: { isRead?: boolean; repeats?: boolean } = {}): void {
    this.messages.push({ wqe, bytes, isRead: more.isRead ?? false, repeats: more.repeats ?? false });
  }

  /** Always has another message of this length. */
  sendForever(bytes: number, wqe = 0): void {
    this.endless = { wqe, bytes };
    this.send(bytes, wqe);
  }

  allowSends(): void {
    this.allowed++;
  }

  canRequest(): boolean {
    if (this.open && this.messages.length === 0) this.more();
    return this.open && this.messages.length > 0;
  }

  hasRoom(): boolean {
    return this.open;
  }

  nextRequestWqe(): number {
    return this.messages[0].wqe;
  }

  nextRequestBytes(): number {
    const [{ bytes, isRead }] = this.messages;
    return isRead ? 0 : Math.min(this.attributes.pathMtu, bytes - this.offset);
  }

  nextRequestOffset(): number {
    return this.offset;
  }

  nextRequestStartsMessage(): boolean {
    return this.offset === 0;
  }

  nextRequestRepeats(): boolean {
    return this.messages[0].repeats;
  }

  takenRequest(behind: number): number {
    return this.messages[behind]?.repeats ? this.messages[behind].wqe : NO_SLOT;
  }

  emitRequest(packet: number): boolean {
    const { packets } = this;
    const [{ bytes, isRead }] = this.messages;
    const payloadBytes = this.nextRequestBytes();
    const [first, last] = [this.offset === 0, isRead || this.offset + payloadBytes >= bytes];
    packets.payloadBytes[packet] = payloadBytes;
    packets.opcode[packet] = isRead
      ? OPCODE.RC_READ_REQUEST
      : first && last
        ? OPCODE.RC_WRITE_ONLY
        : first
          ? OPCODE.RC_WRITE_FIRST
          : last
            ? OPCODE.RC_WRITE_LAST
            : OPCODE.RC_WRITE_MIDDLE;
    this.offset = last ? 0 : this.offset + payloadBytes;
    if (last) this.messages.shift();
    if (last && this.endless !== null) this.send(this.endless.bytes, this.endless.wqe);
    return true;
  }

  rnrWaitedPs(): number {
    return 0;
  }

  canRespond(): boolean {
    return this.answers.length > 0;
  }

  nextResponseIsRead(): boolean {
    return this.answers[0] !== 'ack';
  }

  nextResponseBytes(): number {
    const [answer] = this.answers;
    return answer === 'ack' ? 0 : Math.min(this.attributes.pathMtu, answer - this.responseOffset);
  }

  emitResponse(packet: number): void {
    const { packets } = this;
    const [answer] = this.answers;
    const payloadBytes = this.nextResponseBytes();
    packets.payloadBytes[packet] = payloadBytes;
    this.responseOffset += payloadBytes;
    const last = answer === 'ack' || this.responseOffset >= answer;
    packets.opcode[packet] =
      answer === 'ack'
        ? OPCODE.RC_ACKNOWLEDGE
        : last
          ? OPCODE.RC_READ_RESPONSE_LAST
          : OPCODE.RC_READ_RESPONSE_MIDDLE;
    if (!last) return;
    this.responseOffset = 0;
    this.answers.shift();
  }

  emitCnp(packet: number): void {
    this.packets.payloadBytes[packet] = 0;
    this.packets.opcode[packet] = OPCODE.CNP;
  }

  onPacket(packet: number): void {
    this.received.push(this.packets.opcode[packet]);
    this.onReceived(packet);
  }

  onDropped(packet: number): void {
    this.dropped.push(this.packets.opcode[packet]);
  }
}

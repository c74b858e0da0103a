import type { EndpointInit, TransportContext } from '../endpoint.js';
import { InboundMessage, Verdict } from '../inbound-message.js';
import { OPCODE_TRAITS, REQUEST_TRAITS, Trait } from '../packet/opcode-traits.js';
import { psnAdd } from '../packet/psn.js';
import { UnreliableEndpoint } from './unreliable-endpoint.js';

const FORM_TRAITS = Trait.FIRST | Trait.LAST | Trait.IMMEDIATE | Trait.INVALIDATE;

/**
 * An unreliable connection (9.8.2). A gap ends the message that it falls into; what follows is dropped until the next
 * first or only packet, and the receive that the broken message had taken serves the next one.
 */
export class UcEndpoint extends UnreliableEndpoint {
  readonly type = 'UC';
  readonly message = new InboundMessage(this);
  expectedPsn = 0;

  constructor(context: TransportContext, init: EndpointInit) {
    super(context, init, false);
  }

  protected override startReceiving(): void {
    this.expectedPsn = this.attributes.rqPsn;
    this.message.reset();
  }

  protected override stopReceiving(): void {
    this.message.reset();
  }

  private traits(packet: number): number {
    const traits = OPCODE_TRAITS[this.context.packets.opcode[packet]];
    return this.receiving && (traits & Trait.UC) !== 0 ? traits & (REQUEST_TRAITS | FORM_TRAITS) : 0;
  }

  override onPacket(packet: number, nowPs: number): void {
    if (this.noteCongestion(packet, nowPs)) return;
    const { packets, device } = this.context;
    const traits = this.traits(packet);
    if (traits === 0) {
      device.counters.dropped_packets++;
      return;
    }
    const psn = packets.psn[packet];
    if (psn !== this.expectedPsn) {
      device.counters.out_of_sequence++;
      this.message.open = 0;
    }
    // Whatever comes, the next packet is expected behind it: UC waits for nothing.
    this.expectedPsn = psnAdd(psn, 1);
    if ((traits & Trait.FIRST) !== 0) this.message.open = 0;
    this.settle(this.message.accept(packet, traits));
    if (this.state === 'RTR') this.establish();
  }

  /** Whatever is wrong with a message ends it in silence (9.8.2.2); its receive, if it had one, serves the next. */
  private settle(verdict: number): void {
    const { counters } = this.context.device;
    if (verdict === Verdict.ACCEPTED) return;
    this.message.open = 0;
    if (verdict === Verdict.NOT_READY) counters.out_of_buffer++;
    else if (verdict === Verdict.TOO_LONG) counters.resp_local_length_error++;
    else counters.dropped_packets++;
  }
}

import { NO_SLOT, Status, WcOp } from '../../verbs/base/codes.js';
import { CqeFlag } from '../../verbs/base/queues/cqe-pool.js';
import type { EndpointInit, TransportContext } from '../endpoint.js';
import { OPCODE_TRAITS, Trait } from '../packet/opcode-traits.js';
import { PacketFlag } from '../packet/packet-pool.js';
import { UnreliableEndpoint } from './unreliable-endpoint.js';

/** Bytes in front of a received datagram: a GRH, or what stands for one. */
export const GRH_AREA_BYTES = 40;

/** An unreliable datagram queue pair: single packets, any sender, a Q_Key at the door (9.8.3). */
export class UdEndpoint extends UnreliableEndpoint {
  readonly type = 'UD';

  constructor(context: TransportContext, init: EndpointInit) {
    super(context, init, true);
  }

  protected override startReceiving(): void {}

  protected override stopReceiving(): void {}

  private isForUs(packet: number): boolean {
    const { packets } = this.context;
    const traits = OPCODE_TRAITS[packets.opcode[packet]];
    return this.receiving && (traits & Trait.UD) !== 0 && packets.qkey[packet] === this.attributes.qkey;
  }

  override onPacket(packet: number, nowPs: number): void {
    if (this.noteCongestion(packet, nowPs)) return;
    const { device } = this.context;
    if (!this.isForUs(packet)) {
      device.counters.dropped_packets++;
      return;
    }
    const wqe = device.takeReceive(this);
    if (wqe === NO_SLOT) {
      device.counters.out_of_buffer++;
      return;
    }
    const status = this.place(packet, wqe);
    this.completeReceive(packet, wqe, status);
    if (status !== Status.SUCCESS) device.enterError(this, null);
  }

  private place(packet: number, wqe: number): number {
    const { packets, wqes, device } = this.context;
    const bytes = packets.payloadBytes[packet];
    if (GRH_AREA_BYTES + bytes > wqes.length[wqe]) {
      device.counters.resp_local_length_error++;
      return Status.LOC_LEN_ERR;
    }
    const placed =
      device.placeGrh(this, packet, wqe) &&
      (bytes === 0 || device.placeReceive(this, packet, wqe, GRH_AREA_BYTES, bytes));
    return placed ? Status.SUCCESS : Status.LOC_PROT_ERR;
  }

  private completeReceive(packet: number, wqe: number, status: number): void {
    const { packets, device, receiveResult } = this.context;
    const immediate = (OPCODE_TRAITS[packets.opcode[packet]] & Trait.IMMEDIATE) !== 0;
    receiveResult.status = status;
    receiveResult.opcode = WcOp.RECV;
    receiveResult.byteLen = GRH_AREA_BYTES + packets.payloadBytes[packet];
    receiveResult.flags = CqeFlag.GRH | (immediate ? CqeFlag.IMM : 0);
    receiveResult.imm = immediate ? packets.immediate[packet] : 0;
    receiveResult.srcQp = packets.srcQpn[packet];
    receiveResult.solicited = (packets.flags[packet] & PacketFlag.SOLICITED) !== 0;
    device.completeReceive(this, wqe, receiveResult);
  }
}

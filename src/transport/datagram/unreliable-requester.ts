import { NO_SLOT, Op, Status } from '../../verbs/base/codes.js';
import { KeyCheck } from '../../verbs/base/memory/memory-table.js';
import { checkList } from '../../verbs/base/memory/scatter-gather.js';
import { WqeFlag } from '../../verbs/base/queues/wqe-pool.js';
import { OPCODE } from '../../wire/ib/opcode.js';
import type { Endpoint } from '../endpoint.js';
import { EndpointTimer } from '../endpoint-timer.js';
import { messageOpcode, UC_OFFSET } from '../packet/opcode-traits.js';
import { PacketFlag } from '../packet/packet-pool.js';
import { psnAdd } from '../packet/psn.js';

/** The bit of a work request's Q_Key that means: use the queue pair's own (10.2.5). */
const OWN_QKEY = 0x80000000;

/** The sending half of UC and UD: packet after packet, each request done when its last packet left (9.8.2, 9.8.3). */
export class UnreliableRequester {
  readonly endpoint: Endpoint;
  active = false;
  nextPsn = 0;
  /** The request being sent, `NO_SLOT` where there is none. */
  wqe = NO_SLOT;
  offset = 0;
  private idle = true;
  private readonly datagram: boolean;
  private readonly timer: EndpointTimer;

  constructor(endpoint: Endpoint, datagram: boolean) {
    this.endpoint = endpoint;
    this.datagram = datagram;
    this.timer = new EndpointTimer(endpoint);
  }

  /** Begins a connection, or for UD a life. */
  start(): void {
    this.nextPsn = this.endpoint.attributes.sqPsn;
    this.resume();
  }

  /** Back from a failure of the send queue: PSNs go on. */
  resume(): void {
    this.active = true;
    this.wake();
  }

  stop(): void {
    this.active = false;
    this.idle = true;
    this.wqe = NO_SLOT;
    this.timer.clear();
  }

  wake(): void {
    if (!this.idle || !this.active) return;
    this.idle = false;
    this.endpoint.context.device.requestReady(this.endpoint);
  }

  canRequest(nowPs: number): boolean {
    const ready = this.active && (this.wqe !== NO_SLOT || this.takeRequest());
    if (ready && nowPs >= this.endpoint.congestion.nextSendPs) return true;
    if (ready) this.timer.arm(this.endpoint.congestion.nextSendPs);
    this.idle = true;
    return false;
  }

  hasRoom(nowPs: number): boolean {
    const { nextSendPs } = this.endpoint.congestion;
    if (this.active && nowPs >= nextSendPs) return true;
    if (this.active) this.timer.arm(nextSendPs);
    this.idle = true;
    return false;
  }

  private takeRequest(): boolean {
    const { endpoint } = this;
    const { wqes, memory, device } = endpoint.context;
    const wqe = device.takeSend(endpoint);
    if (wqe === NO_SLOT) return false;
    if ((wqes.flags[wqe] & WqeFlag.INLINE) === 0) {
      const check = checkList(memory, wqes, wqe, endpoint.pd, wqes.length[wqe], false);
      if (check !== KeyCheck.OK) {
        this.fail(wqe);
        return false;
      }
    }
    this.wqe = wqe;
    this.offset = 0;
    return true;
  }

  nextBytes(): number {
    const left = this.endpoint.context.wqes.length[this.wqe] - this.offset;
    return this.datagram ? left : Math.min(this.endpoint.attributes.pathMtu, left);
  }

  emit(packet: number, nowPs: number): boolean {
    const { endpoint, wqe, offset } = this;
    const { packets, wqes, device } = endpoint.context;
    const bytes = this.nextBytes();
    const last = offset + bytes === wqes.length[wqe];
    packets.payloadBytes[packet] = bytes;
    packets.wqe[packet] = wqe;
    if (this.datagram) this.fillDatagram(packet, wqe);
    else this.fillConnected(packet, wqe, offset === 0, last);
    if (bytes > 0 && !device.gather(endpoint, packet, wqe, offset, bytes)) {
      this.fail(wqe);
      return false;
    }
    packets.psn[packet] = this.nextPsn;
    packets.srcQpn[packet] = endpoint.qpn;
    packets.flags[packet] = last && (wqes.flags[wqe] & WqeFlag.SOLICITED) !== 0 ? PacketFlag.SOLICITED : 0;
    if (last) packets.immediate[packet] = wqes.imm[wqe];
    this.nextPsn = psnAdd(this.nextPsn, 1);
    this.offset = offset + bytes;
    endpoint.congestion.onSend(bytes, nowPs, true);
    if (last) {
      this.wqe = NO_SLOT;
      device.completeSend(endpoint, wqe, Status.SUCCESS);
    }
    return true;
  }

  private fillDatagram(packet: number, wqe: number): void {
    const { packets, wqes } = this.endpoint.context;
    const immediate = wqes.opcode[wqe] === Op.SEND_WITH_IMM;
    const qkey = wqes.rkey[wqe];
    packets.opcode[packet] = immediate ? OPCODE.UD_SEND_ONLY_IMMEDIATE : OPCODE.UD_SEND_ONLY;
    packets.destQpn[packet] = wqes.remoteLow[wqe];
    packets.qkey[packet] = (qkey & OWN_QKEY) !== 0 ? this.endpoint.attributes.qkey : qkey;
  }

  private fillConnected(packet: number, wqe: number, first: boolean, last: boolean): void {
    const { packets, wqes } = this.endpoint.context;
    const op = wqes.opcode[wqe];
    packets.opcode[packet] = messageOpcode(op, first, last) + UC_OFFSET;
    packets.destQpn[packet] = this.endpoint.attributes.destQpn;
    if (first && op >= Op.RDMA_WRITE) {
      packets.remoteHigh[packet] = wqes.remoteHigh[wqe];
      packets.remoteLow[packet] = wqes.remoteLow[wqe];
      packets.rkey[packet] = wqes.rkey[wqe];
      packets.dmaBytes[packet] = wqes.length[wqe];
    }
  }

  private fail(wqe: number): void {
    this.wqe = NO_SLOT;
    this.endpoint.context.device.counters.req_cqe_error++;
    this.endpoint.context.device.completeSend(this.endpoint, wqe, Status.LOC_PROT_ERR);
  }

  onTimer(nowPs: number): void {
    this.timer.fired();
    if (nowPs >= this.endpoint.congestion.nextSendPs) this.wake();
    else this.timer.arm(this.endpoint.congestion.nextSendPs);
  }
}

import type { Simulation } from '../../../engine/index.js';
import type { FabricPackets, NicQueuePair, Rnic } from '../../../models/index.js';
import {
  type Endpoint,
  NO_REFERENCE,
  type NotificationPoint,
  type ReceiveResult,
  TransportCounters,
  type TransportDevice,
  type TransportEvent,
} from '../../../transport/index.js';
import {
  type BaseContext,
  type BaseQueuePair,
  checkPart,
  executeAtomic,
  gather,
  isLocal,
  KeyCheck,
  NO_SLOT,
  scatter,
  WqeFlag,
} from '../../../verbs/base/index.js';
import { writeIpv4 } from '../world/host-address.js';
import type { PayloadSlab } from './payload-slab.js';
import type { QueuePairTable } from './queue-pair-table.js';

/** The 40 bytes in front of a datagram. */
const GRH_BYTES = 40;
const GRH_IPV4_AT = 20;
/** Stands for a timer that is not set. */
const NO_TIMER = -1;

/** What the transport's side of a device is made of. */
export interface TransportDeviceParts {
  nic: Rnic;
  context: BaseContext;
  payloads: PayloadSlab;
  queuePairs: QueuePairTable;
  /** Null where marked packets cause nothing. */
  notification: NotificationPoint | null;
}

/** What the transport asks of a simulated device: payloads through the slab, ends through the verbs' base. */
export class SimulatedTransportDevice implements TransportDevice {
  readonly counters = new TransportCounters();
  private readonly nic: Rnic;
  private readonly pairs: readonly NicQueuePair[];
  /** By the endpoint's tag; null once destroyed. */
  private readonly qps: readonly (BaseQueuePair | null)[];
  private readonly context: BaseContext;
  private readonly simulation: Simulation;
  private readonly packets: FabricPackets;
  private readonly payloads: PayloadSlab;
  private readonly notification: NotificationPoint | null;
  /** By the endpoint's tag. */
  private readonly timers: number[] = [];
  private readonly timerHandler: number;
  private readonly atomicResult = new Uint8Array(8);
  private readonly grh = emptyGrh();

  constructor(parts: TransportDeviceParts) {
    const { nic, queuePairs } = parts;
    const { endpoints } = queuePairs;
    this.nic = nic;
    this.pairs = nic.pairs;
    this.qps = queuePairs.qps;
    this.context = parts.context;
    this.simulation = nic.simulation;
    this.packets = nic.packets;
    this.payloads = parts.payloads;
    this.notification = parts.notification;
    this.timerHandler = this.simulation.register(`${nic.name}/timer`, (tag) => {
      this.timers[tag] = NO_TIMER;
      endpoints[tag].onTimer(this.simulation.now);
    });
  }

  requestReady(endpoint: Endpoint): void {
    this.nic.requestReady(this.pairs[endpoint.tag]);
  }

  responseReady(endpoint: Endpoint): void {
    this.nic.acks.answer(this.pairs[endpoint.tag]);
  }

  setTimer(endpoint: Endpoint, atPs: number): void {
    this.clearTimer(endpoint);
    this.timers[endpoint.tag] = this.simulation.timer(
      Math.max(atPs, this.simulation.now),
      this.timerHandler,
      endpoint.tag,
    );
  }

  clearTimer(endpoint: Endpoint): void {
    const timer = this.timers[endpoint.tag] ?? NO_TIMER;
    if (timer === NO_TIMER) return;
    this.simulation.cancel(timer);
    this.timers[endpoint.tag] = NO_TIMER;
  }

  gather(endpoint: Endpoint, packet: number, wqe: number, offset: number, bytes: number): boolean {
    const { memory, wqes } = this.context;
    if (!memory.hasBytes && (wqes.flags[wqe] & WqeFlag.INLINE) === 0) {
      this.packets.payload[packet] = NO_REFERENCE;
      return checkPart(memory, wqes, wqe, endpoint.pd, offset, bytes, false) === KeyCheck.OK;
    }
    const slot = this.isBacked(wqe) ? this.payloads.take() : NO_REFERENCE;
    this.packets.payload[packet] = slot;
    const target = slot === NO_REFERENCE ? null : this.payloads.bytes;
    return (
      gather(memory, wqes, wqe, endpoint.pd, offset, target, this.payloads.at(slot), bytes) === KeyCheck.OK
    );
  }

  readRegion(_endpoint: Endpoint, packet: number, region: number, position: number, bytes: number): void {
    const source = this.context.memory.bytes[region];
    if (source === null) return;
    const slot = this.payloads.take();
    this.packets.payload[packet] = slot;
    this.payloads.bytes.set(source.subarray(position, position + bytes), this.payloads.at(slot));
  }

  placeReceive(endpoint: Endpoint, packet: number, wqe: number, offset: number, bytes: number): boolean {
    this.countGoodput(endpoint, bytes);
    return this.scatter(endpoint, packet, wqe, offset, bytes);
  }

  placeGrh(endpoint: Endpoint, packet: number, wqe: number): boolean {
    const { memory, wqes } = this.context;
    return scatter(memory, wqes, wqe, endpoint.pd, 0, this.grhOf(packet), 0, GRH_BYTES) === KeyCheck.OK;
  }

  placeRegion(endpoint: Endpoint, packet: number, region: number, position: number, bytes: number): void {
    this.countGoodput(endpoint, bytes);
    const target = this.context.memory.bytes[region];
    if (target === null) return;
    const slot = this.packets.payload[packet];
    if (slot === NO_REFERENCE) target.fill(0, position, position + bytes);
    else
      target.set(
        this.payloads.bytes.subarray(this.payloads.at(slot), this.payloads.at(slot) + bytes),
        position,
      );
  }

  placedAgain(endpoint: Endpoint, bytes: number): void {
    this.pairs[endpoint.tag].receive.placedBytes -= bytes;
    this.nic.counters.rx_goodput_bytes -= bytes;
  }

  placeRead(endpoint: Endpoint, packet: number, wqe: number, offset: number, bytes: number): boolean {
    this.countGoodput(endpoint, bytes);
    return this.scatter(endpoint, packet, wqe, offset, bytes);
  }

  placeAtomic(endpoint: Endpoint, packet: number, wqe: number): boolean {
    const { memory, wqes } = this.context;
    const { operandWords } = this.packets;
    for (let index = 0; index < 8; index++) {
      this.atomicResult[index] = operandWords[4 * packet + (index >> 2)] >>> (8 * (index & 3));
    }
    return scatter(memory, wqes, wqe, endpoint.pd, 0, this.atomicResult, 0, 8) === KeyCheck.OK;
  }

  executeAtomic(endpoint: Endpoint, packet: number, op: number, region: number, position: number): void {
    // The payload of an atomic is the value that it changes.
    this.countGoodput(endpoint, 8);
    const { operandWords } = this.packets;
    executeAtomic(
      op,
      this.context.memory.bytes[region],
      position,
      operandWords,
      4 * packet,
      this.atomicResult,
    );
    for (let word = 0; word < 2; word++) {
      const at = 4 * word;
      operandWords[4 * packet + word] =
        (this.atomicResult[at] |
          (this.atomicResult[at + 1] << 8) |
          (this.atomicResult[at + 2] << 16) |
          (this.atomicResult[at + 3] << 24)) >>>
        0;
    }
  }

  takeSend(endpoint: Endpoint): number {
    const { send } = this.pairs[endpoint.tag];
    const qp = this.qps[endpoint.tag];
    if (qp === null || send.untaken <= 0) return NO_SLOT;
    const { sends } = qp;
    if (sends.next !== NO_SLOT && isLocal(this.context.wqes.opcode[sends.next])) {
      send.localDue = !send.localBlocked;
      return NO_SLOT;
    }
    const before = sends.taken;
    const wqe = sends.take(send.untaken);
    send.untaken -= (sends.taken - before) >>> 0;
    return wqe;
  }

  takeReceive(endpoint: Endpoint): number {
    const qp = this.qps[endpoint.tag]!;
    const wqe = qp.takeReceive();
    const { ring } = this.pairs[endpoint.tag].receive;
    if (wqe !== NO_SLOT && ring !== null) ring.used++;
    return wqe;
  }

  receivesPosted(endpoint: Endpoint): number {
    return this.qps[endpoint.tag]!.receives.waiting;
  }

  completeSend(endpoint: Endpoint, wqe: number, status: number): void {
    this.qps[endpoint.tag]?.sends.finish(wqe, status);
  }

  completeReceive(endpoint: Endpoint, _wqe: number, result: ReceiveResult): void {
    const { status, opcode, byteLen, flags, imm, srcQp, solicited } = result;
    this.qps[endpoint.tag]?.completeReceive(status, opcode, byteLen, flags, imm, srcQp, solicited);
  }

  enterError(endpoint: Endpoint, event: TransportEvent | null): void {
    const qp = this.qps[endpoint.tag];
    if (qp === null) return;
    if (event !== null) qp.raise(event);
    qp.enterError();
  }

  raise(endpoint: Endpoint, event: TransportEvent): void {
    this.qps[endpoint.tag]?.raise(event);
  }

  ecnMarked(endpoint: Endpoint, packet: number, nowPs: number): void {
    const { packets } = this;
    if (this.notification === null) return;
    const node = packets.source[packet];
    if (!this.notification.due(nowPs, endpoint.tag, node)) return;
    // A datagram may come from anywhere; a connected queue pair knows its peer.
    const qpn = endpoint.type === 'UD' ? packets.srcQpn[packet] : endpoint.attributes.destQpn;
    this.nic.acks.notify(this.pairs[endpoint.tag], node, qpn);
  }

  private scatter(endpoint: Endpoint, packet: number, wqe: number, offset: number, bytes: number): boolean {
    const { memory, wqes } = this.context;
    if (!memory.hasBytes)
      return checkPart(memory, wqes, wqe, endpoint.pd, offset, bytes, true) === KeyCheck.OK;
    const slot = this.packets.payload[packet];
    const source = slot === NO_REFERENCE ? null : this.payloads.bytes;
    return (
      scatter(memory, wqes, wqe, endpoint.pd, offset, source, this.payloads.at(slot), bytes) === KeyCheck.OK
    );
  }

  /** Whether a request's payload has bytes: inline, or memory with bytes. */
  private isBacked(wqe: number): boolean {
    const { wqes, memory } = this.context;
    if ((wqes.flags[wqe] & WqeFlag.INLINE) !== 0) return true;
    const end = wqes.sgeStart[wqe] + wqes.sgeCount[wqe];
    for (let index = wqes.sgeStart[wqe]; index < end; index++) {
      const region = memory.slotOf(wqes.sges.lkey[index]);
      if (region >= 0 && memory.bytes[region] !== null) return true;
    }
    return false;
  }

  private countGoodput(endpoint: Endpoint, bytes: number): void {
    this.pairs[endpoint.tag].receive.placedBytes += bytes;
    this.nic.counters.rx_goodput_bytes += bytes;
    this.nic.counters.rx_goodput_packets++;
  }

  /** RoCEv2 over IPv4 leaves the IP header in the last 20 bytes of the GRH's place. */
  private grhOf(packet: number): Uint8Array {
    const { packets, grh } = this;
    grh[GRH_IPV4_AT + 1] = packets.ipTrafficClass[packet];
    writeIpv4(grh, 32, packets.source[packet]);
    writeIpv4(grh, 36, packets.destination[packet]);
    return grh;
  }
}

/** IPv4 without options, time to live 64, UDP. */
function emptyGrh(): Uint8Array {
  const grh = new Uint8Array(GRH_BYTES);
  grh[20] = 0x45;
  grh[28] = 64;
  grh[29] = 17;
  return grh;
}

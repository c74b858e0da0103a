import type { EventId } from '../../engine/index.js';
import {
  type BaseContext,
  type BaseQueuePair,
  executeAtomic,
  gather,
  KeyCheck,
  NO_SLOT,
  type QpNumbers,
  scatter,
} from '../../verbs/base/index.js';
import { emitGrh, type Gid, GRH_BYTES, GRH_NEXT_HEADER } from '../../wire/index.js';
import {
  type Endpoint,
  type ReceiveResult,
  type TransportContext,
  TransportCounters,
  type TransportDevice,
  type TransportEvent,
  transportContext,
} from '../index.js';
import type { Loopback } from './loopback.js';

const atomicResult = new Uint8Array(8);
const atomicWords = new Uint32Array(atomicResult.buffer);
const header = new Uint8Array(GRH_BYTES);

/** The least device there can be: it sends a packet when it has one, one per queue pair every `gapPs`. */
export class LoopbackDevice implements TransportDevice {
  readonly counters = new TransportCounters();
  readonly index: number;
  readonly gid: Gid;
  readonly qpNumbers: QpNumbers;
  base!: BaseContext;
  private readonly loopback: Loopback;
  transport!: TransportContext;
  readonly endpoints = new Map<number, Endpoint>();
  private readonly timers = new Map<number, EventId>();
  private readonly pumping = new Set<number>();

  constructor(loopback: Loopback, index: number, gid: Gid, qpNumbers: QpNumbers) {
    this.loopback = loopback;
    this.index = index;
    this.gid = gid;
    this.qpNumbers = qpNumbers;
  }

  attach(base: BaseContext): void {
    this.base = base;
    const { packets, options } = this.loopback;
    this.transport = transportContext(packets, base.wqes, base.memory, this, options.transport);
  }

  requestReady(endpoint: Endpoint): void {
    this.schedulePump(endpoint.qpn);
  }

  responseReady(endpoint: Endpoint): void {
    this.schedulePump(endpoint.qpn);
  }

  private schedulePump(qpn: number, delayPs = 0): void {
    if (this.pumping.has(qpn) || this.loopback.options.manual === true) return;
    this.pumping.add(qpn);
    this.loopback.simulation.after(delayPs, this.loopback.onPump, this.index, qpn);
  }

  /** Sends one response and one request, where there are. */
  pump(qpn: number): void {
    this.pumping.delete(qpn);
    const endpoint = this.endpoints.get(qpn);
    if (endpoint === undefined) return;
    const { packets, simulation, options } = this.loopback;
    let sent = false;
    if (endpoint.canRespond(simulation.now)) {
      const packet = packets.take();
      const bytes = endpoint.nextResponseBytes();
      const to = this.loopback.destination(this, endpoint, -1);
      endpoint.emitResponse(packet, simulation.now);
      this.loopback.checkers.emitted(endpoint, packet, bytes);
      this.loopback.send(this, to, packet);
      sent = true;
    }
    if (endpoint.canRequest(simulation.now)) {
      const packet = packets.take();
      const bytes = endpoint.nextRequestBytes();
      const to = this.loopback.destination(this, endpoint, endpoint.nextRequestWqe());
      if (endpoint.emitRequest(packet, simulation.now)) {
        this.loopback.checkers.emitted(endpoint, packet, bytes);
        this.loopback.send(this, to, packet);
      } else {
        this.loopback.discard(packet);
      }
      sent = true;
    }
    if (sent) this.schedulePump(qpn, options.gapPs ?? 100_000);
  }

  setTimer(endpoint: Endpoint, atPs: number): void {
    this.clearTimer(endpoint);
    if (atPs === Number.POSITIVE_INFINITY) return;
    const id = this.loopback.simulation.timer(atPs, this.loopback.onTimer, this.index, endpoint.qpn);
    this.timers.set(endpoint.qpn, id);
  }

  clearTimer(endpoint: Endpoint): void {
    const id = this.timers.get(endpoint.qpn);
    if (id === undefined) return;
    this.loopback.simulation.cancel(id);
    this.timers.delete(endpoint.qpn);
  }

  fire(qpn: number): void {
    this.timers.delete(qpn);
    this.endpoints.get(qpn)?.onTimer(this.loopback.simulation.now);
  }

  gather(endpoint: Endpoint, packet: number, wqe: number, offset: number, bytes: number): boolean {
    const target = this.loopback.newPayload(packet, bytes);
    const { memory, wqes } = this.base;
    return gather(memory, wqes, wqe, endpoint.pd, offset, target, 0, bytes) === KeyCheck.OK;
  }

  readRegion(_endpoint: Endpoint, packet: number, region: number, position: number, bytes: number): void {
    const target = this.loopback.newPayload(packet, bytes);
    const memory = this.base.memory.bytes[region];
    if (memory !== null) target.set(memory.subarray(position, position + bytes));
  }

  placeReceive(endpoint: Endpoint, packet: number, wqe: number, offset: number, bytes: number): boolean {
    const { memory, wqes } = this.base;
    const { pd } = this.qp(endpoint.qpn).receives;
    return scatter(memory, wqes, wqe, pd, offset, this.loopback.payloadOf(packet), 0, bytes) === KeyCheck.OK;
  }

  placeGrh(endpoint: Endpoint, packet: number, wqe: number): boolean {
    const { memory, wqes } = this.base;
    const sourceGid = this.loopback.senderOf(packet).gid;
    const payloadBytes = this.loopback.packets.payloadBytes[packet];
    const rest = { trafficClass: 0, flowLabel: 0, hopLimit: 64, nextHeader: GRH_NEXT_HEADER, payloadBytes };
    emitGrh({ sourceGid, destinationGid: this.gid, ...rest }, header, 0);
    const { pd } = this.qp(endpoint.qpn).receives;
    return scatter(memory, wqes, wqe, pd, 0, header, 0, GRH_BYTES) === KeyCheck.OK;
  }

  placeRegion(_endpoint: Endpoint, packet: number, region: number, position: number): void {
    this.base.memory.bytes[region]?.set(this.loopback.payloadOf(packet), position);
  }

  placedAgain(): void {}

  placeRead(endpoint: Endpoint, packet: number, wqe: number, offset: number, bytes: number): boolean {
    const { memory, wqes } = this.base;
    const source = this.loopback.payloadOf(packet);
    return scatter(memory, wqes, wqe, endpoint.pd, offset, source, 0, bytes) === KeyCheck.OK;
  }

  placeAtomic(endpoint: Endpoint, packet: number, wqe: number): boolean {
    const { memory, wqes } = this.base;
    const { operandWords } = this.loopback.packets;
    atomicWords[0] = operandWords[4 * packet];
    atomicWords[1] = operandWords[4 * packet + 1];
    return scatter(memory, wqes, wqe, endpoint.pd, 0, atomicResult, 0, 8) === KeyCheck.OK;
  }

  executeAtomic(_endpoint: Endpoint, packet: number, op: number, region: number, position: number): void {
    const { operandWords } = this.loopback.packets;
    executeAtomic(op, this.base.memory.bytes[region], position, operandWords, 4 * packet, atomicResult);
    operandWords[4 * packet] = atomicWords[0];
    operandWords[4 * packet + 1] = atomicWords[1];
  }

  takeSend(endpoint: Endpoint): number {
    const wqe = this.qp(endpoint.qpn).sends.take();
    if (wqe !== NO_SLOT) this.loopback.checkers.taken(this.index, endpoint.qpn, wqe);
    return wqe;
  }

  completeSend(endpoint: Endpoint, wqe: number, status: number): void {
    this.loopback.checkers.ended(this.index, wqe);
    this.qp(endpoint.qpn).sends.finish(wqe, status);
  }

  takeReceive(endpoint: Endpoint): number {
    return this.qp(endpoint.qpn).takeReceive();
  }

  receivesPosted(endpoint: Endpoint): number {
    return this.qp(endpoint.qpn).receives.waiting;
  }

  completeReceive(endpoint: Endpoint, _wqe: number, result: ReceiveResult): void {
    const { status, opcode, byteLen, flags, imm, srcQp, solicited } = result;
    this.qp(endpoint.qpn).completeReceive(status, opcode, byteLen, flags, imm, srcQp, solicited);
  }

  enterError(endpoint: Endpoint, event: TransportEvent | null): void {
    const qp = this.qp(endpoint.qpn);
    if (event !== null) qp.raise(event);
    qp.enterError();
  }

  raise(endpoint: Endpoint, event: TransportEvent): void {
    this.qp(endpoint.qpn).raise(event);
  }

  ecnMarked(endpoint: Endpoint): void {
    const packet = this.loopback.packets.take();
    endpoint.emitCnp(packet);
    this.loopback.send(this, this.loopback.peerOf(this.qp(endpoint.qpn)), packet);
  }

  /** Hands an arrived packet to the endpoint that it is for, unless it comes from a stranger. */
  deliver(packet: number, from: LoopbackDevice): void {
    const { packets, simulation } = this.loopback;
    const endpoint = this.endpoints.get(packets.destQpn[packet]);
    if (endpoint === undefined) return;
    if (endpoint.type !== 'UD' && this.loopback.peerOf(this.qp(endpoint.qpn)) !== from) return;
    endpoint.onPacket(packet, simulation.now);
  }

  private qp(qpn: number): BaseQueuePair {
    return this.qpNumbers.get(qpn)!;
  }
}

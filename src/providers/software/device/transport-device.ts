import type { Link } from '../../../link/index.js';
import {
  type Endpoint,
  type PacketPool,
  type ReceiveResult,
  TRANSPORT_HEADER_BYTES,
  type TransportDevice,
  type TransportEvent,
} from '../../../transport/index.js';
import {
  type BaseContext,
  copyBytes,
  executeAtomic,
  gather,
  KeyCheck,
  NO_SLOT,
  scatter,
} from '../../../verbs/base/index.js';
import { GRH_BYTES, ICRC_BYTES } from '../../../wire/index.js';
import { GrhWriter } from '../packets/grh.js';
import type { Inbox } from '../packets/inbox.js';
import type { Outbox } from '../packets/outbox.js';
import type { DeviceCounters } from './counters.js';
import type { QueuePairRecord } from './queue-pair-record.js';

const PS_PER_NS = 1000;

/** What the transport asks of its device. */
export interface TransportOwner {
  /** The queue pair has something to send. */
  wake(endpoint: Endpoint): void;
  setTimer(endpoint: Endpoint, atNs: number): void;
  clearTimer(endpoint: Endpoint): void;
  /** A packet arrived marked 'congestion experienced'. */
  marked(endpoint: Endpoint, nowPs: number): void;
}

/**
 * What the transport asks of a software device: payloads go between registered memory and the buffers of the link,
 * without a place between.
 */
export class SoftwareTransportDevice implements TransportDevice {
  readonly counters: DeviceCounters;
  /** By the endpoint's tag. */
  readonly records: QueuePairRecord[] = [];
  outbox!: Outbox;
  inbox!: Inbox;
  private readonly context: BaseContext;
  private readonly packets: PacketPool;
  private readonly link: Link;
  private readonly owner: TransportOwner;
  private readonly grh = new GrhWriter();
  private readonly atomicResult = new Uint8Array(8);
  private readonly atomicWords = new Uint32Array(this.atomicResult.buffer);

  constructor(
    context: BaseContext,
    packets: PacketPool,
    link: Link,
    counters: DeviceCounters,
    owner: TransportOwner,
  ) {
    this.context = context;
    this.packets = packets;
    this.link = link;
    this.counters = counters;
    this.owner = owner;
  }

  requestReady(endpoint: Endpoint): void {
    this.owner.wake(endpoint);
  }

  responseReady(endpoint: Endpoint): void {
    this.owner.wake(endpoint);
  }

  setTimer(endpoint: Endpoint, atPs: number): void {
    this.owner.setTimer(endpoint, atPs / PS_PER_NS);
  }

  clearTimer(endpoint: Endpoint): void {
    this.owner.clearTimer(endpoint);
  }

  gather(endpoint: Endpoint, packet: number, wqe: number, offset: number, bytes: number): boolean {
    const { memory, wqes } = this.context;
    const { outbox } = this;
    const at = outbox.payloadAt(packet);
    this.counters.tx_payload_bytes += bytes;
    return gather(memory, wqes, wqe, endpoint.pd, offset, outbox.batch.bytes, at, bytes) === KeyCheck.OK;
  }

  readRegion(_endpoint: Endpoint, packet: number, region: number, position: number, bytes: number): void {
    const { outbox } = this;
    this.counters.tx_payload_bytes += bytes;
    copyBytes(
      outbox.batch.bytes,
      outbox.payloadAt(packet),
      this.context.memory.bytes[region],
      position,
      bytes,
    );
  }

  placeReceive(endpoint: Endpoint, _packet: number, wqe: number, offset: number, bytes: number): boolean {
    this.counters.rx_payload_bytes += bytes;
    return this.scatter(this.receivePd(endpoint), wqe, offset, bytes);
  }

  placeGrh(endpoint: Endpoint, packet: number, wqe: number): boolean {
    const { memory, wqes } = this.context;
    const { inbox, packets } = this;
    const payloadBytes = (packets.payloadBytes[packet] + 3) & ~3;
    const datagramBytes = TRANSPORT_HEADER_BYTES[packets.opcode[packet]] + payloadBytes + ICRC_BYTES;
    this.grh.write(inbox.sourceGid, this.link.gids[inbox.gidIndex], inbox.trafficClass, datagramBytes);
    const pd = this.receivePd(endpoint);
    return scatter(memory, wqes, wqe, pd, 0, this.grh.bytes, 0, GRH_BYTES) === KeyCheck.OK;
  }

  placeRegion(_endpoint: Endpoint, _packet: number, region: number, position: number, bytes: number): void {
    this.counters.rx_payload_bytes += bytes;
    copyBytes(this.context.memory.bytes[region], position, this.inbox.bytes, this.inbox.payloadOffset, bytes);
  }

  placedAgain(_endpoint: Endpoint, bytes: number): void {
    this.counters.rx_payload_bytes -= bytes;
  }

  placeRead(endpoint: Endpoint, _packet: number, wqe: number, offset: number, bytes: number): boolean {
    this.counters.rx_payload_bytes += bytes;
    return this.scatter(endpoint.pd, wqe, offset, bytes);
  }

  placeAtomic(endpoint: Endpoint, packet: number, wqe: number): boolean {
    const { memory, wqes } = this.context;
    const { operandWords } = this.packets;
    this.atomicWords[0] = operandWords[4 * packet];
    this.atomicWords[1] = operandWords[4 * packet + 1];
    return scatter(memory, wqes, wqe, endpoint.pd, 0, this.atomicResult, 0, 8) === KeyCheck.OK;
  }

  executeAtomic(_endpoint: Endpoint, packet: number, op: number, region: number, position: number): void {
    const { operandWords } = this.packets;
    const memory = this.context.memory.bytes[region];
    executeAtomic(op, memory, position, operandWords, 4 * packet, this.atomicResult);
    operandWords[4 * packet] = this.atomicWords[0];
    operandWords[4 * packet + 1] = this.atomicWords[1];
  }

  takeSend(endpoint: Endpoint): number {
    const { qp, gone } = this.records[endpoint.tag];
    return gone ? NO_SLOT : qp.sends.take();
  }

  completeSend(endpoint: Endpoint, wqe: number, status: number): void {
    this.records[endpoint.tag].qp.sends.finish(wqe, status);
  }

  takeReceive(endpoint: Endpoint): number {
    return this.records[endpoint.tag].qp.takeReceive();
  }

  receivesPosted(endpoint: Endpoint): number {
    return this.records[endpoint.tag].qp.receives.waiting;
  }

  completeReceive(endpoint: Endpoint, _wqe: number, result: ReceiveResult): void {
    const { status, opcode, byteLen, flags, imm, srcQp, solicited } = result;
    const { qp } = this.records[endpoint.tag];
    qp.completeReceive(status, opcode, byteLen, flags, imm, srcQp, solicited);
  }

  enterError(endpoint: Endpoint, event: TransportEvent | null): void {
    const { qp } = this.records[endpoint.tag];
    if (event !== null) qp.raise(event);
    qp.enterError();
  }

  raise(endpoint: Endpoint, event: TransportEvent): void {
    this.records[endpoint.tag].qp.raise(event);
  }

  ecnMarked(endpoint: Endpoint, _packet: number, nowPs: number): void {
    this.owner.marked(endpoint, nowPs);
  }

  private receivePd(endpoint: Endpoint): number {
    return this.records[endpoint.tag].qp.receives.pd;
  }

  private scatter(pd: number, wqe: number, offset: number, bytes: number): boolean {
    const { memory, wqes } = this.context;
    const { inbox } = this;
    return scatter(memory, wqes, wqe, pd, offset, inbox.bytes, inbox.payloadOffset, bytes) === KeyCheck.OK;
  }
}

import type { Simulation } from '../../../../engine/index.js';
import type { UnitSendConstants } from '../../../../profiles/index.js';
import { PacketFlag } from '../../../../transport/index.js';
import { NO_SLOT, Op, type WqePool } from '../../../../verbs/base/index.js';
import type { FabricPackets } from '../../../fabric/fabric-packets.js';
import type { PciePort } from '../../../pcie/pcie-port.js';
import { passElements } from '../../packets/packet-elements.js';
import { Kind, kindOf } from '../../packets/packet-kinds.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';
import type { PacketRouter } from '../../rnic-client.js';
import type { SendMember } from './send-member.js';
import type { SendWqeCache } from './send-wqe-cache.js';
import type { SendWqeFetch } from './send-wqe-fetch.js';

/** Stands for a packet that did not come about. */
export const NO_PACKET = -1;

/** How a packet gets to the port. */
export interface FrameQueue {
  frame(packet: number, pair: NicQueuePair): void;
  /** The payload of a packet is on chip this much later, and it goes behind or before those that wait. */
  launch(packet: number, delayPs: number, isUrgent: boolean): void;
}

/** What an emitter is made of. */
export interface PacketEmitterParts {
  simulation: Simulation;
  constants: Pick<UnitSendConstants, 'qpMessageGapNs' | 'qpPacketGapNs' | 'elementNs' | 'transmitPipelineNs'>;
  packets: FabricPackets;
  wqes: WqePool;
  pcie: PciePort;
  router: Pick<PacketRouter, 'route'>;
  port: FrameQueue;
  cache: Pick<SendWqeCache, 'hasPayload'>;
  fetch: Pick<SendWqeFetch, 'issued' | 'repeated'>;
  /** Whether what is sent again goes before what waits for the port; default: it waits in its turn. */
  retriesFirst?: boolean;
}

/** Makes packets: pulls them out of an endpoint, frames them, reads their payload and hands them to the port. */
export class PacketEmitter {
  private readonly simulation: Simulation;
  private readonly packets: FabricPackets;
  private readonly wqes: WqePool;
  private readonly pcie: PciePort;
  private readonly router: Pick<PacketRouter, 'route'>;
  private readonly port: FrameQueue;
  private readonly cache: Pick<SendWqeCache, 'hasPayload'>;
  private readonly fetch: Pick<SendWqeFetch, 'issued' | 'repeated'>;
  private readonly retriesFirst: boolean;
  private readonly messageGapPs: number;
  private readonly packetGapPs: number;
  private readonly elementPs: number;
  private readonly pipelinePs: number;

  constructor(parts: PacketEmitterParts) {
    const { constants } = parts;
    this.simulation = parts.simulation;
    this.packets = parts.packets;
    this.wqes = parts.wqes;
    this.pcie = parts.pcie;
    this.router = parts.router;
    this.port = parts.port;
    this.cache = parts.cache;
    this.fetch = parts.fetch;
    this.retriesFirst = parts.retriesFirst === true;
    this.messageGapPs = Math.round(constants.qpMessageGapNs * 1000);
    this.packetGapPs = Math.round(constants.qpPacketGapNs * 1000);
    this.elementPs = Math.round(constants.elementNs * 1000);
    this.pipelinePs = Math.round(constants.transmitPipelineNs * 1000);
  }

  /** Emits the next request packet; `NO_PACKET` where the request failed instead. */
  emitRequest(pair: NicQueuePair): number {
    const { packets, wqes, pcie } = this;
    const { endpoint, send } = pair;
    const now = this.simulation.now;
    const packet = packets.take();
    // A datagram completes as it leaves, and its request is gone then: read it first.
    const wqe = endpoint.nextRequestWqe();
    const starts = endpoint.nextRequestStartsMessage();
    const pushed = this.cache.hasPayload(wqe);
    const isRead = wqes.opcode[wqe] === Op.RDMA_READ;
    const elements = wqes.sgeCount[wqe];
    this.router.route(packet, pair, wqe);
    const soFarBytes = pcie.isStrict && !isRead ? this.passElements(pair, wqe) : 0;
    if (starts) {
      if (endpoint.nextRequestRepeats()) this.fetch.repeated(pair, wqe, isRead);
      else this.fetch.issued(pair, wqe, isRead);
    }
    if (!endpoint.emitRequest(packet, now)) {
      packets.free(packet);
      return NO_PACKET;
    }
    if (starts) {
      send.nextMessagePs = now + this.messageGapPs + (elements > 1 ? (elements - 1) * this.elementPs : 0);
    }
    this.launch(pair, packet, pushed, pair.path, soFarBytes);
    return packet;
  }

  /** The elements of the next packet pass the ordering point; returns the bytes of its message up to its end. */
  private passElements(pair: NicQueuePair, wqe: number): number {
    const { endpoint, path } = pair;
    const offset = endpoint.nextRequestOffset();
    const bytes = endpoint.nextRequestBytes();
    passElements(this.wqes, this.pcie, this.simulation.now, path, wqe, offset, bytes, true);
    return offset + bytes;
  }

  /** Emits the next packet of READ data. */
  emitResponse(member: Pick<SendMember, 'pair' | 'responseBytes'>): number {
    const { packets } = this;
    const { pair } = member;
    const packet = packets.take();
    this.router.route(packet, pair, NO_SLOT);
    pair.endpoint.emitResponse(packet, this.simulation.now);
    const ends = (kindOf[packets.opcode[packet]] & Kind.READ_ENDS) !== 0;
    const soFarBytes = member.responseBytes + packets.payloadBytes[packet];
    member.responseBytes = ends ? 0 : soFarBytes;
    this.launch(pair, packet, false, pair.inboundPath, soFarBytes);
    return packet;
  }

  /** Frames a packet and reads its payload, unless that was pushed with the WQE. */
  private launch(
    pair: NicQueuePair,
    packet: number,
    pushed: boolean,
    path: NicQueuePair['path'],
    soFarBytes: number,
  ): void {
    const { pcie } = this;
    const { send } = pair;
    const { now } = this.simulation;
    const payloadBytes = this.packets.payloadBytes[packet];
    this.port.frame(packet, pair);
    send.nextPacketPs = now + this.packetGapPs;
    let readyPs = now;
    let orderedPs = send.lastReadyPs;
    if (payloadBytes > 0 && !pushed) {
      readyPs = pcie.readPayload(now, payloadBytes, path, soFarBytes);
      // The payloads of one queue pair come over the link one behind the other, however long it was idle before.
      orderedPs += pcie.transferPs(payloadBytes);
    }
    readyPs = Math.max(readyPs + this.pipelinePs, orderedPs);
    send.lastReadyPs = readyPs;
    const isUrgent = this.retriesFirst && (this.packets.flags[packet] & PacketFlag.RETRANSMISSION) !== 0;
    this.port.launch(packet, readyPs - now, isUrgent);
  }
}

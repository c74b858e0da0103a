import type { Simulation } from '../../../engine/index.js';
import type { DeviceConstants } from '../../../profiles/index.js';
import { psnAdd, psnDiff } from '../../../transport/index.js';
import { NO_SLOT, type WqePool } from '../../../verbs/base/index.js';
import type { FabricPackets } from '../../fabric/fabric-packets.js';
import type { DmaPath } from '../../pcie/dma-path.js';
import type { PciePort } from '../../pcie/pcie-port.js';
import type { RegionAccess } from '../memory/region-access.js';
import { passElements } from '../packets/packet-elements.js';
import { beginsMessage, isPartOf, Kind, kindOf, Target, targetKindOf } from '../packets/packet-kinds.js';
import type { PacketProcessors } from '../packets/packet-processors.js';
import { type ContextStore, Side } from '../parts/context-store.js';
import type { RequestWqes } from '../parts/send-path.js';
import type { NicQueuePair } from '../queue-pair/nic-queue-pair.js';
import type { RnicCounters } from '../rnic-counters.js';
import type { TenantShares } from '../tenants/tenant-shares.js';
import type { ReceiveBuffer } from './receive-buffer.js';
import { ReceiveDescriptors } from './receive-descriptors.js';
import { ReceiveFetch, type ReceiveRing } from './receive-ring.js';
import { Stage } from './receive-stage.js';
import type { WqeReads } from './wqe-reads.js';

/** What a packet may do to the path that it came by. */
export interface PathHolds {
  /** Nothing is served until then. */
  standStill(untilPs: number): void;
  /** A message found no receive, and its error handling lasts until then. */
  awaitReceive(pair: NicQueuePair, untilPs: number): void;
  /** A receive is there that was not: one was posted, or another message did not use it after all. */
  receivesThere(ring: ReceiveRing): void;
}

/** Where packets end. */
export interface PacketEnd {
  readonly buffer: ReceiveBuffer;
  freePacket(packet: number): void;
  loopbackReleased(bytes: number): void;
}

/** What the stages of arrived packets are made of. */
export interface PacketStagesParts {
  name: string;
  simulation: Simulation;
  constants: DeviceConstants;
  ablated: ReadonlySet<string>;
  counters: RnicCounters;
  shares: TenantShares;
  packets: FabricPackets;
  wqes: WqePool;
  pcie: PciePort;
  /** By index. */
  pairs: readonly NicQueuePair[];
  contexts: ContextStore;
  regions: RegionAccess;
  wqeReads: WqeReads;
  /** Null where transmitted and received packets share none. */
  processors: PacketProcessors | null;
  port: PacketEnd;
  holds: PathHolds;
}

/**
 * The stages of an arrived packet: it needs its context, a translation and maybe a receive WQE; while one of them is
 * fetched it is parked, and later packets of its queue pair park behind it. Then its payload is written, and the
 * transport gets it.
 */
export class PacketStages {
  /** When the last payload was accepted by PCIe. */
  lastAcceptPs = 0;
  private readonly simulation: Simulation;
  private readonly counters: RnicCounters;
  private readonly shares: TenantShares;
  private readonly packets: FabricPackets;
  private readonly wqes: WqePool;
  private readonly pcie: PciePort;
  private readonly contexts: ContextStore;
  private readonly regions: RegionAccess;
  private readonly wqeReads: WqeReads;
  private readonly processors: PacketProcessors | null;
  private readonly port: PacketEnd;
  private readonly holds: PathHolds;
  private readonly descriptors: ReceiveDescriptors;
  private readonly acceptHandler: number;
  private readonly unparkHandler: number;
  /** The longest SEND that is written with its completion; a datagram has its GRH before it. */
  private readonly completionBytes: number;
  private readonly rnrHoldReliablePs: number;
  private readonly rnrHoldUnreliablePs: number;
  private readonly rnrHoldDatagramPs: number;
  private requests!: RequestWqes;

  constructor(parts: PacketStagesParts) {
    const { name, simulation, constants, ablated, pairs } = parts;
    this.simulation = simulation;
    this.counters = parts.counters;
    this.shares = parts.shares;
    this.packets = parts.packets;
    this.wqes = parts.wqes;
    this.pcie = parts.pcie;
    this.contexts = parts.contexts;
    this.regions = parts.regions;
    this.wqeReads = parts.wqeReads;
    this.processors = parts.processors;
    this.port = parts.port;
    this.holds = parts.holds;
    this.descriptors = new ReceiveDescriptors(constants.receiveDescriptors, parts.packets, parts.shares);
    this.completionBytes = constants.completionScatterBytes;
    const holds = !ablated.has('rnr-hold');
    this.rnrHoldReliablePs = holds ? Math.round(constants.rnrHoldReliableNs * 1000) : 0;
    this.rnrHoldUnreliablePs = holds ? Math.round(constants.rnrHoldUnreliableNs * 1000) : 0;
    this.rnrHoldDatagramPs = holds ? Math.round(constants.rnrHoldDatagramNs * 1000) : 0;
    this.acceptHandler = simulation.register(`${name}/accept`, (packet, index) =>
      this.onAccepted(packet, pairs[index]),
    );
    this.unparkHandler = simulation.register(`${name}/unpark`, (index) => this.unpark(pairs[index]));
  }

  /** Joins them to the send WQEs of the device. */
  join(requests: RequestWqes): void {
    this.requests = requests;
  }

  /** Messages that wait for their receive WQE. */
  get waitingMessages(): number {
    return this.descriptors.taken;
  }

  /** A packet of a queue pair was served. */
  enter(pair: NicQueuePair, packet: number): void {
    if (pair.receive.refusesGaps) this.checkOrder(pair, packet);
    if (pair.receive.lostPsn >= 0) this.markBehindLoss(pair, packet);
    if (pair.receive.parkHead >= 0) this.park(pair, packet);
    else this.advance(pair, packet);
  }

  /** Ends a packet that goes nowhere. */
  discard(packet: number): void {
    this.releaseBuffer(packet);
    this.port.freePacket(packet);
  }

  /** Whether a request of the queue pair is missing: the sequence number is looked at before anything else is. */
  private checkOrder({ receive, endpoint }: NicQueuePair, packet: number): void {
    const { packets } = this;
    const kind = kindOf[packets.opcode[packet]];
    if ((kind & Kind.ANSWERS) !== 0) return;
    const psn = packets.psn[packet];
    if (receive.nextPsn >= 0) {
      const ahead = psnDiff(psn, receive.nextPsn);
      if (ahead > 0 && receive.lostPsn < 0) receive.lostPsn = receive.nextPsn;
      // Of what was sent again the device knows no more than that it came before.
      if (ahead !== 0) return;
    }
    // A READ request has the numbers of its responses.
    const { pathMtu } = endpoint.attributes;
    const numbers = (kind & Kind.READ_REQUEST) === 0 ? 1 : Math.ceil(packets.dmaBytes[packet] / pathMtu) || 1;
    receive.nextPsn = psnAdd(psn, numbers);
  }

  /** A request was dropped or is missing: what comes behind it is refused unread until it is sent again. */
  private markBehindLoss(pair: NicQueuePair, packet: number): void {
    const { packets } = this;
    if ((kindOf[packets.opcode[packet]] & Kind.ANSWERS) !== 0) return;
    const ahead = psnDiff(packets.psn[packet], pair.receive.lostPsn);
    if (ahead === 0) pair.receive.lostPsn = -1;
    else if (ahead > 0) packets.stage[packet] |= Stage.LOST;
  }

  /** Takes a packet as far as it goes: dispatched (true) or parked (false, or dropped). */
  private advance(pair: NicQueuePair, packet: number): boolean {
    const { packets } = this;
    const now = this.simulation.now;
    const kind = kindOf[packets.opcode[packet]];
    let stage = packets.stage[packet];
    if ((stage & Stage.LOST) !== 0) {
      this.dispatch(pair, packet, 0);
      return true;
    }
    const side = (kind & (Kind.ACK | Kind.READ_RESPONSE)) !== 0 ? Side.REQUESTER : Side.RESPONDER;
    let readyPs = now;
    if ((stage & Stage.CONTEXT) === 0) {
      stage |= Stage.CONTEXT;
      readyPs = this.contexts.lookUp(now, pair.context.next(), side, pair.tenant);
    }
    if ((stage & Stage.TRANSLATION) === 0 && readyPs === now) {
      stage |= Stage.TRANSLATION;
      if ((kind & Kind.REMOTE) !== 0) readyPs = this.regions.translateRemote(pair, packets, packet, now);
      else if ((kind & Kind.READ_ENDS) !== 0)
        readyPs = (stage & Stage.LIST) === 0 ? this.scatterListPs(pair, now) : packets.receivePs[packet];
    }
    packets.stage[packet] = stage;
    if (readyPs > now) return this.wait(pair, packet, readyPs);
    if ((kind & Kind.RECEIVES) !== 0) {
      const held =
        (stage & Stage.RECEIVE) === 0 ? this.takeReceive(pair, packet, now) : packets.receivePs[packet];
      if (held < 0) return true;
      if (held > now) return this.wait(pair, packet, held);
    }
    this.dispatch(pair, packet, kind);
    return true;
  }

  /** The scatter list of a READ is in its WQE; when that was pushed out it is read again. */
  private scatterListPs(pair: NicQueuePair, now: number): number {
    const { reads } = pair.send;
    pair.receive.answeredWqe = reads.length > 0 ? reads.peek() : NO_SLOT;
    if (this.requests.readAnswered(pair)) return now;
    this.counters.send_wqe_cache_miss++;
    return this.wqeReads.readList(now, pair.send.wqeBytes, pair.send.queuePath, pair.tenant);
  }

  /** When the receive WQE of a message is on chip; -1 where the message was ended here. */
  private takeReceive(pair: NicQueuePair, packet: number, now: number): number {
    const { counters, packets } = this;
    const { ring } = pair.receive;
    if (ring === null || ring.available <= 0) return this.noReceive(pair, packet, now);
    packets.stage[packet] |= Stage.RECEIVE;
    packets.receivePs[packet] = now;
    const found = ring.take();
    if (found === ReceiveFetch.HIT) {
      counters.receive_wqe_cache_hit++;
      return now;
    }
    counters.receive_wqe_cache_miss++;
    if (found === ReceiveFetch.STALL) {
      const readyPs = ring.read(found, now, pair.tenant);
      counters.engine_stalled_ps += readyPs - now;
      // With accounts by tenant it is awaited aside, as any other read is.
      if (!this.shares.kept) this.holds.standStill(readyPs);
      return readyPs;
    }
    if (!this.descriptors.take(packet, pair.tenant)) {
      ring.taken--;
      packets.stage[packet] &= ~Stage.RECEIVE;
      if (this.dropForDescriptor(pair, packet)) this.dispatch(pair, packet, 0);
      return -1;
    }
    return ring.read(found, now, pair.tenant);
  }

  /** No receive is posted: the refusal goes out, and error handling may hold the path. */
  private noReceive(pair: NicQueuePair, packet: number, now: number): number {
    const hold = this.rnrHoldOf(pair);
    if (hold > 0) {
      this.counters.rnr_holds++;
      this.holds.awaitReceive(pair, now + hold);
    }
    this.dispatch(pair, packet, 0);
    return -1;
  }

  private rnrHoldOf({ isReliable, isDatagram }: NicQueuePair): number {
    if (isReliable) return this.rnrHoldReliablePs;
    return isDatagram ? this.rnrHoldDatagramPs : this.rnrHoldUnreliablePs;
  }

  private dispatch(pair: NicQueuePair, packet: number, kind: number): void {
    const { packets, simulation, pcie, requests } = this;
    const { receive } = pair;
    const now = simulation.now;
    this.descriptors.release(packet, pair.tenant);
    if ((kind & Kind.READ_REQUEST) !== 0) requests.serveReads(pair);
    const bytes = packets.payloadBytes[packet];
    let acceptPs = now;
    if (bytes > 0 && (packets.stage[packet] & Stage.LOST) === 0) {
      const target = this.targetOf(pair, packet);
      if (!receive.owesAcks && targetKindOf[packets.opcode[packet]] !== Target.REQUEST)
        requests.oweAcks(pair);
      const isPart = isPartOf[packets.opcode[packet]] === 1;
      if (pcie.isStrict && (kind & Kind.READ_RESPONSE) !== 0) this.scatter(pair, packet, kind, target);
      if (isPart || bytes > this.completionBytes || (kind & Kind.RECEIVES) === 0 || pair.isDatagram)
        acceptPs = pcie.writePayload(
          now,
          bytes,
          target,
          pcie.isStrict ? this.soFar(pair, packet, kind) : bytes,
        );
      if (acceptPs > this.lastAcceptPs) this.lastAcceptPs = acceptPs;
    }
    if (this.processors !== null && bytes > 0) {
      const processedPs = this.processors.receive(pair.processor, now);
      this.counters.receive_processor_ps += processedPs - now;
      if (processedPs > acceptPs) acceptPs = processedPs;
    }
    // Packets of one queue pair reach the transport in the order in which they came.
    if (acceptPs < receive.lastAcceptPs) acceptPs = receive.lastAcceptPs;
    receive.lastAcceptPs = acceptPs;
    if (acceptPs > now) simulation.after(acceptPs - now, this.acceptHandler, packet, pair.index);
    else this.onAccepted(packet, pair);
  }

  /** Bytes of its message that came with this packet and those before it. */
  private soFar({ receive }: NicQueuePair, packet: number, kind: number): number {
    const { packets } = this;
    const begins = beginsMessage[packets.opcode[packet]] === 1;
    const bytes = packets.payloadBytes[packet];
    if ((kind & Kind.READ_RESPONSE) !== 0) {
      receive.responseBytes = begins ? bytes : receive.responseBytes + bytes;
      return receive.responseBytes;
    }
    receive.requestBytes = begins ? bytes : receive.requestBytes + bytes;
    return receive.requestBytes;
  }

  /** The elements of a READ that begin in this part of its response. */
  private scatter(pair: NicQueuePair, packet: number, kind: number, path: DmaPath): void {
    const { receive, send } = pair;
    const bytes = this.packets.payloadBytes[packet];
    const ends = (kind & Kind.READ_ENDS) !== 0;
    const wqe = ends ? receive.answeredWqe : send.reads.length > 0 ? send.reads.peek() : NO_SLOT;
    const offset = receive.scatteredBytes;
    receive.scatteredBytes = ends ? 0 : offset + bytes;
    if (wqe !== NO_SLOT)
      passElements(this.wqes, this.pcie, this.simulation.now, path, wqe, offset, bytes, false);
  }

  /** The way to the memory that a packet's payload goes to. */
  private targetOf(pair: NicQueuePair, packet: number): DmaPath {
    const target = targetKindOf[this.packets.opcode[packet]];
    if (target === Target.RECEIVE) return pair.receive.ring === null ? pair.path : pair.receive.ring.path;
    return target === Target.REQUEST ? pair.path : pair.inboundPath;
  }

  private onAccepted(packet: number, pair: NicQueuePair): void {
    const { packets } = this;
    this.releaseBuffer(packet);
    const { ring } = pair.receive;
    const used = ring === null ? 0 : ring.used;
    if ((packets.stage[packet] & Stage.DROPPED) === 0) pair.endpoint.onPacket(packet, this.simulation.now);
    else pair.endpoint.onDropped(packet);
    // A duplicate or a packet out of order uses no receive after all; one that found none at first may.
    if (ring !== null) {
      const more = ring.used - used - ((packets.stage[packet] & Stage.RECEIVE) === 0 ? 0 : 1);
      ring.taken += more;
      // A message that found none because of this one has one now, and nobody may ever post another.
      if (more < 0) this.holds.receivesThere(ring);
    }
    this.port.freePacket(packet);
  }

  private wait(pair: NicQueuePair, packet: number, untilPs: number): boolean {
    const { receive } = pair;
    if (receive.parkHead < 0) {
      receive.parkHead = packet;
      receive.parkTail = packet;
      this.packets.next[packet] = -1;
    }
    this.simulation.after(untilPs - this.simulation.now, this.unparkHandler, pair.index);
    return false;
  }

  /** Puts a packet behind those of its queue pair that wait; a message needs a descriptor to wait. */
  private park(pair: NicQueuePair, packet: number): void {
    const { packets } = this;
    const kind = (packets.stage[packet] & Stage.LOST) === 0 ? kindOf[packets.opcode[packet]] : 0;
    const needsDescriptor = (kind & Kind.RECEIVES) !== 0;
    if (
      needsDescriptor &&
      !this.descriptors.take(packet, pair.tenant) &&
      !this.dropForDescriptor(pair, packet)
    )
      return;
    if (needsDescriptor) this.fetchBehind(pair, packet);
    else if ((kind & Kind.READ_ENDS) !== 0) this.readListBehind(pair, packet);
    packets.next[packet] = -1;
    packets.next[pair.receive.parkTail] = packet;
    pair.receive.parkTail = packet;
  }

  /** Reads the receive WQE of a message that waits behind another, where the device has no cache to look into first. */
  private fetchBehind(pair: NicQueuePair, packet: number): void {
    const { packets } = this;
    const { ring } = pair.receive;
    if (ring === null || !ring.fetchesBehind || ring.available <= 0) return;
    packets.stage[packet] |= Stage.RECEIVE;
    this.counters.receive_wqe_cache_miss++;
    packets.receivePs[packet] = ring.read(ring.take(), this.simulation.now, pair.tenant);
  }

  /** The same for the scatter list of a READ whose response waits behind another packet. */
  private readListBehind(pair: NicQueuePair, packet: number): void {
    if (!this.requests.rereadsBehind) return;
    const { packets } = this;
    packets.stage[packet] |= Stage.LIST;
    packets.receivePs[packet] = this.scatterListPs(pair, this.simulation.now);
  }

  /** The packet at the head has what it waited for; it and those behind it go on as far as they can. */
  private unpark(pair: NicQueuePair): void {
    const { packets } = this;
    const { receive } = pair;
    for (let packet = receive.parkHead; packet >= 0; packet = receive.parkHead) {
      const next = packets.next[packet];
      if (!this.advance(pair, packet)) return;
      receive.parkHead = next;
      if (next < 0) receive.parkTail = -1;
    }
  }

  /** Drops a message; true where the transport is to hear of it in its turn, so that the peer sends it again. */
  private dropForDescriptor(pair: NicQueuePair, packet: number): boolean {
    const { packets } = this;
    this.counters.rx_dropped_no_descriptor++;
    if (!pair.isReliable) {
      this.discard(packet);
      return false;
    }
    if (pair.receive.lostPsn < 0) pair.receive.lostPsn = packets.psn[packet];
    packets.stage[packet] |= Stage.LOST | Stage.DROPPED;
    return true;
  }

  private releaseBuffer(packet: number): void {
    const { packets, port } = this;
    const bytes = packets.wireBytes[packet];
    if ((packets.stage[packet] & Stage.LOOPBACK) !== 0) port.loopbackReleased(bytes);
    else port.buffer.release(bytes, packets.priority[packet]);
  }
}

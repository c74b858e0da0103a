import type { Simulation } from '../../../../engine/index.js';
import { NO_SLOT, Op } from '../../../../verbs/base/index.js';
import type { FabricPackets } from '../../../fabric/fabric-packets.js';
import { FluidServer } from '../../../resource/fluid-server.js';
import { Kind, kindOf } from '../../packets/packet-kinds.js';
import { Side } from '../../parts/context-store.js';
import { Member, type SendScheduling } from '../../parts/send-path.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';
import type { BurstGrant } from './burst-grant.js';
import { listIsApart } from './element-list.js';
import { NO_PACKET, PacketEmitter } from './packet-emitter.js';
import { ReadGate } from './read-gate.js';
import { entryOf, SendMember } from './send-member.js';
import type { SendSchedulerParts } from './send-scheduler-parts.js';
import { SendTurns } from './send-turns.js';
import type { FetchClient } from './send-wqe-fetch.js';
import { TransmitRoom } from './transmit-room.js';

/**
 * The send side: ready queue pairs stand in a ring per traffic class; a free processing unit takes the first, waits for
 * its context, sends a few packets and puts it back at the tail. Of those of a class that wait for room in its transmit
 * buffer the one that came to the ring first is next, and goes on to the end of its visit: queue pairs share the port by
 * packets, whatever their size (PeRF §2), a visit each in turn. So a short message waits for what is in the buffer, and
 * for a visit of each other queue pair that has packets to send.
 */
export class SendScheduler implements SendScheduling, FetchClient {
  // One by one, and not the object that they came in: the engine knows these fields' places, and not that object's.
  private readonly constants: SendSchedulerParts['constants'];
  private readonly simulation: Simulation;
  private readonly packets: FabricPackets;
  private readonly wqes: SendSchedulerParts['wqes'];
  private readonly counters: SendSchedulerParts['counters'];
  private readonly contexts: SendSchedulerParts['contexts'];
  private readonly regions: SendSchedulerParts['regions'];
  private readonly processors: SendSchedulerParts['processors'];
  private readonly queues: SendSchedulerParts['queues'];
  private readonly acks: SendSchedulerParts['acks'];
  private readonly cache: SendSchedulerParts['cache'];
  private readonly fetch: SendSchedulerParts['fetch'];
  private readonly burst: BurstGrant;
  private readonly emitter: PacketEmitter;
  private readonly turns: SendTurns;
  private readonly room: TransmitRoom;
  private readonly gate: ReadGate;
  /** Two per queue pair, by their entry. */
  private readonly members: SendMember[] = [];
  private readonly device = new FluidServer();
  private readonly kickHandler: number;
  private readonly stepHandler: number;
  private readonly contextHandler: number;
  private readonly issueHandler: number;
  private readonly localHandler: number;
  private kickPending = false;
  /** Packets and turns without one so far: their number when a queue pair came to the ring tells how long it has waited. */
  private turnsTaken = 0;
  /** The member whose burst it is, when it is ready; it does not go through the ring. */
  private burstMember: SendMember | null = null;
  /** READ responders in the ring; they send beside a burst. */
  private respondersReady = 0;
  /** Whether tenants are told apart. */
  private readonly keepsAccounts: boolean;
  private readonly slotFirst: boolean;
  private readonly visitPackets: number;
  private readonly visitBytes: number;
  /** Packets that a queue pair may have in the transmit buffer. */
  private readonly transmitMax: number;
  private readonly readNearBytes: number;
  private readonly deviceGapPs: number;
  private readonly readGapPs: number;
  private readonly responseGapPs: number;
  private readonly responseGapBytes: number;
  private readonly localGapPs: number;

  constructor(parts: SendSchedulerParts) {
    const { constants, simulation, name, ablated, shares } = parts;
    this.constants = constants;
    this.simulation = simulation;
    this.packets = parts.packets;
    this.wqes = parts.wqes;
    this.counters = parts.counters;
    this.contexts = parts.contexts;
    this.regions = parts.regions;
    this.processors = parts.processors;
    this.queues = parts.queues;
    this.acks = parts.acks;
    this.cache = parts.cache;
    this.keepsAccounts = shares.kept;
    this.fetch = parts.fetch;
    this.burst = parts.burst;
    this.emitter = new PacketEmitter(parts);
    this.turns = new SendTurns(simulation, shares, constants);
    const { transmitBufferBytes, responseBufferBytes, transmitCellBytes } = constants;
    this.room = new TransmitRoom(transmitBufferBytes, responseBufferBytes, transmitCellBytes, shares);
    this.gate = new ReadGate(simulation, name, parts.pcie, () => {
      for (let lane = 0; lane < this.room.count; lane++) this.admitWaiters(lane);
    });
    this.slotFirst = constants.transmitSlotBeforeContext === 1 && !ablated.has('transmit-slot-hold');
    this.visitPackets = constants.visitPackets === 0 ? Number.MAX_SAFE_INTEGER : constants.visitPackets;
    this.visitBytes = constants.visitBytes === 0 ? Number.MAX_SAFE_INTEGER : constants.visitBytes;
    this.transmitMax =
      constants.qpTransmitPackets === 0 ? Number.MAX_SAFE_INTEGER : constants.qpTransmitPackets;
    this.readNearBytes = constants.readNearBytes;
    this.deviceGapPs = constants.deviceMessageGapNs * 1000;
    this.readGapPs = constants.deviceReadGapNs * 1000;
    this.responseGapPs =
      (ablated.has('read-response-cost') ? constants.deviceMessageGapNs : constants.readResponseGapNs) * 1000;
    this.responseGapBytes = constants.readResponseGapBytes;
    this.localGapPs = Math.round(constants.qpLocalGapNs * 1000);
    const { members } = this;
    this.kickHandler = simulation.register(`${name}/kick`, () => {
      this.kickPending = false;
      this.serve();
    });
    this.stepHandler = simulation.register(`${name}/unit`, (entry) => this.step(members[entry]));
    this.contextHandler = simulation.register(`${name}/context`, (entry) =>
      this.lookUpElements(members[entry]),
    );
    this.issueHandler = simulation.register(`${name}/issue`, (entry) => this.issue(members[entry]));
    this.localHandler = simulation.register(`${name}/local`, (entry) => this.executeLocal(members[entry]));
  }

  /** A queue pair was made. */
  add(pair: NicQueuePair): void {
    this.members.push(new SendMember(pair, Member.REQUESTS), new SendMember(pair, Member.RESPONSES));
  }

  /** One of the two members of a queue pair. */
  member(pair: NicQueuePair, member: number): SendMember {
    return this.members[entryOf(pair, member)];
  }

  ready(pair: NicQueuePair, member: number): void {
    this.join(this.members[entryOf(pair, member)]);
  }

  hold(untilPs: number, tenant: number): void {
    const morePs = this.turns.hold(untilPs, tenant);
    if (morePs === 0) return;
    this.counters.scheduler_held_ps += morePs;
    this.simulation.at(untilPs, this.kickHandler);
  }

  sent(pair: NicQueuePair, wireBytes: number, lane: number): void {
    this.room.give(lane, wireBytes);
    if (pair.send.transmitting-- === this.transmitMax)
      this.rejoin(this.members[entryOf(pair, Member.REQUESTS)]);
    this.admitWaiters(lane);
  }

  release(entry: number): void {
    const member = this.members[entry];
    member.lastTurn = this.turnsTaken;
    this.turns.push(member);
    this.kick();
  }

  resume(entry: number): void {
    this.step(this.members[entry]);
  }

  /** Puts a member into the ring that has something to send. */
  private join(member: SendMember): void {
    if (member.scheduled) return;
    member.scheduled = true;
    member.lastTurn = this.turnsTaken;
    if (!member.isRequests) this.respondersReady++;
    if (member.isRequests && this.burst.isHeldBy(member.pair)) this.burstMember = member;
    else this.turns.push(member);
    this.kick();
  }

  private admitWaiters(lane: number): void {
    const waiters = this.room.waiters(lane);
    while (waiters.length > 0) {
      const member = this.members[waiters.peek()];
      const bytes = this.bytesOf(member);
      if (!this.room.fits(lane, bytes) || !this.gate.isOpen(bytes)) return;
      waiters.shift();
      if (member.waitsForSlot) this.takeSlot(member);
      else this.emit(member);
    }
  }

  private kick(): void {
    if (this.kickPending) return;
    this.kickPending = true;
    this.simulation.after(0, this.kickHandler);
  }

  private serve(): void {
    const { burstMember } = this;
    if (burstMember !== null && this.turns.isFree(burstMember.pair)) {
      if (this.turns.isHeld(burstMember.pair.tenant)) return;
      this.burstMember = null;
      this.visit(burstMember);
    }
    if (this.burst.held && this.respondersReady === 0) return;
    let passes = this.turns.length;
    while (this.turns.freeUnits > 0 && passes-- > 0) {
      const entry = this.turns.shift();
      if (entry < 0) return;
      const member = this.members[entry];
      if (member.isRequests && this.burst.excludes(member.pair)) {
        this.turns.push(member);
        continue;
      }
      if (!member.isRequests) this.respondersReady--;
      else if (!this.isSendable(member.pair)) {
        member.scheduled = false;
        continue;
      }
      this.visit(member);
    }
  }

  /** A queue pair may have been announced for a window that closed again: no unit is spent on it. */
  private isSendable(pair: NicQueuePair): boolean {
    return pair.endpoint.canRequest(this.simulation.now) || pair.send.localDue || this.fetch.wantsFetch(pair);
  }

  private visit(member: SendMember): void {
    this.turns.takeUnit(member);
    member.visitPackets = this.visitPackets;
    member.visitBytes = this.visitBytes;
    if (!this.slotFirst) this.lookUp(member);
    else if (this.hasRoom(this.laneOf(member), member.pair.endpoint.attributes.pathMtu))
      this.takeSlot(member);
    else {
      member.waitsForSlot = true;
      this.awaitRoom(member);
    }
  }

  /** Takes room for a whole packet before anything is known of it, and keeps it until there is one. */
  private takeSlot(member: SendMember): void {
    member.waitsForSlot = false;
    member.slotBytes = member.pair.endpoint.attributes.pathMtu;
    member.slotLane = this.laneOf(member);
    this.room.take(member.slotLane, member.slotBytes);
    this.lookUp(member);
  }

  private lookUp(member: SendMember): void {
    const { pair } = member;
    const now = this.simulation.now;
    const ready = this.contexts.lookUp(now, pair.context.next(), Side.REQUESTER, pair.tenant);
    if (ready > now) this.simulation.after(ready - now, this.contextHandler, member.entry);
    else this.lookUpElements(member);
  }

  /** The context is there; it says where the list of a WQE with many elements is, which may have to be read too. */
  private lookUpElements(member: SendMember): void {
    const { contexts, constants, wqes } = this;
    const { pair } = member;
    const now = this.simulation.now;
    // `step` asks as well, at once unless a rate limit holds the member back first.
    const asks = constants.contextElements > 0 || pair.limiter !== null;
    if (asks && member.isRequests && pair.endpoint.canRequest(now)) {
      if (listIsApart(constants, wqes.sgeCount[pair.endpoint.nextRequestWqe()])) {
        const ready = contexts.lookUp(now, pair.context.elementsKey, Side.REQUESTER, pair.tenant);
        if (ready > now) {
          this.simulation.at(ready, this.stepHandler, member.entry);
          return;
        }
      }
    }
    this.step(member);
  }

  private giveSlot(member: SendMember): void {
    this.room.give(member.slotLane, member.slotBytes);
    member.slotBytes = 0;
  }

  /** The unit looks for the next packet of the member that it serves. */
  private step(member: SendMember): void {
    const { processors } = this;
    const { pair } = member;
    const { endpoint, send } = pair;
    const now = this.simulation.now;
    if (pair.limiter?.holds) return this.holdBack(member);
    let earliest = send.nextPacketPs;
    let gapPs = this.deviceGapPs;
    if (member.isRequests) {
      if (!endpoint.canRequest(now)) {
        if (send.localDue) return this.takeTurn(member);
        if (this.fetch.fetchOnDemand(pair)) return;
        return this.leave(member);
      }
      if (send.transmitting >= this.transmitMax) return this.leave(member);
      const wqe = endpoint.nextRequestWqe();
      const starts = endpoint.nextRequestStartsMessage();
      if (!this.burst.claim(pair, starts)) return this.leave(member);
      if (starts) {
        if (send.nextMessagePs > earliest) earliest = send.nextMessagePs;
        if (member.checkedWqe !== wqe) {
          if (this.isGone(member, wqe)) return;
          const translated = this.regions.translateList(pair, wqe, now, Side.REQUESTER);
          if (translated > earliest) earliest = translated;
        }
      }
      if (this.wqes.opcode[wqe] === Op.RDMA_READ) gapPs = this.readGapPs;
    } else {
      if (!endpoint.canRespond(this.simulation.now) || !endpoint.nextResponseIsRead())
        return this.leave(member);
      if (member.responseBytes >= this.readNearBytes)
        gapPs = this.farResponsePs(endpoint.nextResponseBytes());
    }
    if (earliest < now) earliest = now;
    if (processors !== null && this.bytesOf(member) > 0)
      earliest = processors.transmit(pair.processor, now, earliest);
    const start = Math.round(this.device.book(now, earliest, gapPs) - gapPs);
    if (start > now) this.simulation.after(start - now, this.issueHandler, member.entry);
    else this.sendOrWait(member);
  }

  /** A packet of READ data beyond what its request made ready costs by its bytes, but no less than any other packet. */
  private farResponsePs(bytes: number): number {
    if (bytes >= this.responseGapBytes) return this.responseGapPs;
    const partPs = (this.responseGapPs * bytes) / this.responseGapBytes;
    return partPs > this.deviceGapPs ? partPs : this.deviceGapPs;
  }

  /** Whether the WQE of a message that begins was pushed out of the cache; it is then read again, and the unit waits. */
  private isGone(member: SendMember, wqe: number): boolean {
    member.checkedWqe = wqe;
    if (member.rereadWqes > 0) {
      member.rereadWqes--;
      return false;
    }
    if (this.cache.isOnChip(wqe)) return false;
    if (member.pair.endpoint.nextRequestRepeats()) {
      this.fetch.refetch(member.pair);
      return true;
    }
    member.rereadWqes = this.fetch.reread(member.pair, member.visitPackets);
    return true;
  }

  /**
   * A WQE that the device does alone keeps its queue pair for about as long as a message, and takes a slot of the device,
   * but no packet comes of it: the unit goes on with another queue pair (PeRF §3.5.2: so a WAIT for nothing interrupts).
   */
  private takeTurn(member: SendMember): void {
    const now = this.simulation.now;
    const wqe = this.queues.firstUntaken(member.pair);
    if (member.checkedWqe !== wqe && this.isGone(member, wqe)) return;
    const earliest = Math.max(now, member.pair.send.nextMessagePs);
    const start = Math.round(this.device.book(now, earliest, this.deviceGapPs) - this.deviceGapPs);
    this.simulation.at(start, this.localHandler, member.entry);
  }

  private executeLocal(member: SendMember): void {
    const { queues, counters } = this;
    const { pair } = member;
    const wqe = queues.firstUntaken(pair);
    pair.send.localDue = false;
    if (queues.executeLocal(pair)) {
      this.fetch.issued(pair, wqe, false);
      counters.local_wqes++;
      this.turnsTaken++;
      pair.send.nextMessagePs = this.simulation.now + this.localGapPs;
    }
    this.leave(member);
  }

  private issue(member: SendMember): void {
    const { endpoint } = member.pair;
    const sendable = member.isRequests
      ? endpoint.canRequest(this.simulation.now)
      : endpoint.canRespond(this.simulation.now);
    if (sendable) this.sendOrWait(member);
    else this.leave(member);
  }

  private sendOrWait(member: SendMember): void {
    if (member.slotBytes === 0 && !this.hasRoom(this.laneOf(member), this.bytesOf(member)))
      this.awaitRoom(member);
    else if (!member.isRequests && !member.pair.endpoint.nextResponseIsRead()) this.leave(member);
    else this.send(member);
  }

  private awaitRoom(member: SendMember): void {
    this.room.waiters(this.laneOf(member)).push(member.entry, member.lastTurn);
  }

  private laneOf(member: SendMember): number {
    return this.room.laneOf(this.turns.laneOf(member.pair), !member.isRequests);
  }

  private bytesOf(member: SendMember): number {
    const { endpoint } = member.pair;
    if (member.waitsForSlot) return endpoint.attributes.pathMtu;
    return member.isRequests ? endpoint.nextRequestBytes() : endpoint.nextResponseBytes();
  }

  /** Whether a packet may go on at once: it fits, and nobody of its lane came before it. */
  private hasRoom(lane: number, payloadBytes: number): boolean {
    return (
      this.room.waiters(lane).length === 0 &&
      this.room.fits(lane, payloadBytes) &&
      this.gate.isOpen(payloadBytes)
    );
  }

  private emit(member: SendMember): void {
    const { endpoint } = member.pair;
    // What was true when the unit began to wait for room may have changed: a queue pair can fail meanwhile.
    const sendable = member.isRequests
      ? endpoint.canRequest(this.simulation.now)
      : endpoint.canRespond(this.simulation.now) && endpoint.nextResponseIsRead();
    if (sendable) this.send(member);
    else this.leave(member);
  }

  /** Sends the next packet of a member that has one. */
  private send(member: SendMember): void {
    const { packets } = this;
    const { pair } = member;
    const packet = member.isRequests ? this.emitter.emitRequest(pair) : this.emitter.emitResponse(member);
    if (packet === NO_PACKET) return this.step(member);
    if (member.slotBytes > 0) this.giveSlot(member);
    // Where its room is, plus one: 0 stands for a packet that has none.
    const lane = this.laneOf(member);
    const wireBytes = packets.wireBytes[packet];
    packets.deviceSecond[packet] = lane + 1;
    this.room.take(lane, wireBytes);
    if (this.keepsAccounts) this.charge(member, packet);
    pair.limiter?.spend(wireBytes);
    this.turnsTaken++;
    pair.send.transmitting++;
    member.visitBytes -= packets.payloadBytes[packet];
    if (--member.visitPackets <= 0 || member.visitBytes <= 0) this.leave(member);
    else this.step(member);
  }

  /** The unit is free; the member goes to the tail of the ring if it has more. */
  private leave(member: SendMember): void {
    const { pair } = member;
    member.scheduled = false;
    member.checkedWqe = NO_SLOT;
    member.rereadWqes = 0;
    this.turns.giveUnit(member);
    pair.limiter?.visited();
    this.rejoin(member);
    if (member.isRequests && !member.scheduled) this.burst.release(pair);
    this.kick();
    this.returnSlot(member);
  }

  /** Its function has sent enough for now: the member waits outside the ring, and the unit is free. */
  private holdBack(member: SendMember): void {
    this.turns.giveUnit(member);
    if (member.isRequests) this.burst.release(member.pair);
    member.pair.limiter!.park(member.entry);
    this.kick();
    this.returnSlot(member);
  }

  private returnSlot(member: SendMember): void {
    if (member.slotBytes === 0) return;
    this.giveSlot(member);
    this.admitWaiters(member.slotLane);
  }

  /** A packet costs its tenant the most of what it takes: of the scheduler's time, or of that of the bus and the port. */
  private charge(member: SendMember, packet: number): void {
    const { wireBytes, opcode } = this.packets;
    const { wqeBytes, portGbps, pcieGbps } = this.constants;
    const isRead = (kindOf[opcode[packet]] & Kind.READ_REQUEST) !== 0;
    const busPs = ((wireBytes[packet] + wqeBytes) * 8000) / Math.min(portGbps, pcieGbps);
    this.turns.charge(member, Math.max(isRead ? this.readGapPs : this.deviceGapPs, busPs));
  }

  private rejoin(member: SendMember): void {
    if (member.scheduled) return;
    const { pair } = member;
    if (!member.isRequests) this.acks.answer(pair);
    else if (pair.send.transmitting < this.transmitMax && this.isSendable(pair)) this.join(member);
  }
}

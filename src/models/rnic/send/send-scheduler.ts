import { NO_SLOT } from '../../../verbs/base/index.js';
import { FluidServer } from '../../resource/fluid-server.js';
import { Side } from '../contexts.js';
import { Member, type NicQueuePair } from '../nic-queue-pair.js';
import { Kind, kindOf } from '../packet-kinds.js';
import type { Rnic } from '../rnic.js';
import { BurstGrant } from './burst-grant.js';
import { gatherElements } from './element-reads.js';
import { SendTurns } from './send-turns.js';
import { TransmitRoom } from './transmit-room.js';

/**
 * The send side: ready queue pairs stand in a ring for each traffic class; a free processing unit takes the first, waits
 * for its context, sends a few packets and puts it back at the tail. Of those of a class that wait for room in its transmit
 * buffer the one whose last turn is longest ago is next, and one that comes anew is last, which makes the sharing of the
 * port round robin by packet (PeRF §2), also between a queue pair that is back at once and one that takes a while.
 */
export class SendScheduler {
  private readonly nic: Rnic;
  private readonly turns: SendTurns;
  private readonly room: TransmitRoom;
  private readonly device = new FluidServer();
  private readonly kickHandler: number;
  private readonly stepHandler: number;
  private readonly contextHandler: number;
  private readonly issueHandler: number;
  private readonly localHandler: number;
  private kickPending = false;
  /** Turns taken so far: the number of a queue pair's last one tells how long ago it was. */
  private turnsTaken = 0;
  /** The queue pair whose burst it is, when it is ready; it does not go through the ring. */
  private burstEntry = -1;
  /** READ responders in the ring; they send beside a burst. */
  private respondersReady = 0;
  readonly burst: BurstGrant;
  private readonly slotFirst: boolean;
  private readonly deviceGapPs: number;
  private readonly readGapPs: number;
  private readonly responseGapPs: number;
  private readonly messageGapPs: number;
  private readonly localGapPs: number;
  private readonly packetGapPs: number;
  private readonly elementPs: number;
  private readonly pipelinePs: number;

  constructor(nic: Rnic) {
    this.nic = nic;
    const { constants, simulation, name, ablated } = nic;
    this.turns = new SendTurns(simulation, nic.shares, constants);
    this.room = new TransmitRoom(constants.transmitBufferBytes, constants.transmitCellBytes, nic.shares);
    this.burst = new BurstGrant(ablated.has('burst-grant') ? 0 : constants.burstDivisor);
    this.slotFirst = constants.transmitSlotBeforeContext === 1 && !ablated.has('transmit-slot-hold');
    this.deviceGapPs = constants.deviceMessageGapNs * 1000;
    this.readGapPs = constants.deviceReadGapNs * 1000;
    this.responseGapPs =
      (ablated.has('read-response-cost') ? constants.deviceMessageGapNs : constants.readResponseGapNs) * 1000;
    this.messageGapPs = Math.round(constants.qpMessageGapNs * 1000);
    this.localGapPs = Math.round(constants.qpLocalGapNs * 1000);
    this.packetGapPs = Math.round(constants.qpPacketGapNs * 1000);
    this.elementPs = Math.round(constants.elementNs * 1000);
    this.pipelinePs = Math.round(constants.transmitPipelineNs * 1000);
    this.kickHandler = simulation.register(`${name}/kick`, () => {
      this.kickPending = false;
      this.serve();
    });
    this.stepHandler = simulation.register(`${name}/unit`, (qp, member) =>
      this.step(nic.queuePairs[qp], member),
    );
    this.contextHandler = simulation.register(`${name}/context`, (qp, member) =>
      this.lookUpElements(nic.queuePairs[qp], member),
    );
    this.issueHandler = simulation.register(`${name}/issue`, (qp, member) =>
      this.issue(nic.queuePairs[qp], member),
    );
    this.localHandler = simulation.register(`${name}/local`, (qp, member) =>
      this.executeLocal(nic.queuePairs[qp], member),
    );
  }

  /** A member has something to send; may be called from inside its endpoint. */
  ready(qp: NicQueuePair, member: number): void {
    if (qp.scheduled[member] === 1) return;
    qp.scheduled[member] = 1;
    qp.lastTurn[member] = this.turnsTaken;
    const entry = 2 * qp.index + member;
    if (member === Member.RESPONSES) this.respondersReady++;
    if (member === Member.REQUESTS && this.burst.isHeldBy(qp)) this.burstEntry = entry;
    else this.turns.push(qp, entry);
    this.kick();
  }

  /** Stops all sending of a tenant until then (a deregistration takes the scheduler). */
  hold(untilPs: number, tenant: number): void {
    const morePs = this.turns.hold(untilPs, tenant);
    if (morePs === 0) return;
    this.nic.counters.scheduler_held_ps += morePs;
    this.nic.simulation.at(untilPs, this.kickHandler);
  }

  /** A packet has left the device; `lane` is that of the room it took. */
  sent(qp: NicQueuePair, wireBytes: number, lane: number): void {
    this.room.give(lane, wireBytes);
    qp.transmitting--;
    const limit = this.nic.constants.qpTransmitPackets;
    if (limit > 0 && qp.transmitting === limit - 1) this.rejoinMember(qp, Member.REQUESTS);
    this.admitWaiters(lane);
  }

  private admitWaiters(lane: number): void {
    const waiters = this.room.waiters(lane);
    while (waiters.length > 0) {
      const next = waiters.peek();
      const member = next & 1;
      const waiting = this.nic.queuePairs[next >> 1];
      if (!this.room.fits(lane, this.bytesOf(waiting, member))) return;
      waiters.shift();
      if (waiting.waitsForSlot[member] === 1) this.takeSlot(waiting, member);
      else this.emit(waiting, member);
    }
  }

  private kick(): void {
    if (this.kickPending) return;
    this.kickPending = true;
    this.nic.simulation.after(0, this.kickHandler);
  }

  private serve(): void {
    if (this.burstEntry >= 0 && this.turns.isFree(this.nic.queuePairs[this.burstEntry >> 1])) {
      const entry = this.burstEntry;
      const qp = this.nic.queuePairs[entry >> 1];
      if (this.turns.isHeld(qp.tenant)) return;
      this.burstEntry = -1;
      this.turns.takeUnit(qp, entry & 1);
      this.visit(qp, entry & 1);
    }
    if (this.burst.held && this.respondersReady === 0) return;
    let passes = this.turns.length;
    while (this.turns.freeUnits > 0 && passes-- > 0) {
      const entry = this.turns.shift();
      if (entry < 0) return;
      const member = entry & 1;
      const qp = this.nic.queuePairs[entry >> 1];
      if (member === Member.REQUESTS && this.burst.excludes(qp)) {
        this.turns.push(qp, entry);
        continue;
      }
      if (member === Member.RESPONSES) this.respondersReady--;
      else if (!this.isSendable(qp)) {
        qp.scheduled[member] = 0;
        continue;
      }
      this.turns.takeUnit(qp, member);
      this.visit(qp, member);
    }
  }

  /** A queue pair may have been announced for a window that closed again: no unit is spent on it. */
  private isSendable(qp: NicQueuePair): boolean {
    return qp.endpoint.canRequest(this.nic.simulation.now) || qp.localDue || this.nic.sendWqes.wantsFetch(qp);
  }

  private visit(qp: NicQueuePair, member: number): void {
    const { nic } = this;
    qp.visitPackets[member] =
      nic.constants.visitPackets === 0 ? Number.MAX_SAFE_INTEGER : nic.constants.visitPackets;
    qp.visitBytes[member] =
      nic.constants.visitBytes === 0 ? Number.MAX_SAFE_INTEGER : nic.constants.visitBytes;
    if (!this.slotFirst) this.lookUp(qp, member);
    else if (this.hasRoom(this.turns.laneOf(qp), qp.endpoint.attributes.pathMtu)) this.takeSlot(qp, member);
    else {
      qp.waitsForSlot[member] = 1;
      this.awaitRoom(qp, member);
    }
  }

  /** Whether a WQE has more elements than its queue pair's context holds. */
  listIsApart(elements: number): boolean {
    const { contextElements } = this.nic.constants;
    return contextElements > 0 && elements > contextElements;
  }

  /** Takes room for a whole packet before anything is known of it, and keeps it until there is one. */
  private takeSlot(qp: NicQueuePair, member: number): void {
    qp.waitsForSlot[member] = 0;
    qp.slotBytes[member] = qp.endpoint.attributes.pathMtu;
    qp.slotLane[member] = this.turns.laneOf(qp);
    this.room.take(qp.slotLane[member], qp.slotBytes[member]);
    this.lookUp(qp, member);
  }

  private lookUp(qp: NicQueuePair, member: number): void {
    const { nic } = this;
    const now = nic.simulation.now;
    const ready = nic.contexts.context(now, qp.contextKey, Side.REQUESTER, qp.tenant);
    if (ready > now) nic.simulation.at(ready, this.contextHandler, qp.index, member);
    else this.lookUpElements(qp, member);
  }

  /** The context is there; it says where the list of a WQE with many elements is, which may have to be read too. */
  private lookUpElements(qp: NicQueuePair, member: number): void {
    const { nic } = this;
    const now = nic.simulation.now;
    if (member === Member.REQUESTS && qp.endpoint.canRequest(now)) {
      if (this.listIsApart(nic.wqes.sgeCount[qp.endpoint.nextRequestWqe()])) {
        const ready = nic.contexts.context(now, qp.elementsKey, Side.REQUESTER, qp.tenant);
        if (ready > now) {
          nic.simulation.at(ready, this.stepHandler, qp.index, member);
          return;
        }
      }
    }
    this.step(qp, member);
  }

  private giveSlot(qp: NicQueuePair, member: number): void {
    this.room.give(qp.slotLane[member], qp.slotBytes[member]);
    qp.slotBytes[member] = 0;
  }

  /** The unit looks for the next packet of the member that it serves. */
  private step(qp: NicQueuePair, member: number): void {
    const { nic } = this;
    const { endpoint } = qp;
    const now = nic.simulation.now;
    if (qp.limiter?.holds) return this.holdBack(qp, member);
    let earliest = qp.nextPacketPs;
    let gapPs = this.deviceGapPs;
    if (member === Member.REQUESTS) {
      if (!endpoint.canRequest(now)) {
        if (qp.localDue) return this.takeTurn(qp, member);
        if (nic.sendWqes.fetchOnDemand(qp)) return;
        return this.leave(qp, member);
      }
      const limit = nic.constants.qpTransmitPackets;
      if (limit > 0 && qp.transmitting >= limit) return this.leave(qp, member);
      const wqe = endpoint.nextRequestWqe();
      const starts = endpoint.nextRequestStartsMessage();
      if (!this.burst.claim(qp, starts)) return this.leave(qp, member);
      if (starts) {
        if (qp.nextMessagePs > earliest) earliest = qp.nextMessagePs;
        if (qp.checkedWqe !== wqe) {
          qp.checkedWqe = wqe;
          if (qp.rereadWqes > 0) qp.rereadWqes--;
          else if (!nic.sendWqes.isOnChip(wqe)) return nic.sendWqes.reread(qp, member);
          const translated = nic.translateList(qp, wqe, now, Side.REQUESTER);
          if (translated > earliest) earliest = translated;
        }
      }
      if (nic.isRead(wqe)) gapPs = this.readGapPs;
    } else {
      if (!endpoint.canRespond() || !endpoint.nextResponseIsRead()) return this.leave(qp, member);
      if (qp.responseBytes >= nic.constants.readNearBytes) gapPs = this.responseGapPs;
    }
    if (earliest < now) earliest = now;
    if (nic.processors !== null && this.bytesOf(qp, member) > 0)
      earliest = nic.processors.transmit(qp.processor, now, earliest);
    const start = Math.round(this.device.book(now, earliest, gapPs) - gapPs);
    if (start > now) nic.simulation.at(start, this.issueHandler, qp.index, member);
    else this.issue(qp, member);
  }

  /**
   * A WQE that the device does alone keeps its queue pair for about as long as a message, and takes a slot of the device,
   * but no packet comes of it: the unit goes on with another queue pair (PeRF §3.5.2: so a WAIT for nothing interrupts).
   */
  private takeTurn(qp: NicQueuePair, member: number): void {
    const { nic } = this;
    const now = nic.simulation.now;
    const wqe = nic.client.firstUntaken(qp);
    if (qp.checkedWqe !== wqe) {
      qp.checkedWqe = wqe;
      if (qp.rereadWqes > 0) qp.rereadWqes--;
      else if (!nic.sendWqes.isOnChip(wqe)) return nic.sendWqes.reread(qp, member);
    }
    const earliest = Math.max(now, qp.nextMessagePs);
    const start = Math.round(this.device.book(now, earliest, this.deviceGapPs) - this.deviceGapPs);
    nic.simulation.at(start, this.localHandler, qp.index, member);
  }

  private executeLocal(qp: NicQueuePair, member: number): void {
    const { nic } = this;
    qp.localDue = false;
    if (nic.client.executeLocal(qp)) {
      nic.counters.local_wqes++;
      qp.lastTurn[member] = ++this.turnsTaken;
      qp.nextMessagePs = nic.simulation.now + this.localGapPs;
    }
    this.leave(qp, member);
  }

  /** Continues a unit whose WQE was read again. */
  resume(qp: NicQueuePair, member: number): void {
    this.step(qp, member);
  }

  private issue(qp: NicQueuePair, member: number): void {
    const sendable =
      member === Member.REQUESTS ? qp.endpoint.canRequest(this.nic.simulation.now) : qp.endpoint.canRespond();
    if (!sendable) return this.leave(qp, member);
    if (qp.slotBytes[member] === 0 && !this.hasRoom(this.turns.laneOf(qp), this.bytesOf(qp, member)))
      this.awaitRoom(qp, member);
    else this.emit(qp, member);
  }

  private awaitRoom(qp: NicQueuePair, member: number): void {
    this.room.waiters(this.turns.laneOf(qp)).push(2 * qp.index + member, qp.lastTurn[member]);
  }

  private bytesOf(qp: NicQueuePair, member: number): number {
    if (qp.waitsForSlot[member] === 1) return qp.endpoint.attributes.pathMtu;
    return member === Member.REQUESTS ? qp.endpoint.nextRequestBytes() : qp.endpoint.nextResponseBytes();
  }

  /** Whether a packet may go on at once: it fits, and nobody of its lane came before it. */
  private hasRoom(lane: number, payloadBytes: number): boolean {
    return this.room.waiters(lane).length === 0 && this.room.fits(lane, payloadBytes);
  }

  private emit(qp: NicQueuePair, member: number): void {
    const { nic } = this;
    const { packets, simulation } = nic;
    const { endpoint } = qp;
    const now = simulation.now;
    // What was true when the unit began to wait for room may have changed: a queue pair can fail meanwhile.
    const sendable =
      member === Member.REQUESTS
        ? endpoint.canRequest(now)
        : endpoint.canRespond() && endpoint.nextResponseIsRead();
    if (!sendable) return this.leave(qp, member);
    const packet = packets.take();
    let starts = false;
    let pushed = false;
    let elements = 1;
    let isRead = false;
    if (member === Member.REQUESTS) {
      // A datagram completes as it leaves, and its request is gone then: read it first.
      const wqe = endpoint.nextRequestWqe();
      starts = endpoint.nextRequestStartsMessage();
      pushed = nic.sendWqes.hasPayload(wqe);
      isRead = nic.isRead(wqe);
      elements = nic.wqes.sgeCount[wqe];
      nic.client.route(packet, qp, wqe);
      if (nic.pcie.isStrict && !isRead) {
        gatherElements(nic, qp, wqe, endpoint.nextRequestOffset(), endpoint.nextRequestBytes());
      }
      if (starts) {
        if (endpoint.nextRequestRepeats()) qp.repeated(now);
        else nic.sendWqes.issued(qp, wqe, nic.isRead(wqe));
      }
      if (!endpoint.emitRequest(packet, now)) {
        packets.free(packet);
        return this.step(qp, member);
      }
    } else {
      nic.client.route(packet, qp, NO_SLOT);
      endpoint.emitResponse(packet, now);
      const ends = (kindOf[packets.opcode[packet]] & Kind.READ_ENDS) !== 0;
      qp.responseBytes = ends ? 0 : qp.responseBytes + packets.payloadBytes[packet];
    }
    const payloadBytes = packets.payloadBytes[packet];
    if (qp.slotBytes[member] > 0) this.giveSlot(qp, member);
    nic.frame(packet, qp);
    // Where its room is, plus one: 0 stands for a packet that has none.
    const lane = this.turns.laneOf(qp);
    packets.deviceSecond[packet] = lane + 1;
    this.room.take(lane, packets.wireBytes[packet]);
    if (nic.shares.kept)
      this.charge(qp, member, isRead ? this.readGapPs : this.deviceGapPs, packets.wireBytes[packet]);
    qp.limiter?.spend(packets.wireBytes[packet]);
    qp.lastTurn[member] = ++this.turnsTaken;
    qp.transmitting++;
    qp.nextPacketPs = now + this.packetGapPs;
    if (starts) {
      qp.nextMessagePs = now + this.messageGapPs + (elements > 1 ? (elements - 1) * this.elementPs : 0);
    }
    let readyPs = now;
    let orderedPs = qp.lastReadyPs;
    if (payloadBytes > 0 && !pushed) {
      const path = member === Member.REQUESTS ? qp.path : qp.inboundPath;
      readyPs = nic.pcie.readPayload(now, payloadBytes, path);
      // The payloads of one queue pair come over the link one behind the other, however long it was idle before.
      orderedPs += nic.pcie.transferPs(payloadBytes);
    }
    readyPs = Math.max(readyPs + this.pipelinePs, orderedPs);
    qp.lastReadyPs = readyPs;
    simulation.at(readyPs, nic.readyHandler, packet);
    qp.visitBytes[member] -= payloadBytes;
    if (--qp.visitPackets[member] <= 0 || qp.visitBytes[member] <= 0) this.leave(qp, member);
    else this.step(qp, member);
  }

  /** The unit is free; the member goes to the tail of the ring if it has more. */
  private leave(qp: NicQueuePair, member: number): void {
    qp.scheduled[member] = 0;
    if (member === Member.REQUESTS) {
      qp.checkedWqe = NO_SLOT;
      qp.rereadWqes = 0;
    }
    this.turns.giveUnit(qp, member);
    qp.limiter?.visited();
    // Its place among those that wait for room is that of its last turn, not that of the end of a visit.
    const lastTurn = qp.lastTurn[member];
    this.rejoinMember(qp, member);
    qp.lastTurn[member] = lastTurn;
    if (member === Member.REQUESTS && qp.scheduled[member] === 0) this.burst.release(qp);
    this.kick();
    if (qp.slotBytes[member] > 0) {
      this.giveSlot(qp, member);
      this.admitWaiters(qp.slotLane[member]);
    }
  }

  /** Its function has sent enough for now: the member waits outside the ring, and the unit is free. */
  private holdBack(qp: NicQueuePair, member: number): void {
    this.turns.giveUnit(qp, member);
    if (member === Member.REQUESTS) this.burst.release(qp);
    qp.limiter!.park(2 * qp.index + member);
    this.kick();
    if (qp.slotBytes[member] > 0) {
      this.giveSlot(qp, member);
      this.admitWaiters(qp.slotLane[member]);
    }
  }

  /** A member that was held back may go on. */
  release(entry: number): void {
    const qp = this.nic.queuePairs[entry >> 1];
    qp.lastTurn[entry & 1] = this.turnsTaken;
    this.turns.push(qp, entry);
    this.kick();
  }

  /** A packet costs its tenant the most of what it takes: of the scheduler's time, or of that of the bus and the port. */
  private charge(qp: NicQueuePair, member: number, gapPs: number, wireBytes: number): void {
    const { constants } = this.nic;
    const busPs =
      ((wireBytes + constants.wqeBytes) * 8000) / Math.min(constants.portGbps, constants.pcieGbps);
    this.turns.charge(qp, member, Math.max(gapPs, busPs));
  }

  private rejoinMember(qp: NicQueuePair, member: number): void {
    if (qp.scheduled[member] === 1) return;
    const limit = this.nic.constants.qpTransmitPackets;
    if (member === Member.REQUESTS) {
      if (limit > 0 && qp.transmitting >= limit) return;
      if (this.isSendable(qp)) this.ready(qp, member);
    } else this.nic.responseReady(qp);
  }
}

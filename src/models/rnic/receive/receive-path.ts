import { psnDiff } from '../../../transport/index.js';
import type { DmaPath } from '../../pcie/dma-path.js';
import { IndexQueue } from '../../resource/index-queue.js';
import { SlotServer } from '../../resource/slot-server.js';
import { Side } from '../contexts.js';
import type { NicQueuePair } from '../nic-queue-pair.js';
import { engineCosts, isPartOf, Kind, kindOf, Target, targetKindOf } from '../packet-kinds.js';
import type { Rnic } from '../rnic.js';
import { FunctionHolds } from '../tenants/function-holds.js';
import { bookShare } from '../tenants/tenant-shares.js';
import { ReceiveDescriptors } from './receive-descriptors.js';
import { ReceiveFetch } from './receive-ring.js';
import { Stage } from './receive-stage.js';
import { ReceiveTurns } from './receive-turns.js';

/** Where software writes how far a receive queue goes (mlx5: two counters of 32 bits). */
const DOORBELL_RECORD_BYTES = 8;

/** What the engine is doing. */
const NOTHING = -1;

/**
 * The receive side: one engine serves arriving packets, packets that turned round inside the device, and re-reads of
 * send WQEs, in turns. Behind it a packet needs its context, a translation and maybe a receive WQE; while one of them
 * is fetched it is parked, and later packets of its queue pair park behind it. That the engine also pays for
 * acknowledgements and for the send side's re-reads is the component that 'is not fully bidirectional' (Collie #10).
 */
export class ReceivePath {
  private readonly nic: Rnic;
  private readonly turns: ReceiveTurns;
  private readonly descriptors: ReceiveDescriptors;
  /** Re-reads: queue pair and member in one number; the time of their DMA beside it. */
  private readonly jobs = new IndexQueue();
  private readonly jobTimes: number[] = [];
  private readonly costs: Float64Array;
  private readonly jobPs: number;
  private readonly readJobPs: number;
  private readonly ackPs: number;
  private readonly nearReadPs: number;
  private readonly doneHandler: number;
  private readonly acceptHandler: number;
  private readonly unparkHandler: number;
  private readonly resumeHandler: number;
  private readonly receiveSlots: SlotServer;
  private readonly readSlots: SlotServer;
  private serving = NOTHING;
  /** The engine stands still for re-reads: all that wait, and that come while it does, go through it together. */
  private servingJobs = false;
  /** Time that packets had since the last re-reads: they get at least as much as those. */
  private packetPs = 0;
  private debtPs = 0;
  private heldUntilPs = 0;
  private resumePending = false;
  private lastAcceptPs = 0;
  private lastReadPs = Number.NEGATIVE_INFINITY;
  /** The receive ring that an RNR holds the engine for. */
  private heldFor: object | null = null;
  private readonly holds: FunctionHolds;

  constructor(nic: Rnic) {
    this.nic = nic;
    const { constants, ablated, simulation, name } = nic;
    this.turns = new ReceiveTurns(nic);
    this.descriptors = new ReceiveDescriptors(nic);
    const shared = !ablated.has('engine-shared');
    this.costs = engineCosts(constants, { longReads: ablated.has('read-response-cost'), acks: !shared });
    this.jobPs = shared ? Math.round(constants.wqeMissTransmitNs * 1000) : 0;
    this.readJobPs = shared ? Math.round(constants.wqeMissReceiveNs * 1000) : 0;
    this.nearReadPs = Math.round(constants.receiveMultiNs * 1000);
    this.ackPs = shared ? Math.round(constants.ackNs * 1000) : 0;
    this.receiveSlots = new SlotServer(constants.receiveWqeMissSlots);
    this.readSlots = this.receiveSlots;
    this.doneHandler = simulation.register(`${name}/engine`, () => this.onDone());
    this.acceptHandler = simulation.register(`${name}/accept`, (packet, qp) =>
      this.onAccepted(packet, nic.queuePairs[qp]),
    );
    this.unparkHandler = simulation.register(`${name}/unpark`, (qp) => this.unpark(nic.queuePairs[qp]));
    this.holds = new FunctionHolds(simulation, `${name}/function`, (packet) => this.resumeHeld(packet));
    this.resumeHandler = simulation.register(`${name}/resume`, () => {
      this.resumePending = false;
      this.serve();
    });
  }

  /** Messages that wait for their receive WQE. */
  get waitingMessages(): number {
    return this.descriptors.taken;
  }

  /** A packet is in the receive buffer. */
  arrive(packet: number): void {
    this.nic.packets.stage[packet] = 0;
    this.turns.push(packet);
    this.serve();
  }

  /** A packet turned round inside the device. */
  arriveLoopback(packet: number): void {
    this.nic.packets.stage[packet] = Stage.LOOPBACK;
    this.turns.pushLoopback(packet);
    this.serve();
  }

  /** A re-read of a send WQE that was gone when its turn to be sent came. */
  addJob(qp: number, member: number, readPs: number): void {
    this.jobs.push(2 * qp + member);
    this.jobTimes.push(readPs);
    if (this.servingJobs) this.passJobs();
    else this.serve();
  }

  /** Time that the engine owes for an acknowledgement that it generated. */
  charge(): void {
    this.debtPs += this.ackPs;
  }

  /** Receives were posted: a hold that waited for them ends. */
  receivesPosted(ring: object): void {
    this.holds.receivesPosted(ring);
    if (this.heldFor !== ring) return;
    this.heldFor = null;
    this.heldUntilPs = this.nic.simulation.now;
    // A resumption may be due at the end of the hold; this one comes before it, and that one then finds nothing to do.
    this.nic.simulation.after(0, this.resumeHandler);
  }

  private serve(): void {
    if (this.serving !== NOTHING) return;
    const { nic } = this;
    const { simulation, packets } = nic;
    const now = simulation.now;
    if (now < this.heldUntilPs) return this.resumeAt(this.heldUntilPs);
    const lag = this.lastAcceptPs - now - nic.dmaLagPs;
    if (lag > 0) return this.resumeAt(now + lag);
    const packetWaits = !this.turns.isEmpty;
    let cost = this.debtPs;
    if (this.jobs.length > 0 && (this.packetPs >= this.jobPs || !packetWaits)) {
      this.packetPs = 0;
      this.servingJobs = true;
      this.serving = this.jobs.peek();
      this.passJobs();
      cost += this.jobPs;
    } else if (packetWaits) {
      const packet = this.turns.take();
      this.serving = packet;
      const opcode = packets.opcode[packet];
      const kind = kindOf[opcode];
      cost += (kind & Kind.READ_RESPONSE) !== 0 ? this.readResponsePs(packet, kind) : this.costs[opcode];
      if ((kind & Kind.READ_REQUEST) !== 0) this.lastReadPs = now;
      else if ((kind & Kind.ATOMIC) !== 0 && now - this.lastReadPs < nic.atomicWindowPs)
        cost += nic.atomicFencePs;
      this.packetPs += cost;
      if (nic.shares.kept) this.turns.account(cost, packets.wireBytes[packet]);
    } else return;
    this.debtPs = 0;
    nic.counters.engine_busy_ps += cost;
    simulation.at(now + cost, this.doneHandler);
  }

  /** A response whose bytes lie beyond what was made ready with its request costs more. */
  private readResponsePs(packet: number, kind: number): number {
    const { packets, constants, client } = this.nic;
    const qp = client.findQueuePair(packet);
    const before = qp === null ? 0 : qp.readBytes;
    const ends = (kind & Kind.READ_ENDS) !== 0;
    if (qp !== null) qp.readBytes = ends ? 0 : before + packets.payloadBytes[packet];
    const only = ends && before === 0;
    return only || before >= constants.readNearBytes ? this.costs[packets.opcode[packet]] : this.nearReadPs;
  }

  private resumeAt(timePs: number): void {
    if (this.resumePending) return;
    this.resumePending = true;
    this.nic.simulation.at(timePs, this.resumeHandler);
  }

  private onDone(): void {
    const served = this.serving;
    this.serving = NOTHING;
    if (this.servingJobs) this.servingJobs = false;
    else this.route(served);
    this.serve();
  }

  private passJobs(): void {
    while (this.jobs.length > 0) {
      const job = this.jobs.shift();
      this.nic.sendWqes.rereadServed(job >> 1, job & 1, this.jobTimes.shift()!);
    }
  }

  private route(packet: number): void {
    const { nic } = this;
    const qp = nic.client.findQueuePair(packet);
    if (qp === null) {
      nic.counters.rx_steer_missed_packets++;
      this.discard(packet);
      return;
    }
    if (this.holds.isHeld(qp.functionNumber)) {
      this.holds.park(qp.functionNumber, packet);
      return;
    }
    this.enter(qp, packet);
  }

  /** Its function goes on; its queue pair may be gone. */
  private resumeHeld(packet: number): void {
    const qp = this.nic.client.findQueuePair(packet);
    if (qp === null) this.discard(packet);
    else this.enter(qp, packet);
  }

  private enter(qp: NicQueuePair, packet: number): void {
    if (qp.lostPsn >= 0) this.markBehindLoss(qp, packet);
    if (qp.parkHead >= 0) this.park(qp, packet);
    else this.advance(qp, packet);
  }

  /** The device dropped a request of this queue pair: what comes behind it is refused unread until it is sent again. */
  private markBehindLoss(qp: NicQueuePair, packet: number): void {
    const { packets } = this.nic;
    if ((kindOf[packets.opcode[packet]] & (Kind.ACK | Kind.READ_RESPONSE | Kind.CNP)) !== 0) return;
    const ahead = psnDiff(packets.psn[packet], qp.lostPsn);
    if (ahead === 0) qp.lostPsn = -1;
    else if (ahead > 0) packets.stage[packet] |= Stage.LOST;
  }

  /** Takes a packet as far as it goes: dispatched (true) or parked (false, or dropped). */
  private advance(qp: NicQueuePair, packet: number): boolean {
    const { nic } = this;
    const { packets } = nic;
    const now = nic.simulation.now;
    const kind = kindOf[packets.opcode[packet]];
    let stage = packets.stage[packet];
    if ((stage & Stage.LOST) !== 0) {
      this.dispatch(qp, packet, 0);
      return true;
    }
    const side = (kind & Kind.ACK) !== 0 ? Side.REQUESTER : Side.RESPONDER;
    let readyPs = now;
    if ((stage & Stage.CONTEXT) === 0) {
      stage |= Stage.CONTEXT;
      readyPs = nic.contexts.context(now, qp.contextKey, side, qp.tenant);
    }
    if ((stage & Stage.TRANSLATION) === 0 && readyPs === now) {
      stage |= Stage.TRANSLATION;
      if ((kind & Kind.REMOTE) !== 0) readyPs = nic.translateRemote(qp, packet, now);
      else if ((kind & Kind.READ_ENDS) !== 0) readyPs = this.readWqe(qp, now);
    }
    packets.stage[packet] = stage;
    if (readyPs > now) return this.wait(qp, packet, readyPs);
    if ((kind & Kind.RECEIVES) !== 0 && (stage & Stage.RECEIVE) === 0) {
      const held = this.takeReceive(qp, packet, now);
      if (held < 0) return true;
      if (held > now) return this.wait(qp, packet, held);
    }
    this.dispatch(qp, packet, kind);
    return true;
  }

  /** The scatter list of a READ is in its WQE; when that was pushed out it is read again. */
  private readWqe(qp: NicQueuePair, now: number): number {
    const { nic } = this;
    const wqe = qp.reads.peek();
    if (wqe < 0) return now;
    const onChip = nic.sendWqes.isOnChip(wqe);
    nic.sendWqes.readDone(qp);
    if (onChip) return now;
    nic.counters.send_wqe_cache_miss++;
    this.debtPs += this.readJobPs;
    nic.pcie.read(now, qp.wqeBytes, qp.sendQueuePath);
    return bookShare(this.readSlots, nic.shares, qp.tenant, now, nic.receiveMissPs);
  }

  /** When the receive WQE of a message is on chip; -1 where the message was ended here. */
  private takeReceive(qp: NicQueuePair, packet: number, now: number): number {
    const { nic } = this;
    const ring = qp.receives;
    if (ring === null || ring.available <= 0) return this.noReceive(qp, packet, now);
    const { counters, packets } = nic;
    packets.stage[packet] |= Stage.RECEIVE;
    const found = ring.take();
    if (found === ReceiveFetch.HIT) {
      counters.receive_wqe_cache_hit++;
      return now;
    }
    if (found === ReceiveFetch.WINDOW_MISS) {
      counters.receive_wqe_window_miss++;
      counters.receive_wqe_cache_miss++;
      // The doorbell record says how far the ring goes, then come the WQEs: two reads, one after the other.
      const recordPs = nic.pcie.read(now, DOORBELL_RECORD_BYTES, ring.queuePath) - now;
      const readyPs = recordPs + nic.pcie.read(now, nic.constants.pcieMaxReadRequestBytes, ring.queuePath);
      counters.engine_stalled_ps += readyPs - now;
      // With accounts by tenant the chunk is awaited aside, as any other fetch is.
      if (!nic.shares.kept) this.heldUntilPs = readyPs;
      return readyPs;
    }
    counters.receive_wqe_cache_miss++;
    if (!this.descriptors.take(packet, qp.tenant)) {
      ring.taken--;
      packets.stage[packet] &= ~Stage.RECEIVE;
      if (this.dropForDescriptor(qp, packet)) this.dispatch(qp, packet, 0);
      return -1;
    }
    nic.pcie.read(now, ring.strideBytes, ring.queuePath);
    return bookShare(this.receiveSlots, nic.shares, qp.tenant, now, nic.receiveMissPs);
  }

  /**
   * No receive is posted. The refusal goes out, and the engine stands still: error handling in firmware holds the
   * pipeline until a receive is posted or its time is up (Husky §4, RNR attackers). The reliable transport's handling is
   * of one function where the queue pair has a virtual one (Husky §5.1: SR-IOV isolates the RNR of RC and not that of UC).
   */
  private noReceive(qp: NicQueuePair, packet: number, now: number): number {
    const { nic } = this;
    const hold =
      qp.endpoint.type === 'RC'
        ? nic.rnrHoldReliablePs
        : qp.endpoint.type === 'UC'
          ? nic.rnrHoldUnreliablePs
          : 0;
    if (hold > 0) {
      nic.counters.rnr_holds++;
      nic.counters.engine_stalled_ps += hold;
      if (nic.shares.kept || (qp.endpoint.type === 'RC' && qp.functionNumber > 0))
        this.holds.hold(qp.functionNumber, now + hold, qp.receives);
      else {
        this.heldUntilPs = now + hold;
        this.heldFor = qp.receives;
      }
    }
    this.dispatch(qp, packet, 0);
    return -1;
  }

  private dispatch(qp: NicQueuePair, packet: number, kind: number): void {
    const { nic } = this;
    const { packets, simulation } = nic;
    const now = simulation.now;
    this.descriptors.release(packet, qp.tenant);
    if ((kind & Kind.READ_REQUEST) !== 0) nic.sendWqes.serveReads(qp);
    const bytes = packets.payloadBytes[packet];
    let acceptPs = now;
    if (bytes > 0 && (packets.stage[packet] & Stage.LOST) === 0) {
      const target = this.targetOf(qp, packet);
      if (!qp.owesAcks && targetKindOf[packets.opcode[packet]] !== Target.REQUEST) nic.sendWqes.oweAcks(qp);
      acceptPs = nic.pcie.write(now, bytes, target);
      if (nic.pcie.isStrict)
        nic.pcie.payloadWritten(acceptPs, bytes, isPartOf[packets.opcode[packet]] === 1, target);
      if (acceptPs > this.lastAcceptPs) this.lastAcceptPs = acceptPs;
    }
    if (nic.processors !== null && bytes > 0) {
      const processedPs = nic.processors.receive(qp.processor, now);
      nic.counters.receive_processor_ps += processedPs - now;
      if (processedPs > acceptPs) acceptPs = processedPs;
    }
    // Packets of one queue pair reach the transport in the order in which they came.
    if (acceptPs < qp.lastAcceptPs) acceptPs = qp.lastAcceptPs;
    qp.lastAcceptPs = acceptPs;
    if (acceptPs > now) simulation.at(acceptPs, this.acceptHandler, packet, qp.index);
    else this.onAccepted(packet, qp);
  }

  /** The way to the memory that a packet's payload goes to. */
  private targetOf(qp: NicQueuePair, packet: number): DmaPath {
    const info = targetKindOf[this.nic.packets.opcode[packet]];
    if (info === Target.RECEIVE) return qp.receives === null ? qp.path : qp.receives.path;
    return info === Target.REQUEST ? qp.path : qp.inboundPath;
  }

  private onAccepted(packet: number, qp: NicQueuePair): void {
    const { nic } = this;
    const { packets } = nic;
    this.releaseBuffer(packet);
    const ring = qp.receives;
    const used = ring === null ? 0 : ring.used;
    if ((packets.stage[packet] & Stage.DROPPED) === 0) qp.endpoint.onPacket(packet, nic.simulation.now);
    else qp.endpoint.onDropped(packet);
    // A duplicate or a packet out of order uses no receive after all; one that found none at first may.
    if (ring !== null)
      ring.taken += ring.used - used - ((packets.stage[packet] & Stage.RECEIVE) === 0 ? 0 : 1);
    nic.freePacket(packet);
  }

  private wait(qp: NicQueuePair, packet: number, untilPs: number): boolean {
    const { nic } = this;
    if (qp.parkHead < 0) {
      qp.parkHead = packet;
      qp.parkTail = packet;
      nic.packets.next[packet] = -1;
    }
    nic.simulation.at(untilPs, this.unparkHandler, qp.index);
    return false;
  }

  /** Puts a packet behind those of its queue pair that wait; a message needs a descriptor to wait. */
  private park(qp: NicQueuePair, packet: number): void {
    const { packets } = this.nic;
    const needsDescriptor =
      (kindOf[packets.opcode[packet]] & Kind.RECEIVES) !== 0 && (packets.stage[packet] & Stage.LOST) === 0;
    if (needsDescriptor && !this.descriptors.take(packet, qp.tenant) && !this.dropForDescriptor(qp, packet))
      return;
    packets.next[packet] = -1;
    packets.next[qp.parkTail] = packet;
    qp.parkTail = packet;
  }

  /** The packet at the head has what it waited for; it and those behind it go on as far as they can. */
  private unpark(qp: NicQueuePair): void {
    const { packets } = this.nic;
    for (let packet = qp.parkHead; packet >= 0; packet = qp.parkHead) {
      const next = packets.next[packet];
      if (!this.advance(qp, packet)) return;
      qp.parkHead = next;
      if (next < 0) qp.parkTail = -1;
    }
  }

  /** Drops a message; true where the transport is to hear of it in its turn, so that the peer sends it again. */
  private dropForDescriptor(qp: NicQueuePair, packet: number): boolean {
    const { counters, packets } = this.nic;
    counters.rx_dropped_no_descriptor++;
    if (qp.endpoint.type !== 'RC') {
      this.discard(packet);
      return false;
    }
    if (qp.lostPsn < 0) qp.lostPsn = packets.psn[packet];
    packets.stage[packet] |= Stage.LOST | Stage.DROPPED;
    return true;
  }

  private discard(packet: number): void {
    this.releaseBuffer(packet);
    this.nic.freePacket(packet);
  }

  private releaseBuffer(packet: number): void {
    const { packets } = this.nic;
    const bytes = packets.wireBytes[packet];
    if ((packets.stage[packet] & Stage.LOOPBACK) !== 0) this.nic.loopbackReleased(bytes);
    else this.nic.buffer.release(bytes, packets.priority[packet]);
  }
}

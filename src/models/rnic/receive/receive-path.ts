import type { Random, Simulation } from '../../../engine/index.js';
import type { DeviceConstants } from '../../../profiles/index.js';
import type { FabricPackets } from '../../fabric/fabric-packets.js';
import { IndexQueue } from '../../resource/index-queue.js';
import { HostQueueing } from '../memory/host-queueing.js';
import { engineCosts, isPartOf, Kind, kindOf } from '../packets/packet-kinds.js';
import type { RequestWqes } from '../parts/send-path.js';
import type { NicQueuePair } from '../queue-pair/nic-queue-pair.js';
import type { PacketRouter } from '../rnic-client.js';
import type { RnicCounters } from '../rnic-counters.js';
import { FunctionHolds } from '../tenants/function-holds.js';
import type { TenantShares } from '../tenants/tenant-shares.js';
import { PacketStages, type PacketStagesParts } from './packet-stages.js';
import type { ReceiveJobs } from './receive-jobs.js';
import type { ReceiveRing } from './receive-ring.js';
import { Stage } from './receive-stage.js';
import { ReceiveTurns } from './receive-turns.js';

/** What the path is doing. */
const NOTHING = -1;

/** What a receive path is made of. */
export interface ReceivePathParts extends Omit<PacketStagesParts, 'holds' | 'requests'> {
  simulation: Simulation;
  constants: DeviceConstants;
  ablated: ReadonlySet<string>;
  counters: RnicCounters;
  shares: TenantShares;
  packets: FabricPackets;
  router: Pick<PacketRouter, 'findQueuePair'>;
  random: Random;
}

/**
 * The receive side: one pipeline serves arriving packets, packets that turned around inside the device, and re-reads of
 * send WQEs, in turns. Behind it each packet goes through its stages. That the pipeline also pays for acknowledgements and
 * for the send side's re-reads is the component that 'is not fully bidirectional' (Collie #10).
 */
export class ReceivePath implements ReceiveJobs {
  private readonly simulation: Simulation;
  private readonly counters: RnicCounters;
  private readonly shares: TenantShares;
  private readonly packets: FabricPackets;
  private readonly router: Pick<PacketRouter, 'findQueuePair'>;
  private readonly turns: ReceiveTurns;
  private readonly stages: PacketStages;
  private readonly functions: FunctionHolds;
  /** Work for others that waits: event, its argument, and the time of the read that it waits for. */
  private readonly jobHandlers = new IndexQueue();
  private readonly jobArguments = new IndexQueue();
  private readonly jobTimes: number[] = [];
  private readonly costs: Float64Array;
  private readonly queueing: HostQueueing;
  private readonly jobPs: number;
  private readonly ackPs: number;
  private readonly nearReadPs: number;
  private readonly onlyPs: number;
  private readonly multiBytes: number;
  private readonly readNearBytes: number;
  private readonly dmaLagPs: number;
  private readonly atomicWindowPs: number;
  private readonly atomicFencePs: number;
  private readonly reliableReach: number;
  private readonly unreliableReach: number;
  private readonly doneHandler: number;
  private readonly resumeHandler: number;
  private serving = NOTHING;
  /** The path stands still for re-reads: all that wait, and that come while it does, go through it together. */
  private servingJobs = false;
  /** Time that packets had since the last re-reads: they get at least as much as those. */
  private packetPs = 0;
  private debtPs = 0;
  private heldUntilPs = 0;
  private resumePending = false;
  private lastReadPs = Number.NEGATIVE_INFINITY;
  /** The receive ring that an RNR holds the path for, since when, and the time of such holds that are over. */
  private heldFor: ReceiveRing | null = null;
  private rnrSincePs = -1;
  private rnrOverPs = 0;

  constructor(parts: ReceivePathParts) {
    const { constants, ablated, simulation, name } = parts;
    this.simulation = simulation;
    this.counters = parts.counters;
    this.shares = parts.shares;
    this.packets = parts.packets;
    this.router = parts.router;
    this.turns = new ReceiveTurns(parts.shares, parts.router, constants.pcieGbps);
    this.stages = new PacketStages({ ...parts, holds: this });
    const shared = !ablated.has('engine-shared');
    this.costs = engineCosts(constants, { longReads: ablated.has('read-response-cost'), acks: !shared });
    this.queueing = new HostQueueing(constants.missQueueShare, parts.random.split('re-reads'));
    this.jobPs = shared ? Math.round(constants.wqeMissTransmitNs * 1000) : 0;
    this.nearReadPs = Math.round(constants.receiveMultiNs * 1000);
    this.onlyPs = Math.round(constants.receiveOnlyNs * 1000);
    this.multiBytes = constants.receiveMultiBytes;
    this.readNearBytes = constants.readNearBytes;
    this.ackPs = shared ? Math.round(constants.ackNs * 1000) : 0;
    this.dmaLagPs = Math.round(constants.dmaLagNs * 1000);
    this.atomicWindowPs = Math.round(constants.atomicFenceWindowNs * 1000);
    this.atomicFencePs = ablated.has('atomic-fence') ? 0 : Math.round(constants.atomicReadFenceNs * 1000);
    this.reliableReach = constants.rnrHoldReliableReach;
    this.unreliableReach = constants.rnrHoldUnreliableReach;
    this.doneHandler = simulation.register(`${name}/engine`, () => this.onDone());
    this.functions = new FunctionHolds(simulation, `${name}/function`, (packet) => this.resumeHeld(packet));
    this.resumeHandler = simulation.register(`${name}/resume`, () => {
      this.resumePending = false;
      this.serve();
    });
  }

  /** Joins it to the send WQEs of its device, which are made after it. */
  join(requests: RequestWqes): void {
    this.stages.join(requests);
  }

  /** Messages that wait for their receive WQE. */
  get waitingMessages(): number {
    return this.stages.waitingMessages;
  }

  /** How long messages without a receive have held it so far. */
  get rnrHeldPs(): number {
    if (this.rnrSincePs < 0) return this.rnrOverPs;
    return this.rnrOverPs + Math.min(this.simulation.now, this.heldUntilPs) - this.rnrSincePs;
  }

  /** A packet is in the receive buffer. */
  arrive(packet: number): void {
    this.packets.stage[packet] = 0;
    this.turns.push(packet);
    this.serve();
  }

  /** A packet turned around inside the device. */
  arriveLoopback(packet: number): void {
    this.packets.stage[packet] = Stage.LOOPBACK;
    this.turns.pushLoopback(packet);
    this.serve();
  }

  addJob(handler: number, argument: number, readPs: number): void {
    this.jobHandlers.push(handler);
    this.jobArguments.push(argument);
    this.jobTimes.push(readPs);
    if (this.servingJobs) this.passJobs();
    else this.serve();
  }

  charge(): void {
    this.debtPs += this.ackPs;
  }

  /** A hold that waited for receives of this ring ends. */
  receivesThere(ring: ReceiveRing): void {
    this.functions.receivesThere(ring);
    if (this.heldFor !== ring) return;
    this.heldFor = null;
    this.rnrOverPs = this.rnrHeldPs;
    this.rnrSincePs = -1;
    this.heldUntilPs = this.simulation.now;
    // A resumption may be due at the end of the hold; this one comes before it, and that one then finds nothing to do.
    this.simulation.after(0, this.resumeHandler);
  }

  // What the stages of a packet do to the path.

  /** Nothing is served until then. */
  standStill(untilPs: number): void {
    this.heldUntilPs = untilPs;
  }

  /**
   * A message found no receive: error handling in firmware holds the path until one is posted or the time is up (Husky
   * §4, RNR attackers). Whom it holds, the device or one virtual function, is the profile's.
   */
  awaitReceive(pair: NicQueuePair, untilPs: number): void {
    const { ring } = pair.receive;
    const reach = pair.isReliable ? this.reliableReach : this.unreliableReach;
    if (this.shares.kept || (reach === 1 && pair.functionNumber > 0)) {
      this.counters.engine_stalled_ps += untilPs - this.simulation.now;
      this.functions.hold(pair.functionNumber, untilPs, ring);
    } else {
      this.rnrOverPs = this.rnrHeldPs;
      this.rnrSincePs = this.simulation.now;
      this.heldUntilPs = untilPs;
      this.heldFor = ring;
    }
  }

  private serve(): void {
    if (this.serving !== NOTHING) return;
    const { simulation, packets } = this;
    const now = simulation.now;
    if (now < this.heldUntilPs) return this.resumeAt(this.heldUntilPs);
    const lag = this.stages.lastAcceptPs - now - this.dmaLagPs;
    if (lag > 0) return this.resumeAt(now + lag);
    const packetWaits = !this.turns.isEmpty;
    let cost = this.debtPs;
    if (this.jobArguments.length > 0 && (this.packetPs >= this.jobPs || !packetWaits)) {
      this.packetPs = 0;
      this.servingJobs = true;
      this.serving = this.jobArguments.peek();
      this.passJobs();
      cost += this.queueing.drawPs(this.jobPs);
    } else if (packetWaits) {
      const packet = this.turns.take();
      this.serving = packet;
      const opcode = packets.opcode[packet];
      const kind = kindOf[opcode];
      cost += (kind & Kind.READ_RESPONSE) !== 0 ? this.readResponsePs(packet, kind) : this.requestPs(packet);
      if ((kind & Kind.READ_REQUEST) !== 0) this.lastReadPs = now;
      else if ((kind & Kind.ATOMIC) !== 0 && now - this.lastReadPs < this.atomicWindowPs)
        cost += this.atomicFencePs;
      this.packetPs += cost;
      if (this.shares.kept) this.turns.account(cost, packets.wireBytes[packet]);
    } else return;
    this.debtPs = 0;
    this.counters.engine_busy_ps += cost;
    simulation.after(cost, this.doneHandler);
  }

  /** A packet of a longer message costs more than a whole short one; a short last one of it costs less than the others. */
  private requestPs(packet: number): number {
    const opcode = this.packets.opcode[packet];
    return isPartOf[opcode] === 0 ? this.costs[opcode] : this.partPs(packet, this.costs[opcode]);
  }

  /** What a part of a longer message costs if a full one costs `fullPs`: by its bytes, but no less than a short message. */
  private partPs(packet: number, fullPs: number): number {
    const bytes = this.packets.payloadBytes[packet];
    if (bytes >= this.multiBytes) return fullPs;
    const partPs = Math.round((fullPs * bytes) / this.multiBytes);
    return partPs > this.onlyPs ? partPs : this.onlyPs;
  }

  /** A response whose bytes lie beyond what was made ready with its request costs more. */
  private readResponsePs(packet: number, kind: number): number {
    const { packets } = this;
    const receive = this.router.findQueuePair(packet)?.receive ?? null;
    const before = receive === null ? 0 : receive.readBytes;
    const ends = (kind & Kind.READ_ENDS) !== 0;
    if (receive !== null) receive.readBytes = ends ? 0 : before + packets.payloadBytes[packet];
    const fullPs = this.costs[packets.opcode[packet]];
    if (ends && before === 0) return fullPs;
    return this.partPs(packet, before >= this.readNearBytes ? fullPs : this.nearReadPs);
  }

  private resumeAt(timePs: number): void {
    if (this.resumePending) return;
    this.resumePending = true;
    this.simulation.after(timePs - this.simulation.now, this.resumeHandler);
  }

  private onDone(): void {
    const served = this.serving;
    this.serving = NOTHING;
    if (this.servingJobs) this.servingJobs = false;
    else this.steer(served);
    this.serve();
  }

  private passJobs(): void {
    const { simulation } = this;
    while (this.jobArguments.length > 0) {
      const readPs = this.jobTimes.shift()!;
      simulation.at(Math.max(readPs, simulation.now), this.jobHandlers.shift(), this.jobArguments.shift());
    }
  }

  private steer(packet: number): void {
    const pair = this.router.findQueuePair(packet);
    if (pair === null) {
      this.counters.rx_steer_missed_packets++;
      this.stages.discard(packet);
    } else if (this.functions.isHeld(pair.functionNumber)) this.functions.park(pair.functionNumber, packet);
    else this.stages.enter(pair, packet);
  }

  /** Its function goes on; its queue pair may be gone. */
  private resumeHeld(packet: number): void {
    const pair = this.router.findQueuePair(packet);
    if (pair === null) this.stages.discard(packet);
    else this.stages.enter(pair, packet);
  }
}

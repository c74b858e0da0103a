import type { EventId, Simulation } from '../../engine/index.js';
import { KelpieError } from '../../error.js';
import { type CableOptions, CableSide, PRIORITIES } from './cable-side.js';
import type { FabricPackets } from './fabric-packets.js';
import type { Passage } from './passage.js';
import { LaneShares } from './switching/lane-shares.js';

/** Who sends by an egress port. */
export interface PacketSender {
  /** The last bit of a packet has left the port. */
  onSent(packet: number): void;
  /** Whether it waits to be told of a packet; of another it is told late, by `countSent` alone. */
  awaits(packet: number): boolean;
  /** The last bit of a packet that it does not wait for has left the port. */
  countSent(wireBytes: number): void;
}

/** How an egress port chooses between its classes. */
export interface EgressOptions extends CableOptions {
  /** Hears when the last bit of a packet has left; null where nobody needs to know. */
  sender: PacketSender | null;
  /** Weights of the classes for deficit round robin; default: equal. */
  weights?: readonly number[];
  /** Classes that go before all others, the highest first (strict priority, 802.1Qaz); default: none. */
  strict?: readonly number[];
}

/**
 * The sending side of a device's link: a queue per class, served by deficit round robin, each class held while the other
 * end has paused it (802.1Qbb). A packet that finds the link idle is sent at once; else one event per packet keeps it
 * busy. Packets that are known to come later need no event of their own while it is: the port looks for them when it is
 * free. Nor does a packet that the sender does not wait for (an acknowledgement) while another waits behind it: what
 * happens before that begins to leave takes the plan back.
 */
export class EgressPort extends CableSide {
  /** Called when the other end pauses or resumes a class; null where nobody watches. */
  onPause: ((priority: number, paused: boolean) => void) | null = null;
  /** The way through the switch at the other end; null where there is none. */
  passage: Passage | null = null;
  /** Bytes queued per class. */
  readonly queuedBytes = new Float64Array(PRIORITIES);
  /** When a class was paused last, and for how long in all. */
  readonly pausedPs = new Float64Array(PRIORITIES);
  readonly pauses = new Float64Array(PRIORITIES);
  private readonly simulation: Simulation;
  private readonly packets: FabricPackets;
  private readonly sender: PacketSender | null;
  private readonly kickHandler: number;
  private readonly comeHandler: number;
  private readonly head = new Int32Array(PRIORITIES).fill(-1);
  private readonly tail = new Int32Array(PRIORITIES).fill(-1);
  /** The last of the packets at the head that went before others; -1 where none waits. */
  private readonly urgentTail = new Int32Array(PRIORITIES).fill(-1);
  /** Packets that are to be queued later, by their time; -1 where there is none. */
  private comingHead = -1;
  private comingTail = -1;
  private comePending = false;
  private readonly pausedSincePs = new Float64Array(PRIORITIES);
  private readonly options: EgressOptions;
  /** How classes share the port; null until two of them first wait at once. */
  private shares: LaneShares | null = null;
  private waiting = 0;
  private pausedMask = 0;
  private freePs = 0;
  private kickPending = false;
  private sending = -1;
  /** When the first packet that waits begins to leave behind one without an event; -1 where none is to. */
  private followsPs = -1;
  /** The class of both, the size of the first, and the event at which the second has left. */
  private followClass = 0;
  private unheardBytes = 0;
  private kick: EventId = 0;

  constructor(simulation: Simulation, packets: FabricPackets, options: EgressOptions) {
    super(options);
    this.simulation = simulation;
    this.packets = packets;
    this.sender = options.sender;
    this.options = options;
    this.kickHandler = simulation.register(`${options.name}/sent`, () => this.onSent());
    this.comeHandler = simulation.register(`${options.name}/come`, () => this.onCome());
  }

  /** Queues a packet. */
  send(packet: number): void {
    if (this.followsPs >= 0) this.attend();
    this.takeComing();
    this.packets.timePs[packet] = this.simulation.now;
    this.append(packet);
    this.serve();
  }

  /** Queues a packet a while from now; false, and nothing is done, where another comes after it. */
  sendLater(packet: number, delayPs: number): boolean {
    if (this.followsPs >= 0) this.attend();
    const { packets, comingTail } = this;
    const comesPs = this.simulation.now + delayPs;
    if (comingTail < 0) this.comingHead = packet;
    else if (packets.timePs[comingTail] > comesPs) return false;
    else packets.next[comingTail] = packet;
    this.comingTail = packet;
    packets.next[packet] = -1;
    packets.timePs[packet] = comesPs;
    if (!this.kickPending) this.awaitComing();
    return true;
  }

  /** Queues a packet before all others of its class that were not queued so. */
  sendFirst(packet: number): void {
    if (this.followsPs >= 0) this.attend();
    this.takeComing();
    const { packets, urgentTail } = this;
    const priority = packets.priority[packet];
    const before = urgentTail[priority];
    packets.next[packet] = before >= 0 ? packets.next[before] : this.head[priority];
    if (before >= 0) packets.next[before] = packet;
    else this.head[priority] = packet;
    if (packets.next[packet] < 0) this.tail[priority] = packet;
    urgentTail[priority] = packet;
    packets.timePs[packet] = this.simulation.now;
    this.count(packet, priority);
    this.serve();
  }

  private append(packet: number): void {
    const { packets } = this;
    const priority = packets.priority[packet];
    packets.next[packet] = -1;
    if (this.tail[priority] >= 0) packets.next[this.tail[priority]] = packet;
    else this.head[priority] = packet;
    this.tail[priority] = packet;
    this.count(packet, priority);
  }

  private count(packet: number, priority: number): void {
    this.waiting |= 1 << priority;
    this.queuedBytes[priority] += this.packets.wireBytes[packet];
  }

  /** Queues the packets that have come meanwhile. */
  private takeComing(): void {
    const { packets } = this;
    const { now } = this.simulation;
    for (let packet = this.comingHead; packet >= 0; packet = this.comingHead) {
      if (packets.timePs[packet] > now) return;
      this.comingHead = packets.next[packet];
      if (this.comingHead < 0) this.comingTail = -1;
      this.append(packet);
    }
  }

  /** The port is free: the next packet that comes needs an event. */
  private awaitComing(): void {
    if (this.comePending) return;
    this.comePending = true;
    this.simulation.after(this.packets.timePs[this.comingHead] - this.simulation.now, this.comeHandler);
  }

  private onCome(): void {
    this.comePending = false;
    this.takeComing();
    this.serve();
    if (!this.kickPending && this.comingHead >= 0) this.awaitComing();
  }

  /** The other end pauses or resumes a class. */
  setPaused(priority: number, paused: boolean): void {
    const bit = 1 << priority;
    const now = this.simulation.now;
    if (((this.pausedMask & bit) !== 0) === paused) {
      throw new KelpieError('PAUSE_UNPAIRED', `${this.name} was ${paused ? 'paused' : 'resumed'} twice`, {
        field: 'priority',
        given: priority,
      });
    }
    if (this.followsPs >= 0) this.attend();
    this.pausedMask ^= bit;
    this.onPause?.(priority, paused);
    if (paused) {
      this.pausedSincePs[priority] = now;
      this.pauses[priority]++;
    } else {
      this.pausedPs[priority] += now - this.pausedSincePs[priority];
      this.takeComing();
      this.serve();
    }
  }

  queuedBytesOf(priority: number): number {
    this.settle();
    this.takeComing();
    return this.queuedBytes[priority];
  }

  override settle(): void {
    if (this.followsPs >= 0 && this.simulation.now >= this.followsPs) this.follow();
  }

  override degrade(...fault: Parameters<CableSide['degrade']>): void {
    if (this.followsPs >= 0) this.attend();
    super.degrade(...fault);
  }

  /** Whether a class is paused now. */
  isPaused(priority: number): boolean {
    return (this.pausedMask & (1 << priority)) !== 0;
  }

  /** Time that a class has been paused, up to now. */
  pausedUntilNowPs(priority: number): number {
    const open = this.isPaused(priority) ? this.simulation.now - this.pausedSincePs[priority] : 0;
    return this.pausedPs[priority] + open;
  }

  private serve(): void {
    const ready = this.waiting & ~this.pausedMask;
    if (ready === 0 || this.kickPending) return;
    const now = this.simulation.now;
    if (this.freePs > now) {
      this.kickPending = true;
      this.simulation.after(this.freePs - now, this.kickHandler);
      return;
    }
    this.transmit(this.choose(ready));
  }

  private transmit(priority: number): void {
    const { packets, sender } = this;
    const now = this.simulation.now;
    const packet = this.dequeue(priority, now);
    if (sender === null) {
      if (this.loses(packets, packet)) packets.drop(packet);
      else this.deliver(packet, this.freePs - now);
      this.serve();
      return;
    }
    this.kickPending = true;
    if (this.waiting === 1 << priority && !sender.awaits(packet) && this.isPlain) {
      this.sendWithNext(packet, priority);
      return;
    }
    this.sending = packet;
    this.simulation.after(this.freePs - now, this.kickHandler);
  }

  /** Takes the first packet of a class out of its queue; it begins to leave at a time. */
  private dequeue(priority: number, startPs: number): number {
    const { packets } = this;
    const packet = this.head[priority];
    this.head[priority] = packets.next[packet];
    if (this.urgentTail[priority] === packet) this.urgentTail[priority] = -1;
    if (this.head[priority] < 0) {
      this.tail[priority] = -1;
      this.waiting &= ~(1 << priority);
      this.shares?.forget(0, priority);
    }
    const bytes = packets.wireBytes[packet];
    this.queuedBytes[priority] -= bytes;
    this.waitedPs += startPs - packets.timePs[packet];
    this.freePs = this.begin(bytes, startPs);
    return packet;
  }

  /** Whether nothing is lost, and nothing is known to come before the packet that leaves now has left. */
  private get isPlain(): boolean {
    const { comingHead } = this;
    return this.isSteady && (comingHead < 0 || this.packets.timePs[comingHead] > this.freePs);
  }

  /** Sends a packet and plans the one behind it: one event for both. */
  private sendWithNext(packet: number, priority: number): void {
    const { packets, simulation, freePs } = this;
    const { now } = simulation;
    const { wireBytes } = packets;
    this.unheardBytes = wireBytes[packet];
    this.followsPs = freePs;
    this.followClass = priority;
    this.deliver(packet, freePs - now);
    const endPs = this.endPs(wireBytes[this.head[priority]], freePs);
    simulation.afterAsOf(freePs - now, endPs - now, this.kickHandler);
    this.kick = simulation.scheduled;
  }

  /** The packet that was planned has begun to leave. */
  private follow(): void {
    const startPs = this.followsPs;
    this.followsPs = -1;
    this.hear();
    this.sending = this.dequeue(this.followClass, startPs);
  }

  /** Something happens that a plan must not miss: the packet has begun to leave, or may yet be another. */
  private attend(): void {
    const { simulation, followsPs } = this;
    if (simulation.now >= followsPs) {
      this.follow();
      return;
    }
    simulation.cancel(this.kick);
    simulation.after(followsPs - simulation.now, this.kickHandler);
    this.followsPs = -1;
  }

  private hear(): void {
    this.sender!.countSent(this.unheardBytes);
    this.unheardBytes = 0;
  }

  private onSent(): void {
    if (this.followsPs >= 0) this.follow();
    else if (this.unheardBytes > 0) this.hear();
    if (this.sending >= 0) {
      const packet = this.sending;
      this.sending = -1;
      const lost = this.loses(this.packets, packet);
      if (!lost) this.deliver(packet, 0);
      this.sender!.onSent(packet);
      if (lost) this.packets.drop(packet);
    }
    this.kickPending = false;
    this.takeComing();
    this.serve();
    if (!this.kickPending && this.comingHead >= 0) this.awaitComing();
  }

  /** The last bit of a packet leaves this much later. */
  private deliver(packet: number, laterPs: number): void {
    const delayPs = laterPs + this.delayPs;
    if (this.passage?.take(packet, this.targetPort, delayPs)) return;
    if (laterPs === 0) this.simulation.after(delayPs, this.targetHandler, packet, this.targetPort);
    else this.simulation.afterAsOf(laterPs, delayPs, this.targetHandler, packet, this.targetPort);
  }

  // Strict classes first, then deficit round robin over the classes that have something and are not paused. One class is
  // the common case.
  private choose(ready: number): number {
    if ((ready & (ready - 1)) === 0) return 31 - Math.clz32(ready);
    this.shares ??= this.newShares();
    const { packets, shares, head } = this;
    const first = shares.strictOf(ready);
    if (first >= 0) return first;
    for (;;) {
      const priority = shares.turn(0, ready);
      if (shares.grants(0, priority, packets.wireBytes[head[priority]])) return priority;
    }
  }

  private newShares(): LaneShares {
    const { weights, strict } = this.options;
    return new LaneShares(
      1,
      Array.from({ length: PRIORITIES }, (_, priority) => weights?.[priority] ?? 1),
      strict ?? [],
    );
  }
}

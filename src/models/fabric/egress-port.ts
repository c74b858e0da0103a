import type { Random, Simulation } from '../../engine/index.js';
import { KelpieError } from '../../error.js';
import type { Changes } from '../resource/changes.js';
import type { FabricPackets } from './fabric-packets.js';
import type { PacketLoss } from './packet-loss.js';

/** Traffic classes of a port; each can be paused by itself. */
export const PRIORITIES = 8;

/** Where the packets of an egress port go. */
export interface EgressTarget {
  /** The number of the arrival handler, called with (packet, `port`). */
  handler: number;
  port: number;
}

/** Who sends by an egress port. */
export interface PacketSender {
  /** The last bit of a packet has left the port. */
  onSent(packet: number): void;
}

/** How an egress port chooses between its classes. */
export interface EgressOptions {
  name: string;
  gbps: number;
  /** Propagation and the receiver's fixed latency, added to each packet. */
  delayPs: number;
  target: EgressTarget;
  /** Hears when the last bit of a packet has left; null where nobody needs to know. */
  sender: PacketSender | null;
  /** Weights of the classes for deficit round robin; default: equal. */
  weights?: readonly number[];
  /** Classes that go before all others, the highest first (strict priority, 802.1Qaz); default: none. */
  strict?: readonly number[];
}

/**
 * The sending side of a link: a queue per class, served by deficit round robin, each class held while the other end has
 * paused it (802.1Qbb). A packet that finds the link idle is sent at once; else one event per packet keeps it busy.
 */
export class EgressPort {
  readonly name: string;
  /** Called when the other end pauses or resumes a class; null where nobody watches. */
  onPause: ((priority: number, paused: boolean) => void) | null = null;
  /** Bytes queued a class. */
  readonly queuedBytes = new Float64Array(PRIORITIES);
  /** Bytes and packets sent. */
  sentBytes = 0;
  sentPackets = 0;
  /** When a class was paused last, and for how long in all. */
  readonly pausedPs = new Float64Array(PRIORITIES);
  readonly pauses = new Float64Array(PRIORITIES);
  private readonly simulation: Simulation;
  private readonly packets: FabricPackets;
  /** Time that it sent, and time that packets waited here for others, summed. */
  busyPs = 0;
  waitedPs = 0;
  /** Packets that a fault of the cable lost. */
  lost = 0;
  /** What may change at the cable while a run goes on; null: nothing does. */
  changes: Changes | null = null;
  private psPerByte: number;
  private delayPs: number;
  private loss = 0;
  private losses: readonly PacketLoss[] = [];
  private random: Random | null = null;
  private readonly options: EgressOptions;
  private readonly sender: PacketSender | null;
  private readonly targetHandler: number;
  private readonly targetPort: number;
  private readonly kickHandler: number;
  private readonly head = new Int32Array(PRIORITIES).fill(-1);
  private readonly tail = new Int32Array(PRIORITIES).fill(-1);
  /** The last of the packets at the head that went before others; -1 where none waits. */
  private readonly urgentTail = new Int32Array(PRIORITIES).fill(-1);
  private readonly pausedSincePs = new Float64Array(PRIORITIES);
  private readonly deficit = new Float64Array(PRIORITIES);
  private readonly quantum = new Float64Array(PRIORITIES);
  private readonly strict: readonly number[];
  private waiting = 0;
  private pausedMask = 0;
  private turn = 0;
  private freePs = 0;
  private kickPending = false;
  private sending = -1;

  constructor(simulation: Simulation, packets: FabricPackets, options: EgressOptions) {
    this.simulation = simulation;
    this.packets = packets;
    this.options = options;
    this.sender = options.sender;
    this.targetHandler = options.target.handler;
    this.targetPort = options.target.port;
    this.name = options.name;
    this.psPerByte = 8000 / options.gbps;
    this.delayPs = options.delayPs;
    this.quantum.fill(4096);
    this.strict = options.strict ?? [];
    options.weights?.forEach((weight, priority) => {
      this.quantum[priority] = 4096 * weight;
    });
    this.kickHandler = simulation.register(`${options.name}/sent`, () => this.onSent());
  }

  /** The rate with the faults that are there now. */
  get gbps(): number {
    return 8000 / this.psPerByte;
  }

  /**
   * Faults leave a share of the rate, add to the delay, and lose packets: all with one probability, and some as processes
   * of their own decide.
   */
  degrade(
    rateShare: number,
    addedDelayPs: number,
    loss: number,
    random: () => Random,
    losses: readonly PacketLoss[] = [],
  ): void {
    this.losses = losses;
    this.psPerByte = 8000 / (this.options.gbps * rateShare);
    this.delayPs = this.options.delayPs + addedDelayPs;
    this.loss = loss;
    if (loss > 0) this.random ??= random();
  }

  /** Queues a packet. */
  send(packet: number): void {
    const { packets } = this;
    const priority = packets.priority[packet];
    packets.next[packet] = -1;
    if (this.tail[priority] >= 0) packets.next[this.tail[priority]] = packet;
    else this.head[priority] = packet;
    this.tail[priority] = packet;
    this.queued(packet, priority);
  }

  /** Queues a packet before all others of its class that were not queued so. */
  sendFirst(packet: number): void {
    const { packets, urgentTail } = this;
    const priority = packets.priority[packet];
    const before = urgentTail[priority];
    packets.next[packet] = before >= 0 ? packets.next[before] : this.head[priority];
    if (before >= 0) packets.next[before] = packet;
    else this.head[priority] = packet;
    if (packets.next[packet] < 0) this.tail[priority] = packet;
    urgentTail[priority] = packet;
    this.queued(packet, priority);
  }

  private queued(packet: number, priority: number): void {
    this.waiting |= 1 << priority;
    this.queuedBytes[priority] += this.packets.wireBytes[packet];
    this.packets.timePs[packet] = this.simulation.now;
    this.serve();
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
    this.pausedMask ^= bit;
    this.onPause?.(priority, paused);
    if (paused) {
      this.pausedSincePs[priority] = now;
      this.pauses[priority]++;
    } else {
      this.pausedPs[priority] += now - this.pausedSincePs[priority];
      this.serve();
    }
  }

  /** Bytes queued in all classes. */
  get allQueuedBytes(): number {
    let sum = 0;
    for (let priority = 0; priority < PRIORITIES; priority++) sum += this.queuedBytes[priority];
    return sum;
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
    const { packets } = this;
    const packet = this.head[priority];
    this.head[priority] = packets.next[packet];
    if (this.urgentTail[priority] === packet) this.urgentTail[priority] = -1;
    if (this.head[priority] < 0) {
      this.tail[priority] = -1;
      this.waiting &= ~(1 << priority);
      this.deficit[priority] = 0;
    }
    const bytes = packets.wireBytes[packet];
    const now = this.simulation.now;
    if (this.changes !== null && now >= this.changes.nextPs) this.changes.advance(now);
    this.queuedBytes[priority] -= bytes;
    this.waitedPs += now - packets.timePs[packet];
    this.sentBytes += bytes;
    this.sentPackets++;
    const servicePs = (bytes + 20) * this.psPerByte;
    this.busyPs += servicePs;
    // 20 bytes of preamble and gap occupy the wire and are not part of the frame.
    this.freePs = Math.round(now + servicePs);
    if (this.sender !== null) {
      this.sending = packet;
      this.kickPending = true;
      this.simulation.after(this.freePs - now, this.kickHandler);
    } else {
      if (this.loses(packet)) this.packets.drop(packet);
      else this.deliver(packet, this.freePs - now);
      this.serve();
    }
  }

  private onSent(): void {
    this.kickPending = false;
    if (this.sending >= 0) {
      const packet = this.sending;
      this.sending = -1;
      const lost = this.loses(packet);
      if (!lost) this.deliver(packet, 0);
      this.sender!.onSent(packet);
      if (lost) this.packets.drop(packet);
    }
    this.serve();
  }

  /** The last bit of a packet leaves so much later. */
  private deliver(packet: number, laterPs: number): void {
    this.simulation.after(laterPs + this.delayPs, this.targetHandler, packet, this.targetPort);
  }

  /** Whether the cable loses the packet. */
  private loses(packet: number): boolean {
    let lost = this.loss > 0 && this.random!.nextFloat() < this.loss;
    if (this.losses.length > 0) {
      const { opcode, syndrome } = this.packets;
      for (const each of this.losses) if (each.loses(opcode[packet], syndrome[packet])) lost = true;
    }
    if (lost) this.lost++;
    return lost;
  }

  // Strict classes first, then deficit round robin over the classes that have something and are not paused. One class is the
  // common case.
  private choose(ready: number): number {
    if ((ready & (ready - 1)) === 0) return 31 - Math.clz32(ready);
    const { packets, strict } = this;
    for (let place = 0; place < strict.length; place++)
      if ((ready & (1 << strict[place])) !== 0) return strict[place];
    for (;;) {
      const priority = this.turn;
      if ((ready & (1 << priority)) !== 0) {
        const bytes = packets.wireBytes[this.head[priority]];
        if (this.deficit[priority] >= bytes) {
          this.deficit[priority] -= bytes;
          return priority;
        }
        this.deficit[priority] += this.quantum[priority];
      }
      this.turn = (this.turn + 1) % PRIORITIES;
    }
  }
}

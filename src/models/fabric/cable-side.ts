import type { Random } from '../../engine/index.js';
import type { Changes } from '../resource/changes.js';
import type { FabricPackets } from './fabric-packets.js';
import type { PacketLoss } from './packet-loss.js';

/** Traffic classes of a port; each can be paused by itself. */
export const PRIORITIES = 8;

/** Preamble and gap: they occupy the wire and are not part of the frame. */
const GAP_BYTES = 20;

/** Where the packets of a cable go. */
export interface EgressTarget {
  /** The number of the arrival handler, called with (packet, `port`). */
  handler: number;
  port: number;
}

/** One direction of a cable. */
export interface CableOptions {
  name: string;
  gbps: number;
  /** Propagation and the receiver's fixed latency, added to each packet. */
  delayPs: number;
  target: EgressTarget;
}

/** The sending side of a cable: how long frames take, which of them are lost, and what it has carried. */
export abstract class CableSide {
  readonly name: string;
  /** Bytes and packets sent. */
  sentBytes = 0;
  sentPackets = 0;
  /** Time that it sent, and time that packets waited here for others, summed. */
  busyPs = 0;
  waitedPs = 0;
  /** Packets that a fault of the cable lost. */
  lost = 0;
  /** What may change at the cable while a run goes on; null: nothing does. */
  changes: Changes | null = null;
  delayPs: number;
  readonly targetHandler: number;
  readonly targetPort: number;
  private psPerByte: number;
  private loss = 0;
  private losses: readonly PacketLoss[] = [];
  private random: Random | null = null;
  private readonly cable: CableOptions;

  constructor(cable: CableOptions) {
    this.cable = cable;
    this.name = cable.name;
    this.psPerByte = 8000 / cable.gbps;
    this.delayPs = cable.delayPs;
    this.targetHandler = cable.target.handler;
    this.targetPort = cable.target.port;
  }

  /** Bytes of a class that wait here. */
  abstract queuedBytesOf(priority: number): number;
  /** Whether the other end holds a class now. */
  abstract isPaused(priority: number): boolean;

  /** The rate with the faults that are there now. */
  get gbps(): number {
    return 8000 / this.psPerByte;
  }

  /** Bytes queued in all classes. */
  get allQueuedBytes(): number {
    let sum = 0;
    for (let priority = 0; priority < PRIORITIES; priority++) sum += this.queuedBytesOf(priority);
    return sum;
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
    this.psPerByte = 8000 / (this.cable.gbps * rateShare);
    this.delayPs = this.cable.delayPs + addedDelayPs;
    this.loss = loss;
    if (loss > 0) this.random ??= random();
  }

  /** A frame begins to leave. Returns when its last bit is out. */
  begin(bytes: number, nowPs: number): number {
    if (this.changes !== null && nowPs >= this.changes.nextPs) this.changes.advance(nowPs);
    this.sentBytes += bytes;
    this.sentPackets++;
    this.busyPs += (bytes + GAP_BYTES) * this.psPerByte;
    return this.endPs(bytes, nowPs);
  }

  /** When the last bit of a frame is out that begins to leave at a time. */
  endPs(bytes: number, startPs: number): number {
    return Math.round(startPs + (bytes + GAP_BYTES) * this.psPerByte);
  }

  /** How long this many bytes take without what is between frames. */
  transferPs(bytes: number): number {
    return bytes * this.psPerByte;
  }

  /** Whether nothing is lost, and nothing changes without a call. */
  get isSteady(): boolean {
    return this.changes === null && this.loss === 0 && this.losses.length === 0;
  }

  /** Brings what it has carried up to now. */
  settle(): void {}

  /** Whether the cable loses the packet. */
  loses(packets: FabricPackets, packet: number): boolean {
    let lost = this.loss > 0 && this.random!.nextFloat() < this.loss;
    if (this.losses.length > 0) {
      const { opcode, syndrome } = packets;
      for (const each of this.losses) if (each.loses(opcode[packet], syndrome[packet])) lost = true;
    }
    if (lost) this.lost++;
    return lost;
  }
}

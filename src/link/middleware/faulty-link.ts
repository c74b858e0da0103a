import { read24 } from '../../wire/bytes/bytes.js';
import { DatagramBatch } from '../datagram-batch.js';
import type { Link } from '../link.js';
import { Fate, type FaultPlan } from './fault-plan.js';
import { type Direction, LinkAround, type LinkMiddleware } from './middleware.js';

/** Calls `task` after this many nanoseconds; the middleware's only sense of time. */
export type Schedule = (delayNs: number, task: () => void) => void;

const DEST_QP = 5;
const PSN = 9;
/** Where an AETH would begin, behind the BTH. */
const SYNDROME = 12;
const CONGESTION_EXPERIENCED = 3;
/** A batch holds twice what it gets, since packets can be doubled, and what was held back. */
const CAPACITY = 1024;
const BATCH_BYTES = 1 << 22;

/**
 * A link that loses, doubles, reorders, corrupts, delays and marks datagrams as a plan says.
 *
 * @example
 * const middleware = faults(new FaultPlan({ rates: { loss: 0.01 }, seed: 3 }), schedule);
 */
export function faults(plan: FaultPlan, schedule: Schedule): LinkMiddleware {
  return (inner) => new FaultyLink(inner, plan, schedule);
}

/** One direction: what left the plan and was not taken by the other side yet, and what is held back. */
class Lane {
  readonly direction: Direction;
  readonly out = new DatagramBatch(CAPACITY, new Uint8Array(BATCH_BYTES));
  /** The datagrams that wait for the next one to pass, one batch each. */
  held: DatagramBatch[] = [];

  constructor(direction: Direction) {
    this.direction = direction;
  }
}

class FaultyLink extends LinkAround {
  private readonly plan: FaultPlan;
  private readonly schedule: Schedule;
  private readonly sending = new Lane('sent');
  private readonly receiving = new Lane('received');
  /** How far `sending.out` was taken. */
  private flushed = 0;
  private closed = false;

  constructor(inner: Link, plan: FaultPlan, schedule: Schedule) {
    super(inner);
    this.plan = plan;
    this.schedule = schedule;
  }

  override send(batch: DatagramBatch, from: number): number {
    if (!this.flush()) return from;
    const taken = this.pass(this.sending, batch, from);
    this.flush();
    return taken;
  }

  override received(batch: DatagramBatch): void {
    const { out } = this.receiving;
    for (let at = 0; at < batch.count; ) {
      out.clear();
      const next = this.pass(this.receiving, batch, at);
      if (out.count > 0) this.listener?.received(out);
      // A datagram that is larger than the batch could not have come.
      if (next === at) break;
      at = next;
    }
    out.clear();
  }

  override writable(): void {
    if (this.flush()) this.listener?.writable();
  }

  override counters(): Readonly<Record<string, number>> {
    const { struck } = this.plan;
    return {
      ...this.inner.counters(),
      fault_dropped: struck.drop,
      fault_duplicated: struck.duplicate,
      fault_reordered: struck.reorder,
      fault_corrupted: struck.corrupt,
      fault_delayed: struck.delay,
      fault_marked: struck.mark,
    };
  }

  override close(): Promise<void> {
    this.closed = true;
    return super.close();
  }

  /** Hands over what waits; true where nothing does any more. */
  private flush(): boolean {
    const { out } = this.sending;
    if (out.count === 0) return true;
    this.flushed = this.inner.send(out, this.flushed);
    if (this.flushed < out.count) return false;
    out.clear();
    this.flushed = 0;
    return true;
  }

  /** Moves datagrams from `from` on into the lane's batch, by their fates; returns the first that found no room. */
  private pass(lane: Lane, batch: DatagramBatch, from: number): number {
    const { out } = lane;
    for (let index = from; index < batch.count; index++) {
      const bytes = batch.end[index] - batch.offset[index];
      // Twice for a duplicate, and what was held may follow.
      const releases = lane.held.reduce((sum, held) => sum + held.end[0], 0);
      if (out.count + 2 + lane.held.length > out.capacity || !out.hasRoom(2 * bytes + releases)) return index;
      const at = batch.offset[index];
      const fate = this.plan.decide(
        lane.direction,
        batch.bytes[at],
        read24(batch.bytes, at + DEST_QP),
        read24(batch.bytes, at + PSN),
        batch.bytes[at + SYNDROME],
      );
      if (fate === 0) {
        out.append(batch, index);
        this.release(lane);
      } else {
        this.strike(lane, batch, index, fate);
      }
    }
    return batch.count;
  }

  private strike(lane: Lane, batch: DatagramBatch, index: number, fate: number): void {
    if ((fate & Fate.DROP) !== 0) return;
    const bytes = batch.end[index] - batch.offset[index];
    const copy = new DatagramBatch(2, new Uint8Array(2 * bytes));
    copy.append(batch, index);
    if ((fate & Fate.CORRUPT) !== 0) copy.bytes[this.plan.corruptionAt(bytes)] ^= 0x5a;
    if ((fate & Fate.MARK) !== 0) copy.trafficClass[0] |= CONGESTION_EXPERIENCED;
    if ((fate & Fate.DUPLICATE) !== 0) copy.append(copy, 0);
    if ((fate & Fate.DELAY) !== 0) {
      this.schedule(this.plan.holdNs, () => this.deliver(lane, copy));
    } else if ((fate & Fate.REORDER) !== 0) {
      lane.held.push(copy);
      this.schedule(this.plan.holdNs, () => {
        const place = lane.held.indexOf(copy);
        if (place < 0) return;
        lane.held.splice(place, 1);
        this.deliver(lane, copy);
      });
    } else {
      for (let each = 0; each < copy.count; each++) lane.out.append(copy, each);
      this.release(lane);
    }
  }

  /** What was held back follows the datagram that passed it. */
  private release(lane: Lane): void {
    if (lane.held.length === 0) return;
    const { held } = lane;
    lane.held = [];
    for (const batch of held) for (let each = 0; each < batch.count; each++) lane.out.append(batch, each);
  }

  /** A held datagram goes on by itself. */
  private deliver(lane: Lane, copy: DatagramBatch): void {
    if (this.closed) return;
    if (lane.direction === 'received') {
      this.listener?.received(copy);
      return;
    }
    // A full link loses it, as a network with full queues would.
    if (this.flush()) this.inner.send(copy, 0);
  }
}

import type { AddressHandle, QueuePair, WcStatus } from '../../verbs/index.js';
import type { Delivered, MessagePlan } from '../description/message-plan.js';
import type { LatencyLog } from '../measure/latency-log.js';
import type { RegionCursor, RegionSet } from './regions.js';
import { SEQUENCE_MASK } from './wr-id.js';

/** What a sender is made of. */
export interface SenderParts {
  qp: QueuePair;
  /** Position among the senders of its worker. */
  index: number;
  plan: MessagePlan;
  local: RegionSet;
  remote: RegionSet;
  cursor: RegionCursor;
  /** Delivered towards the peer, and back from it. */
  forward: Delivered;
  reverse: Delivered;
  latency: LatencyLog;
  failures: Map<WcStatus, number>;
  /** Sends that may be in flight. */
  outstanding: number;
  /** Messages in all; Infinity for no end. */
  iterations: number;
  /** Messages that may be posted before an answer comes; Infinity for a stream. */
  due: number;
  /** Whether latency is post to completion; else the answer's arrival tells. */
  timesCompletions: boolean;
  /** UD: the way to the peer. */
  target: { ah: AddressHandle; qpn: number } | null;
}

/** One queue pair's sending side: credits, its place in the message plan, and what has come back. */
export class Sender {
  readonly qp: QueuePair;
  readonly index: number;
  readonly plan: MessagePlan;
  readonly local: RegionSet;
  readonly remote: RegionSet;
  readonly cursor: RegionCursor;
  readonly target: SenderParts['target'];
  /** Position in the plan of the next message to post. */
  position = 0;
  /** Messages posted so far. */
  posted = 0;
  inFlight = 0;
  /** Messages that may be posted before an answer comes. */
  due: number;
  /** Bytes of the very first message if it began in its middle, else -1. */
  firstBytes = -1;
  /** Sends since the last one that asked for a completion. */
  unsignalled = 0;
  /** When the last single message was posted: a ping. */
  postedAtNs = 0;
  /** In the worker's ring of senders that may post. */
  queued = false;
  /** Not before its start, nor after its stop or a failure. */
  active = false;
  failed = false;
  /** When something last completed. */
  lastCompletionNs = 0;
  /** Time so far with nothing in flight. */
  private idleNs = 0;
  private idleSinceNs = -1;
  private completedPosition = 0;
  private completed = 0;
  private firstPosition = 0;
  private sampleSequence = -1;
  private sampleAtNs = 0;
  private readonly outstanding: number;
  private readonly iterations: number;
  private readonly answersOnly: boolean;
  private readonly timesCompletions: boolean;
  private readonly forward: Delivered;
  private readonly reverse: Delivered;
  private readonly latency: LatencyLog;
  private readonly failures: Map<WcStatus, number>;

  constructor(parts: SenderParts) {
    this.qp = parts.qp;
    this.index = parts.index;
    this.plan = parts.plan;
    this.local = parts.local;
    this.remote = parts.remote;
    this.cursor = parts.cursor;
    this.target = parts.target;
    this.due = parts.due;
    this.outstanding = parts.outstanding;
    this.answersOnly = parts.due === 0;
    // A queue pair that only answers goes on for as long as it is asked.
    this.iterations = this.answersOnly ? Number.POSITIVE_INFINITY : parts.iterations;
    this.timesCompletions = parts.timesCompletions;
    this.forward = parts.forward;
    this.reverse = parts.reverse;
    this.latency = parts.latency;
    this.failures = parts.failures;
  }

  /** Begins somewhere in the plan, perhaps in the middle of a message. */
  startAt(position: number, firstBytes: number): void {
    this.position = position;
    this.completedPosition = position;
    this.firstPosition = position;
    this.firstBytes = firstBytes === this.plan.bytes[position] ? -1 : firstBytes;
  }

  /** All its messages are posted, completed and, in a ping-pong, answered; one that only answers is always done. */
  get finished(): boolean {
    if (this.failed || this.answersOnly) return true;
    return this.posted >= this.iterations && this.inFlight === 0 && this.due > 0;
  }

  /** How many of up to `wanted` messages may be posted now: all of them, or those that are left at the very end. */
  allowance(wanted: number): number {
    if (!this.active) return 0;
    const left = Math.min(this.iterations - this.posted, this.due);
    const count = Math.min(wanted, left);
    return this.inFlight + count <= this.outstanding ? count : 0;
  }

  /** `count` messages were just posted, the last of which has this sequence number. */
  notePosted(count: number, lastSignalled: boolean, nowNs: number): void {
    if (this.idleSinceNs >= 0) {
      this.idleNs += nowNs - this.idleSinceNs;
      this.idleSinceNs = -1;
    }
    this.posted += count;
    this.inFlight += count;
    this.due -= count;
    this.postedAtNs = nowNs;
    // One sample at a time: the next begins when the last came back.
    if (this.sampleSequence < 0 && lastSignalled && this.timesCompletions) {
      this.sampleSequence = this.posted - 1;
      this.sampleAtNs = nowNs;
    }
  }

  /** A send and all before it completed. */
  noteCompleted(sequenceLow: number, nowNs: number): void {
    const count = ((sequenceLow - this.completed) & SEQUENCE_MASK) + 1;
    this.plan.addRange(this.completedPosition, count, this.forward, this.reverse);
    if (this.completed === 0 && this.firstBytes >= 0)
      this.plan.subtractUnsent(this.firstPosition, this.firstBytes, this.forward, this.reverse);
    this.completed += count;
    this.completedPosition = (this.completedPosition + count) % this.plan.length;
    this.inFlight -= count;
    this.lastCompletionNs = nowNs;
    if (this.sampleSequence >= 0 && this.completed > this.sampleSequence) {
      this.latency.record(nowNs, nowNs - this.sampleAtNs);
      this.sampleSequence = -1;
    }
    if (this.inFlight === 0) this.idleSinceNs = nowNs;
  }

  /** A send failed: its queue pair is in ERR and sends no more. */
  noteFailed(status: WcStatus): void {
    this.failures.set(status, (this.failures.get(status) ?? 0) + 1);
    this.failed = true;
    this.active = false;
  }

  /** Time with nothing in flight so far, a present idle time included. */
  idleUntil(nowNs: number): number {
    return this.idleNs + (this.idleSinceNs >= 0 ? nowNs - this.idleSinceNs : 0);
  }
}

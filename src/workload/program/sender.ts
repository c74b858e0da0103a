import type { DatagramTarget, QueuePair, WcStatus } from '../../verbs/index.js';
import type { Delivered, MessagePlan } from '../description/message-plan.js';
import type { LatencyLog } from '../measure/latency-log.js';
import type { RegionCursor, RegionSet } from './regions.js';
import { SEQUENCE_MASK } from './wr-id.js';

/** Requests of a queue pair that are followed at a time; with more in flight every n-th is. */
const FOLLOWED = 16;

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
  /** Sends that may be in flight, and every how many of them one asks for a completion. */
  outstanding: number;
  signalEvery: number;
  /** Messages in all; Infinity for no end. */
  iterations: number;
  /** Messages that may be posted before an answer comes; Infinity for a stream. */
  due: number;
  /** Whether latency is post to completion; else the answer's arrival tells. */
  timesCompletions: boolean;
  /** UD: the way to the peer. */
  target: Required<DatagramTarget> | null;
  /** Where it notes the requests that it follows: {@link followedPlaces} rows of this table, from one on. */
  followed: FollowedTable;
  followedFrom: number;
}

/** The requests that senders follow: their numbers, and when they were posted. One for many senders. */
export class FollowedTable {
  readonly sequences: Float64Array;
  readonly sinceNs: Float64Array;

  constructor(rows: number) {
    this.sequences = new Float64Array(rows);
    this.sinceNs = new Float64Array(rows);
  }
}

/** Requests that one sender follows at a time; with more in flight every n-th is. */
export function followedPlaces(outstanding: number, signalEvery: number): number {
  return Math.min(FOLLOWED, signalledAtOnce(outstanding, signalEvery));
}

/** Requests in flight that ask for a completion. */
function signalledAtOnce(outstanding: number, signalEvery: number): number {
  return Math.max(1, Math.floor(outstanding / signalEvery));
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
  /** The followed requests in flight, oldest first: a ring of this many rows of the table. */
  private readonly table: FollowedTable;
  private readonly tableFrom: number;
  private readonly places: number;
  private firstFollowed = 0;
  private followed = 0;
  private readonly followEvery: number;
  /** When the last message was posted: a ping. */
  private pingedNs = 0;
  private readonly pings: boolean;
  private untilFollowed = 1;
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
    this.followEvery = Math.ceil(signalledAtOnce(parts.outstanding, parts.signalEvery) / FOLLOWED);
    this.table = parts.followed;
    this.tableFrom = parts.followedFrom;
    this.places = parts.timesCompletions ? followedPlaces(parts.outstanding, parts.signalEvery) : 0;
    this.answersOnly = parts.due === 0;
    // A queue pair that only answers goes on for as long as it is asked.
    this.iterations = this.answersOnly ? Number.POSITIVE_INFINITY : parts.iterations;
    this.timesCompletions = parts.timesCompletions;
    this.pings = !parts.timesCompletions && !this.answersOnly;
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

  /** Bytes of the message at its position, the one of this number: the very first may have begun in its middle. */
  bytesAt(sequence: number): number {
    return sequence === 0 && this.firstBytes >= 0 ? this.firstBytes : this.plan.bytes[this.position];
  }

  /** All its messages are posted, completed and, in a ping-pong, answered; one that only answers is always done. */
  get finished(): boolean {
    if (this.failed || this.answersOnly) return true;
    return this.posted >= this.iterations && this.inFlight === 0 && this.due > 0;
  }

  /** The part of its messages that have completed; 1 where it has no end or only answers. */
  get doneShare(): number {
    if (this.failed || this.iterations === Number.POSITIVE_INFINITY) return 1;
    return Math.min(1, (this.posted - this.inFlight) / this.iterations);
  }

  /** How many of up to `wanted` messages may be posted now: all of them, or those that are left at the very end. */
  allowance(wanted: number): number {
    if (!this.active) return 0;
    const left = Math.min(this.iterations - this.posted, this.due);
    const count = Math.min(wanted, left);
    return this.inFlight + count <= this.outstanding ? count : 0;
  }

  /** The message of this number is being posted, and asks for a completion. */
  noteSignalled(sequence: number, postedNs: number): void {
    if (!this.timesCompletions) return;
    this.latency.open(postedNs);
    // Chosen by number and never by whether another is still in flight: slow requests are not passed over.
    if (--this.untilFollowed > 0) return;
    this.untilFollowed = this.followEvery;
    const { table, places } = this;
    if (this.followed === places) return;
    const row = this.tableFrom + ((this.firstFollowed + this.followed++) % places);
    table.sequences[row] = sequence;
    table.sinceNs[row] = postedNs;
  }

  /** `count` messages were just posted. `postedNs` is the time of the core that did so, `nowNs` that of its step. */
  notePosted(count: number, postedNs: number, nowNs: number): void {
    if (this.idleSinceNs >= 0) {
      this.idleNs += nowNs - this.idleSinceNs;
      this.idleSinceNs = -1;
    }
    this.posted += count;
    this.inFlight += count;
    this.due -= count;
    this.pingedNs = postedNs;
    if (this.pings) this.latency.open(postedNs);
  }

  /** A send and all before it completed; `seenNs` is the time of the core that polled it. */
  noteCompleted(sequenceLow: number, seenNs: number, nowNs: number): void {
    const count = ((sequenceLow - this.completed) & SEQUENCE_MASK) + 1;
    this.plan.addRange(this.completedPosition, count, this.forward, this.reverse);
    if (this.completed === 0 && this.firstBytes >= 0)
      this.plan.subtractUnsent(this.firstPosition, this.firstBytes, this.forward, this.reverse);
    this.completed += count;
    this.completedPosition = (this.completedPosition + count) % this.plan.length;
    this.inFlight -= count;
    this.lastCompletionNs = nowNs;
    if (this.timesCompletions) this.noteSeen(seenNs);
    if (this.inFlight === 0) this.idleSinceNs = nowNs;
  }

  /** The answer to a ping arrived. */
  noteAnswered(seenNs: number): void {
    this.latency.close(seenNs);
    this.latency.record(this.pingedNs, seenNs - this.pingedNs);
  }

  /** When the followed requests in flight were posted; those of a queue pair that failed come to no end. */
  followedSince(): number[] {
    const since: number[] = [];
    if (this.failed) return since;
    if (this.pings && this.due <= 0) since.push(this.pingedNs);
    for (let index = 0; index < this.followed; index++) since.push(this.followedAt(index));
    return since;
  }

  /** Whether one of them was posted in that time: asked of every sender after each slice. */
  followsOneOf(fromNs: number, toNs: number): boolean {
    if (this.failed) return false;
    if (this.pings && this.due <= 0 && this.pingedNs >= fromNs && this.pingedNs <= toNs) return true;
    for (let index = 0; index < this.followed; index++) {
      const sinceNs = this.followedAt(index);
      if (sinceNs >= fromNs && sinceNs <= toNs) return true;
    }
    return false;
  }

  private followedAt(index: number): number {
    return this.table.sinceNs[this.tableFrom + ((this.firstFollowed + index) % this.places)];
  }

  private noteSeen(seenNs: number): void {
    this.latency.close(seenNs);
    const { table, tableFrom, places } = this;
    while (this.followed > 0 && table.sequences[tableFrom + this.firstFollowed] < this.completed) {
      const postedNs = table.sinceNs[tableFrom + this.firstFollowed];
      this.latency.record(postedNs, seenNs - postedNs);
      this.firstFollowed = (this.firstFollowed + 1) % places;
      this.followed--;
    }
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

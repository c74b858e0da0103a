import {
  type Clock,
  type CompletionChannel,
  type CompletionQueue,
  emptyWorkCompletion,
  type Thread,
  type WorkCompletion,
} from '../../verbs/index.js';
import type { Tenant } from '../description/description.js';
import type { Place } from './places.js';
import type { RequestWriter } from './request-writer.js';
import type { ReceiveRequests, Receiver } from './receiver.js';
import type { Sender } from './sender.js';
import { ownerOf, sequenceOf } from './wr-id.js';

/** Completions taken from a queue at a time; more wait for the next step, as in any program that polls. */
const POLL_SLOTS = 32;
/** With more queues than this a thread waits on their channel instead of polling each in vain. */
const POLLED_QUEUES = 4;

/** How late a paced post may be and still be made up for: the depth of the token bucket, as time. */
const BURST_NS = 2000;

/** What the workers of a tenant fill in turn: nothing of it is kept from one call to the next. */
export interface WorkerScratch {
  readonly poster: RequestWriter;
  readonly receives: ReceiveRequests;
  readonly completions: WorkCompletion[];
}

/** Room for the completions that a look takes. */
export function completionSlots(): WorkCompletion[] {
  return Array.from({ length: POLL_SLOTS }, emptyWorkCompletion);
}

/** What a worker is made of. */
export interface WorkerParts {
  place: Place;
  thread: Thread;
  clock: Clock;
  tenant: Tenant;
  scratch: WorkerScratch;
  queues: readonly CompletionQueue[];
  /** Where its queues raise events; null to poll them all. */
  channel: CompletionChannel | null;
}

/** One posting thread of a tenant on a host: polls its completion queues, posts receives again, keeps send queues full. */
export class Worker {
  readonly place: Place;
  readonly thread: Thread;
  readonly senders: Sender[] = [];
  readonly receivers: Receiver[] = [];
  private readonly clock: Clock;
  private readonly batch: number;
  private readonly poster: RequestWriter;
  private readonly receives: ReceiveRequests;
  private readonly queues: readonly CompletionQueue[];
  private readonly channel: CompletionChannel | null;
  private readonly slots: WorkCompletion[];
  /** Queues of the channel that had more than one look's worth. */
  private leftOver: CompletionQueue[] = [];
  private leftOverNext: CompletionQueue[] = [];
  /** Senders that may post, in turn. */
  private ring: Int32Array = new Int32Array(0);
  private ringHead = 0;
  private ringCount = 0;
  /** Pacing: nanoseconds that a message and a byte cost, zero without a limit. */
  private messageNs = 0;
  private byteNs = 0;
  private nextPostNs = 0;
  /** The wake-up that was last asked for. */
  private wakeNs = -1;

  constructor(parts: WorkerParts) {
    this.place = parts.place;
    this.thread = parts.thread;
    this.clock = parts.clock;
    this.batch = parts.tenant.batch;
    this.poster = parts.scratch.poster;
    this.receives = parts.scratch.receives;
    this.slots = parts.scratch.completions;
    this.queues = parts.queues;
    this.channel = parts.channel;
  }

  /** Whether a worker with this many queues needs a channel. */
  static needsChannel(queues: number): boolean {
    return queues > POLLED_QUEUES;
  }

  /** Keeps this worker to its share of a rate. */
  pace(messageNs: number, byteNs: number): void {
    this.messageNs = messageNs;
    this.byteNs = byteNs;
  }

  /** The rate limit keeps it from posting all it could. */
  get paced(): boolean {
    return this.messageNs > 0 || this.byteNs > 0;
  }

  /** Starts the thread. Senders are begun one by one afterwards. */
  run(): void {
    this.ring = new Int32Array(this.senders.length);
    for (const cq of this.queues) {
      if (this.channel !== null) cq.reqNotify();
      this.thread.watch(cq);
    }
    this.thread.run(() => this.step());
  }

  /**
   * Fills a sender's queue from outside any step, hence at no processor's cost: the run is to begin as though it had
   * been going on. The first post is as long as the rest of a batch may be.
   */
  begin(sender: Sender, firstCount: number): void {
    sender.active = true;
    const nowNs = this.clock.nowNs;
    if (this.paced) {
      this.nextPostNs = Math.max(this.nextPostNs, nowNs);
      this.enqueue(sender);
      this.wakeOnceAt(this.nextPostNs, nowNs);
      return;
    }
    let wanted = firstCount;
    for (let count = sender.allowance(wanted); count > 0; count = sender.allowance(wanted)) {
      this.post(sender, count, nowNs);
      wanted = this.batch;
    }
  }

  /** Posts one batch of receives. */
  postReceives(receiver: Receiver): void {
    receiver.post(this.receives);
  }

  private step(): void {
    const nowNs = this.clock.nowNs;
    const more = this.channel === null ? this.pollAll(nowNs) : this.pollReady(this.channel, nowNs);
    // Who posts on while arrivals wait, or posts a whole queue before it looks again, leaves its peer without receives.
    const receives = this.receivers.length > 0;
    const left =
      more && receives ? 0 : this.postReady(nowNs, receives ? POLL_SLOTS : Number.POSITIVE_INFINITY);
    if (more || left > 0) this.thread.wakeAtNs(nowNs);
  }

  private pollAll(nowNs: number): boolean {
    let more = false;
    for (const cq of this.queues) if (this.poll(cq, nowNs)) more = true;
    return more;
  }

  private pollReady(channel: CompletionChannel, nowNs: number): boolean {
    const waiting = this.leftOver;
    this.leftOver = this.leftOverNext;
    for (const cq of waiting) if (this.poll(cq, nowNs)) this.leftOver.push(cq);
    waiting.length = 0;
    this.leftOverNext = waiting;
    for (let cq = channel.tryGetCqEvent(); cq !== null; cq = channel.tryGetCqEvent()) {
      // Armed before the look, so that nothing slips in between.
      cq.reqNotify();
      if (this.poll(cq, nowNs)) this.leftOver.push(cq);
    }
    return this.leftOver.length > 0;
  }

  /** Takes what there is, up to the slots; says whether there may be more. */
  private poll(cq: CompletionQueue, nowNs: number): boolean {
    const { slots } = this;
    const count = cq.pollInto(slots);
    for (let index = 0; index < count; index++) this.handle(slots[index], nowNs);
    return count === slots.length;
  }

  private handle(completion: WorkCompletion, nowNs: number): void {
    const owner = ownerOf(completion.wrId);
    if ((owner & 1) === 0) this.handleSend(this.senders[owner >>> 1], completion, nowNs);
    else this.handleArrival(this.receivers[owner >>> 1], completion, nowNs);
  }

  private handleSend(sender: Sender, completion: WorkCompletion, nowNs: number): void {
    if (completion.status !== 'SUCCESS') sender.noteFailed(completion.status);
    else {
      sender.noteCompleted(sequenceOf(completion.wrId), this.thread.nowNs ?? nowNs, nowNs);
      this.enqueue(sender);
    }
  }

  private handleArrival(receiver: Receiver, completion: WorkCompletion, nowNs: number): void {
    if (completion.status !== 'SUCCESS') {
      receiver.failed = true;
      return;
    }
    if (receiver.failed) return;
    receiver.noteArrival(completion, this.receives, this.thread.nowNs ?? nowNs);
    if (receiver.answer !== null) {
      receiver.answer.due++;
      this.enqueue(receiver.answer);
    }
  }

  private enqueue(sender: Sender): void {
    if (sender.queued || sender.allowance(this.batch) === 0) return;
    sender.queued = true;
    this.ring[(this.ringHead + this.ringCount++) % this.ring.length] = sender.index;
  }

  /**
   * One post for each sender in turn, until none may post, the rate is reached, or `most` messages are posted. Returns how
   * many senders may post at once.
   */
  private postReady(nowNs: number, most: number): number {
    const paced = this.paced;
    let posted = 0;
    while (this.ringCount > 0 && posted < most) {
      if (paced && this.nextPostNs > nowNs) {
        this.wakeOnceAt(this.nextPostNs, nowNs);
        return 0;
      }
      const sender = this.senders[this.ring[this.ringHead]];
      this.ringHead = (this.ringHead + 1) % this.ring.length;
      this.ringCount--;
      sender.queued = false;
      const count = sender.allowance(this.batch);
      if (count > 0) this.post(sender, count, nowNs);
      posted += count;
      this.enqueue(sender);
    }
    return this.ringCount;
  }

  /** Asks for one wake-up, not for one more at every step that waits for the same moment. */
  private wakeOnceAt(timeNs: number, nowNs: number): void {
    if (this.wakeNs > nowNs && this.wakeNs <= timeNs) return;
    this.wakeNs = timeNs;
    this.thread.wakeAtNs(timeNs);
  }

  private post(sender: Sender, count: number, nowNs: number): void {
    const isLast = sender.allowance(count + 1) === count;
    const bytes = this.poster.post(sender, count, isLast, this.thread.nowNs ?? nowNs, nowNs);
    if (this.paced)
      this.nextPostNs =
        Math.max(this.nextPostNs, nowNs - BURST_NS) + count * this.messageNs + bytes * this.byteNs;
  }
}

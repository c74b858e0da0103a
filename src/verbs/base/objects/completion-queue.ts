import type { CompletionQueue, CqOptions } from '../../completion-queue.js';
import { emptyWorkCompletion, type WorkCompletion } from '../../work-completion.js';
import { requireRange } from '../checks/range.js';
import { NO_SLOT, Status } from '../codes.js';
import { CqeFlag, CqeState } from '../queues/cqe-pool.js';
import { BaseCompletionChannel } from './completion-channel.js';
import type { BaseContext } from './context.js';
import { DeviceObject, requireOwn } from './device-object.js';
import type { BaseQueuePair } from './queue-pair.js';

/** What the next event waits for. */
const Armed = { NO: 0, SOLICITED: 1, ANY: 2 } as const;

/** A list of completions in the device's pool, with the notification that was asked for. */
export class BaseCompletionQueue extends DeviceObject implements CompletionQueue {
  protected readonly kind = 'completion queue';
  cqe: number;
  readonly channel: BaseCompletionChannel | null;
  /** The number of its place, -1 where the provider chooses. */
  readonly placement: number;
  /** Completions that it was given, ever. */
  generated = 0;
  /** How many of them WAIT requests have used up. */
  waitConsumed = 0;
  /** The device's own: an index into its records, -1 where it has none. */
  tag = -1;
  /** Called for an event instead of a channel, for a program that is part of the device. */
  handler: (() => void) | null = null;
  private head = NO_SLOT;
  private tail = NO_SLOT;
  private count = 0;
  /** Completions on their way to software. */
  private held = 0;
  private armed: number = Armed.NO;
  private dead = false;
  /** Queue pairs whose WAIT is not satisfied yet, in the order in which they came. */
  private waiters: BaseQueuePair[] = [];

  constructor(context: BaseContext, options: CqOptions) {
    super(context);
    requireRange('cqe', options.cqe, 1, context.device.maxCqe);
    this.cqe = options.cqe;
    this.channel =
      options.channel === undefined
        ? null
        : requireOwn(context, BaseCompletionChannel, options.channel, 'channel');
    this.placement = context.placementOf(options.placement, 'queuePlacements', 'placement');
    context.counts.maxCq.acquire();
    if (this.channel !== null) this.channel.dependants++;
  }

  poll(max = 1): WorkCompletion[] {
    this.requireAlive();
    const found: WorkCompletion[] = [];
    while (found.length < max && this.head !== NO_SLOT) {
      const completion = emptyWorkCompletion();
      this.shiftInto(completion);
      found.push(completion);
    }
    return found;
  }

  pollInto(slots: WorkCompletion[]): number {
    this.requireAlive();
    let filled = 0;
    while (filled < slots.length && this.head !== NO_SLOT) this.shiftInto(slots[filled++]);
    return filled;
  }

  reqNotify(options: { solicitedOnly?: boolean } = {}): void {
    this.requireAlive();
    // Asking for the next completion covers asking for the next solicited one, never the other way round.
    if (!options.solicitedOnly) this.armed = Armed.ANY;
    else if (this.armed === Armed.NO) this.armed = Armed.SOLICITED;
  }

  resize(cqe: number): void {
    this.requireAlive();
    this.context.requireCapability('cqResize');
    requireRange('cqe', cqe, Math.max(1, this.count), this.context.device.maxCqe);
    this.cqe = cqe;
  }

  destroy(): void {
    this.retire();
    const { cqes } = this.context;
    while (this.head !== NO_SLOT) {
      const slot = this.head;
      this.head = cqes.next[slot];
      cqes.free(slot);
    }
    if (this.channel !== null) {
      this.channel.dependants--;
      this.channel.events.drop((cq) => cq === this);
    }
    this.context.counts.maxCq.release();
  }

  /** Takes a completion of the pool that the device generated; `solicited` where its sender asked for an event. */
  push(slot: number, solicited: boolean): void {
    const { cqes, carrier } = this.context;
    this.generated++;
    if (this.waiters.length > 0) this.wake();
    if (carrier.holdCompletion === undefined) {
      this.show(slot, solicited);
      return;
    }
    cqes.state[slot] = CqeState.HELD;
    this.held++;
    carrier.holdCompletion(this, slot, solicited);
  }

  /** Lets software see a completion. */
  show(slot: number, solicited: boolean): void {
    const { cqes } = this.context;
    const state = cqes.state[slot];
    if (state !== CqeState.VISIBLE) this.held--;
    if (state === CqeState.FORGOTTEN || this.dead || this.destroyed || this.count >= this.cqe) {
      cqes.free(slot);
      if (state !== CqeState.FORGOTTEN && !this.dead && !this.destroyed) this.overrun();
      return;
    }
    cqes.state[slot] = CqeState.VISIBLE;
    const failed = cqes.status[slot] !== Status.SUCCESS;
    if (this.tail === NO_SLOT) this.head = slot;
    else cqes.next[this.tail] = slot;
    this.tail = slot;
    this.count++;
    if (this.armed === Armed.ANY || (this.armed === Armed.SOLICITED && (solicited || failed))) {
      this.armed = Armed.NO;
      this.channel?.events.put(this);
      this.handler?.();
    }
  }

  /** Whether `count` completions are there that no WAIT has used; if so they are used up, else the waiter is noted. */
  passWait(count: number, waiter: BaseQueuePair): boolean {
    if (this.generated - this.waitConsumed >= count) {
      this.waitConsumed += count;
      return true;
    }
    if (!this.waiters.includes(waiter)) this.waiters.push(waiter);
    return false;
  }

  /** Forgets a waiter that goes away. */
  forgetWaiter(waiter: BaseQueuePair): void {
    if (this.waiters.length > 0) this.waiters = this.waiters.filter((each) => each !== waiter);
  }

  /** Removes the completions of a queue pair and frees the places they hold in its queues. */
  purge(qp: BaseQueuePair): void {
    const { cqes } = this.context;
    let before = NO_SLOT;
    for (let slot = this.head; slot !== NO_SLOT; ) {
      const next = cqes.next[slot];
      if (cqes.qpNum[slot] !== qp.qpNum) {
        before = slot;
      } else {
        if (before === NO_SLOT) this.head = next;
        else cqes.next[before] = next;
        if (slot === this.tail) this.tail = before;
        this.count--;
        this.free(slot, qp);
      }
      slot = next;
    }
    if (this.held > 0) this.forgetHeld(qp);
  }

  /** Completions of the queue pair that software has not seen yet never will be. Rare, so a scan of the pool will do. */
  private forgetHeld(qp: BaseQueuePair): void {
    const { cqes } = this.context;
    for (let slot = 0; slot < cqes.capacity; slot++) {
      if (cqes.state[slot] !== CqeState.HELD || cqes.qpNum[slot] !== qp.qpNum) continue;
      const ofReceive = (cqes.flags[slot] & CqeFlag.RECEIVE) !== 0;
      if ((ofReceive ? qp.recvCq : qp.sendCq) !== this) continue;
      cqes.state[slot] = CqeState.FORGOTTEN;
      if (ofReceive) qp.receives.inUse--;
    }
  }

  private shiftInto(completion: WorkCompletion): void {
    const { cqes } = this.context;
    const slot = this.head;
    cqes.read(slot, completion);
    this.head = cqes.next[slot];
    if (this.head === NO_SLOT) this.tail = NO_SLOT;
    this.count--;
    this.free(slot, this.context.qpNumbers.get(cqes.qpNum[slot])!);
  }

  private free(slot: number, qp: BaseQueuePair): void {
    const { cqes } = this.context;
    if ((cqes.flags[slot] & CqeFlag.RECEIVE) !== 0) qp.receives.inUse--;
    else qp.sends.released = cqes.sequence[slot];
    cqes.free(slot);
  }

  private wake(): void {
    const woken = this.waiters;
    this.waiters = [];
    for (const qp of woken) this.context.carrier.sendReady(qp);
  }

  private overrun(): void {
    this.dead = true;
    this.context.raise({ type: 'CQ_ERR', cq: this });
    this.context.qpNumbers.forEach((qp) => {
      if (qp.sendCq === this || qp.recvCq === this) qp.enterError();
    });
  }
}

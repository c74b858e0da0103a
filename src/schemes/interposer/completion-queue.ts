import {
  type CompletionQueue,
  type CqOptions,
  emptyWorkCompletion,
  VerbsError,
  type WorkCompletion,
} from '../../verbs/index.js';
import { InterposedCompletionChannel } from './completion-channel.js';
import type { InterposedContext } from './context.js';
import { HIDDEN, type Intercept } from './intercept.js';
import { Interposed, innerOf } from './interposed.js';

/** A completion that was taken from the device early and waits for its tenant. */
interface Kept {
  completion: WorkCompletion;
  intercept: Intercept | null;
  request: number;
}

/**
 * A completion queue as a tenant sees it. Completions of an interposer's own requests are taken out; to make room in
 * send queues before the tenant polls they may be taken early (PeRF's early completion engine, §4.3), and the tenant's
 * own among them are kept here, in order, until it does.
 */
export class InterposedCompletionQueue extends Interposed<CompletionQueue> implements CompletionQueue {
  readonly channel: InterposedCompletionChannel | null;
  /** WAITs of the tenant count its completions: there may be none but the tenant's own. */
  isWaitedOn = false;
  private size: number;
  /** Queue pairs on it that have an intercept. */
  private intercepted = 0;
  /** Requests of the interposer's own that may complete: the device's queue is longer by this many. */
  private own = 0;
  private granted: number;
  private kept: Kept[] = [];
  private readonly one: WorkCompletion[] = [emptyWorkCompletion()];
  private armedFor: { solicitedOnly?: boolean } | null = null;
  /** Completions that the tenant was or can be given so far, and how many of them before it asked for an event. */
  private seen = 0;
  private seenBefore = 0;
  private dead = false;

  constructor(context: InterposedContext, options: CqOptions) {
    const channel = options.channel;
    super(
      context,
      context.inner.createCq(
        channel === undefined ? options : { ...options, channel: innerOf(context, channel) },
      ),
    );
    this.size = this.inner.cqe;
    this.granted = this.size;
    this.channel = channel instanceof InterposedCompletionChannel ? channel : null;
    this.channel?.join(this);
  }

  get cqe(): number {
    return this.size;
  }

  poll(max = 1): WorkCompletion[] {
    const { open } = this;
    this.context.settle();
    if (this.intercepted === 0 && this.kept.length === 0) return open.poll(max);
    const found: WorkCompletion[] = [];
    while (found.length < max) {
      const completion = emptyWorkCompletion();
      if (!this.takeInto(completion)) break;
      found.push(completion);
    }
    if (found.length > 0) this.context.settle();
    return found;
  }

  pollInto(slots: WorkCompletion[]): number {
    const { open } = this;
    this.context.settle();
    if (this.intercepted === 0 && this.kept.length === 0) return open.pollInto(slots);
    let filled = 0;
    while (filled < slots.length && this.takeInto(slots[filled])) filled++;
    if (filled > 0) this.context.settle();
    return filled;
  }

  reqNotify(options: { solicitedOnly?: boolean } = {}): void {
    const { open } = this;
    if (this.intercepted > 0) {
      this.collect();
      this.seenBefore = this.seen;
    }
    // Asking for the next one covers asking for the next solicited one, never the other way round.
    if (this.armedFor === null || !options.solicitedOnly) this.armedFor = { ...options };
    open.reqNotify(options);
  }

  resize(cqe: number): void {
    const { open } = this;
    if (this.kept.length === 0 && this.own === 0) {
      open.resize(cqe);
      this.size = open.cqe;
      this.granted = this.size;
      return;
    }
    this.collect();
    if (cqe < this.kept.length) {
      const detail = { field: 'cqe', given: cqe, allowed: `at least ${this.kept.length}` };
      throw new VerbsError('OUT_OF_RANGE', 'the queue holds more completions', detail);
    }
    open.resize(Math.max(cqe, cqe - this.kept.length + this.own));
    this.size = cqe;
    this.granted = open.cqe;
    this.fit();
  }

  destroy(): void {
    this.open.destroy();
    this.channel?.leave(this);
    this.context.disown(this);
  }

  /** Whether an event of the device tells of a completion that the tenant sees; if not, the device is asked again. */
  isForTenant(): boolean {
    if (this.intercepted > 0) {
      this.collect();
      if (this.seen === this.seenBefore && this.armedFor !== null) {
        this.inner.reqNotify(this.armedFor);
        return false;
      }
    }
    this.armedFor = null;
    return true;
  }

  /** A queue pair with an intercept uses it, or does no longer. */
  countIntercepted(step: 1 | -1): void {
    this.intercepted += step;
  }

  /**
   * This many more (or fewer) requests of the interposer's own are in send queues that complete here. Each could complete,
   * if only by being flushed: the device's queue has room for them beside the tenant's.
   */
  changeOwn(step: number): void {
    if (step === 0) return;
    this.own += step;
    this.fit();
  }

  /**
   * With room for own requests the device's queue may take more of the tenant's completions than the tenant's queue has
   * places: then it is the tenant's that has overrun, and what the verbs promise of that is done here.
   */
  checkOverrun(): void {
    if (this.granted <= this.size || this.dead) return;
    this.collect();
    if (this.kept.length <= this.size) return;
    this.dead = true;
    this.kept.length = this.size;
    this.context.overrun(this);
  }

  /** Takes everything from the device: own completions end, those of the tenant are kept. */
  collect(): void {
    for (;;) {
      const completion = emptyWorkCompletion();
      this.one[0] = completion;
      if (this.inner.pollInto(this.one) === 0) break;
      const intercept = this.context.intercepts.get(completion.qpNum) ?? null;
      const request = this.intercepting(intercept, completion);
      if (request === HIDDEN && intercept !== null) continue;
      this.seen++;
      if (!this.dead) this.kept.push({ completion, intercept, request });
    }
    this.fit();
  }

  /** The completions of a queue pair that is gone or was reset are gone too. */
  purge(intercept: Intercept, qpNum: number): void {
    this.kept = this.kept.filter((each) => each.intercept !== intercept && each.completion.qpNum !== qpNum);
    this.fit();
  }

  private takeInto(target: WorkCompletion): boolean {
    const first = this.kept.shift();
    if (first !== undefined) {
      Object.assign(target, first.completion);
      first.intercept?.released(first.request);
      this.fit();
      return true;
    }
    for (;;) {
      if (this.inner.pollInto(this.one) === 0) return false;
      const [completion] = this.one;
      const intercept = this.context.intercepts.get(completion.qpNum) ?? null;
      const request = this.intercepting(intercept, completion);
      if (request === HIDDEN && intercept !== null) continue;
      this.seen++;
      Object.assign(target, completion);
      intercept?.released(request);
      return true;
    }
  }

  /** Shows a completion to the intercept of its queue pair. Providers tell receives by opcode on failures too. */
  private intercepting(intercept: Intercept | null, completion: WorkCompletion): number {
    if (intercept === null) return HIDDEN;
    if (completion.opcode === 'RECV' || completion.opcode === 'RECV_RDMA_WITH_IMM') {
      intercept.receiveCompleted(completion);
      return Number.NEGATIVE_INFINITY;
    }
    return intercept.sendCompleted(completion);
  }

  /** Keeps the device's queue as long as the tenant's, less what was taken early, and own completions beside it. */
  private fit(): void {
    const wanted = Math.max(1, this.size - this.kept.length + this.own);
    if (wanted === this.granted || !this.context.capabilities.cqResize) return;
    try {
      this.inner.resize(wanted);
      this.granted = wanted;
    } catch (error) {
      // It holds more at this moment than it is to hold: it stays longer until those were taken.
      if (!(error instanceof VerbsError && error.code === 'OUT_OF_RANGE')) throw error;
    }
  }
}

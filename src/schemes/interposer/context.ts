import {
  type AsyncEvent,
  type Capabilities,
  type Clock,
  type CompletionChannel,
  type CompletionQueue,
  type ConnectionManager,
  type ConnectionManagerOptions,
  type Context,
  type CqOptions,
  type DeviceAttr,
  type PortAttr,
  type ProtectionDomain,
  type QueuePair,
  type Thread,
  type ThreadOptions,
  VerbsError,
} from '../../verbs/index.js';
import { InterposedCompletionChannel } from './completion-channel.js';
import { InterposedCompletionQueue } from './completion-queue.js';
import { EventRouter } from './event-router.js';
import type { Intercept } from './intercept.js';
import { closedError } from './interposed.js';
import { InterposedProtectionDomain } from './protection-domain.js';
import { PumpingClock } from './pumping-clock.js';
import { InterposedQueuePair } from './queue-pair.js';
import type { Tenancy } from './tenancy.js';
import { InterposedThread } from './thread.js';

/** One router a device, however many tenants have a context on it. */
const routers = new WeakMap<Context, EventRouter>();

/** What a context is interposed with. */
export interface InterposeContextOptions {
  inner: Context;
  /** Makes the scheme's part for this context; null to pass everything through. */
  tenancy?: (context: InterposedContext) => Tenancy;
  /** Called at the end of every verb, for schemes that have no threads to work in. */
  settle?: () => void;
  /** Whether anything waits for `settle`. */
  isBusy?: () => boolean;
}

/**
 * A device as one tenant sees it through an interposer. All verbs behave as the provider's own; the scheme stands in the
 * way of sends where it wants to. Closing it ends what the tenant made and leaves the device open for others.
 *
 * @example
 * const context = new InterposedContext({ inner: await provider.open('ideal0') });
 */
export class InterposedContext implements Context {
  readonly inner: Context;
  readonly events: EventRouter;
  readonly tenancy: Tenancy | null;
  /** The thread of the tenant whose step runs now: what a scheme does inside the tenant's calls is its time. */
  working: Thread | null = null;
  /** By queue pair number. */
  readonly intercepts = new Map<number, Intercept>();
  readonly clock: Clock;
  readonly createThread?: (options?: ThreadOptions) => Thread;
  /** What the tenant made, oldest first, and how it is ended. */
  private readonly owned = new Map<object, () => void>();
  private readonly settleAll: (() => void) | null;
  private closed = false;

  constructor(options: InterposeContextOptions) {
    const { inner } = options;
    this.inner = inner;
    this.settleAll = options.settle ?? null;
    this.clock =
      options.settle === undefined
        ? inner.clock
        : new PumpingClock(inner.clock, options.settle, options.isBusy ?? (() => false));
    let router = routers.get(inner);
    if (router === undefined) {
      router = new EventRouter(inner);
      routers.set(inner, router);
    }
    this.events = router;
    router.join(this);
    if (inner.createThread !== undefined)
      this.createThread = (given) => {
        this.requireOpen();
        return new InterposedThread(this, inner.createThread!(given));
      };
    this.tenancy = options.tenancy?.(this) ?? null;
  }

  get deviceName(): string {
    return this.inner.deviceName;
  }

  get capabilities(): Capabilities {
    return this.inner.capabilities;
  }

  queryDevice(): DeviceAttr {
    return this.open.queryDevice();
  }

  queryPort(portNum: number): PortAttr {
    return this.open.queryPort(portNum);
  }

  queryGid(portNum: number, index: number): string {
    return this.open.queryGid(portNum, index);
  }

  placements(): readonly string[] {
    return this.open.placements();
  }

  allocPd(): ProtectionDomain {
    this.requireOpen();
    const pd = new InterposedProtectionDomain(this);
    return this.own(pd, () => pd.dealloc());
  }

  createCompChannel(): CompletionChannel {
    this.requireOpen();
    const channel = new InterposedCompletionChannel(this);
    return this.own(channel, () => channel.destroy());
  }

  createCq(options: CqOptions): CompletionQueue {
    this.requireOpen();
    const cq = new InterposedCompletionQueue(this, options);
    this.events.know(cq.inner, this, cq);
    return this.own(cq, () => cq.destroy());
  }

  createConnectionManager(options: ConnectionManagerOptions = {}): ConnectionManager {
    this.requireOpen();
    // The device's own manager brings the tenant's queue pairs up, so that the scheme sees every step.
    const owns = (qp: QueuePair) => qp instanceof InterposedQueuePair && qp.context === this;
    const manager = this.inner.createConnectionManager({ ...options, owns });
    return this.own(manager, () => manager.close());
  }

  async getAsyncEvent(signal?: AbortSignal): Promise<AsyncEvent> {
    this.requireOpen();
    return this.awaited(this.events.get(this, signal));
  }

  tryGetAsyncEvent(): AsyncEvent | null {
    this.requireOpen();
    this.settle();
    for (const each of this.owned.keys()) if (each instanceof InterposedCompletionQueue) each.checkOverrun();
    return this.events.tryGet(this);
  }

  counters(): Readonly<Record<string, number>> {
    return this.open.counters();
  }

  async close(): Promise<void> {
    if (this.closed) return;
    // Newest first; what is still in use (a region with a window bound to it) goes in the next round.
    for (let left = -1; this.owned.size > 0 && this.owned.size !== left; ) {
      left = this.owned.size;
      for (const [made, end] of [...this.owned].reverse()) this.endOne(made, end);
    }
    this.owned.clear();
    this.events.leave(this);
    this.closed = true;
  }

  /** A completion queue of the tenant has overrun: its queue pairs fail (specification: overrun). */
  overrun(cq: InterposedCompletionQueue): void {
    this.events.raise(this, { type: 'CQ_ERR', cq });
    for (const each of this.owned.keys()) {
      if (!(each instanceof InterposedQueuePair) || (each.sendCq !== cq && each.recvCq !== cq)) continue;
      if (each.state !== 'RESET' && each.state !== 'ERR') each.modify({ state: 'ERR' });
    }
  }

  /** Remembers what the tenant made, and how it is ended. */
  own<T extends object>(made: T, end: () => void): T {
    this.owned.set(made, end);
    return made;
  }

  /** The tenant ended it by itself. */
  disown(made: object): void {
    this.owned.delete(made);
  }

  /** Refuses with OBJECT_DESTROYED once the tenant closed it. */
  requireOpen(): void {
    if (this.closed) throw closedError(this.deviceName);
  }

  /** A verb is at its end: schemes without threads do what they can. */
  settle(): void {
    this.settleAll?.();
  }

  /** Waits for something of the device, while schemes without threads do what they can. */
  async awaited<T>(promise: Promise<T>): Promise<T> {
    this.settle();
    return promise;
  }

  private endOne(made: object, end: () => void): void {
    try {
      end();
    } catch (error) {
      if (!(error instanceof VerbsError)) throw error;
      if (error.code !== 'OBJECT_BUSY') this.disown(made);
    }
  }

  private get open(): Context {
    this.requireOpen();
    return this.inner;
  }
}

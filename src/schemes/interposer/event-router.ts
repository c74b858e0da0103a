import { Mailbox } from '../../verbs/base/queues/mailbox.js';
import type { AsyncEvent, Context } from '../../verbs/index.js';
import { closedError } from './interposed.js';

/** Who gets an event, and its object as the receiver knows it. */
interface Home {
  owner: object;
  outer: object;
}

/**
 * The async events of one device, given to the contexts that tenants have on it: each gets those of its own objects, and
 * all get those of the port. The device is only waited on while some tenant waits, so that time stands still otherwise.
 */
export class EventRouter {
  private readonly inner: Context;
  private readonly homes = new WeakMap<object, Home>();
  private readonly boxes = new Map<object, Mailbox<AsyncEvent>>();
  private waiting: AbortController | null = null;

  constructor(inner: Context) {
    this.inner = inner;
  }

  /** A context of a tenant on this device. */
  join(owner: object): void {
    this.boxes.set(owner, new Mailbox());
  }

  /** It was closed: its waits end. */
  leave(owner: object): void {
    this.boxes.get(owner)?.refuseAll(closedError(this.inner.deviceName));
    this.boxes.delete(owner);
    this.stopIfIdle();
  }

  /** Events about the device's object `inner` go to `owner`, who knows it as `outer`. */
  know(inner: object, owner: object, outer: object): void {
    this.homes.set(inner, { owner, outer });
  }

  /** An event that the interposer itself raises. */
  raise(owner: object, event: AsyncEvent): void {
    this.boxes.get(owner)?.put(event);
  }

  tryGet(owner: object): AsyncEvent | null {
    this.drain();
    return this.boxes.get(owner)!.tryTake();
  }

  async get(owner: object, signal?: AbortSignal): Promise<AsyncEvent> {
    this.drain();
    const event = this.boxes.get(owner)!.take(signal);
    if (this.boxes.get(owner)!.awaited) void this.wait();
    try {
      return await event;
    } finally {
      this.stopIfIdle();
    }
  }

  private drain(): void {
    for (let event = this.inner.tryGetAsyncEvent(); event !== null; event = this.inner.tryGetAsyncEvent()) {
      this.route(event);
    }
  }

  private async wait(): Promise<void> {
    if (this.waiting !== null) return;
    const controller = new AbortController();
    this.waiting = controller;
    try {
      while (this.isAwaited()) this.route(await this.inner.getAsyncEvent(controller.signal));
    } catch (error) {
      // Nobody waits any more, or the device was closed, which ends the waits of all.
      if (!controller.signal.aborted) for (const box of this.boxes.values()) box.refuseAll(error);
    } finally {
      if (this.waiting === controller) this.waiting = null;
    }
  }

  private stopIfIdle(): void {
    if (this.waiting === null || this.isAwaited()) return;
    this.waiting.abort();
    this.waiting = null;
  }

  private isAwaited(): boolean {
    for (const box of this.boxes.values()) if (box.awaited) return true;
    return false;
  }

  private route(event: AsyncEvent): void {
    const object = 'qp' in event ? event.qp : 'cq' in event ? event.cq : 'srq' in event ? event.srq : null;
    if (object === null) {
      for (const box of this.boxes.values()) box.put(event);
      return;
    }
    const home = this.homes.get(object);
    if (home === undefined) return;
    const key = 'qp' in event ? 'qp' : 'cq' in event ? 'cq' : 'srq';
    this.boxes.get(home.owner)?.put({ ...event, [key]: home.outer } as AsyncEvent);
  }
}

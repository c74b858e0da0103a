import type { CompletionChannel } from '../../completion-queue.js';
import { VerbsError } from '../../error.js';
import { Mailbox } from '../queues/mailbox.js';
import type { BaseCompletionQueue } from './completion-queue.js';
import { DeviceObject } from './device-object.js';

/** Where completion events wait. */
export class BaseCompletionChannel extends DeviceObject implements CompletionChannel {
  protected readonly kind = 'completion channel';
  readonly events = new Mailbox<BaseCompletionQueue>();

  async getCqEvent(signal?: AbortSignal): Promise<BaseCompletionQueue> {
    this.requireAlive();
    const event = this.events.take(signal);
    if (this.events.awaited) this.context.carrier.waiting(this.events);
    return event;
  }

  tryGetCqEvent(): BaseCompletionQueue | null {
    this.requireAlive();
    return this.events.tryTake();
  }

  destroy(): void {
    this.retire();
    this.context.channels.delete(this);
    this.refuseWaiters();
  }

  /** Ends all waits: the channel is going. */
  refuseWaiters(): void {
    this.events.refuseAll(new VerbsError('OBJECT_DESTROYED', 'the completion channel was destroyed'));
  }
}

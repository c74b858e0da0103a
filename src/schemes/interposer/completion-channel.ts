import type { CompletionChannel, CompletionQueue } from '../../verbs/index.js';
import type { InterposedCompletionQueue } from './completion-queue.js';
import type { InterposedContext } from './context.js';
import { Interposed } from './interposed.js';

/** A completion channel as a tenant sees it: without the events of completions that the tenant does not see. */
export class InterposedCompletionChannel extends Interposed<CompletionChannel> implements CompletionChannel {
  private readonly queues = new Map<CompletionQueue, InterposedCompletionQueue>();

  constructor(context: InterposedContext) {
    super(context, context.inner.createCompChannel());
  }

  /** Its events concern this queue too. */
  join(queue: InterposedCompletionQueue): void {
    this.queues.set(queue.inner, queue);
  }

  leave(queue: InterposedCompletionQueue): void {
    this.queues.delete(queue.inner);
  }

  async getCqEvent(signal?: AbortSignal): Promise<InterposedCompletionQueue> {
    for (;;) {
      const queue = this.queues.get(await this.context.awaited(this.open.getCqEvent(signal)))!;
      if (queue.isForTenant()) return queue;
    }
  }

  tryGetCqEvent(): InterposedCompletionQueue | null {
    this.context.settle();
    for (;;) {
      const event = this.open.tryGetCqEvent();
      if (event === null) return null;
      const queue = this.queues.get(event)!;
      if (queue.isForTenant()) return queue;
    }
  }

  destroy(): void {
    this.open.destroy();
    this.context.disown(this);
  }
}

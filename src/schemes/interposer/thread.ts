import type { CompletionQueue, Thread } from '../../verbs/index.js';
import type { InterposedContext } from './context.js';
import { innerOf } from './interposed.js';

/** A thread of a tenant: the provider's, which watches the provider's completion queues. */
export class InterposedThread implements Thread {
  private readonly context: InterposedContext;
  private readonly inner: Thread;

  constructor(context: InterposedContext, inner: Thread) {
    this.context = context;
    this.inner = inner;
  }

  get busyNs(): number {
    return this.inner.busyNs;
  }

  get nowNs(): number | undefined {
    return this.inner.nowNs;
  }

  watch(cq: CompletionQueue): void {
    this.inner.watch(innerOf(this.context, cq));
  }

  work(durationNs: number): void {
    this.inner.work?.(durationNs);
  }

  run(step: () => void): void {
    const { context } = this;
    this.inner.run(() => {
      context.working = this;
      try {
        step();
      } finally {
        context.working = null;
      }
    });
  }

  wakeAtNs(timeNs: number): void {
    this.inner.wakeAtNs(timeNs);
  }

  stop(): void {
    this.inner.stop();
  }
}

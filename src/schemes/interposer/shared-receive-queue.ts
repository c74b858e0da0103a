import type { ProtectionDomain, RecvWr, SharedReceiveQueue } from '../../verbs/index.js';
import { Interposed } from './interposed.js';
import type { InterposedProtectionDomain } from './protection-domain.js';

/** A shared receive queue as a tenant sees it. */
export class InterposedSharedReceiveQueue
  extends Interposed<SharedReceiveQueue>
  implements SharedReceiveQueue
{
  readonly pd: ProtectionDomain;

  constructor(pd: InterposedProtectionDomain, inner: SharedReceiveQueue) {
    super(pd.context, inner);
    this.pd = pd;
  }

  get maxWr(): number {
    return this.inner.maxWr;
  }

  get maxSge(): number {
    return this.inner.maxSge;
  }

  postRecv(wr: RecvWr | readonly RecvWr[]): void {
    try {
      this.open.postRecv(wr);
    } finally {
      this.context.settle();
    }
  }

  setLimit(limit: number): void {
    this.open.setLimit(limit);
  }

  destroy(): void {
    this.open.destroy();
    this.context.disown(this);
  }
}

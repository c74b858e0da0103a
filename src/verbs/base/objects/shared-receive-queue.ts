import type { SharedReceiveQueue, SrqOptions } from '../../shared-receive-queue.js';
import type { RecvWr } from '../../work-request.js';
import { requireRange } from '../checks/range.js';
import { ReceiveQueue } from '../queues/receive-queue.js';
import { DeviceObject } from './device-object.js';
import type { BaseProtectionDomain } from './protection-domain.js';

/** Receives that several queue pairs take from. */
export class BaseSharedReceiveQueue extends DeviceObject implements SharedReceiveQueue {
  protected readonly kind = 'shared receive queue';
  readonly pd: BaseProtectionDomain;
  readonly receives: ReceiveQueue;
  private limit = 0;

  constructor(pd: BaseProtectionDomain, options: SrqOptions) {
    super(pd.context);
    const { device } = pd.context;
    requireRange('maxWr', options.maxWr, 1, device.maxSrqWr);
    requireRange('maxSge', options.maxSge, 1, device.maxSrqSge);
    const placement = pd.context.placementOf(options.placement, 'queuePlacements', 'placement');
    pd.context.counts.maxSrq.acquire();
    this.pd = pd;
    this.receives = new ReceiveQueue(pd.context, pd.handle, options.maxWr, options.maxSge, placement);
    pd.dependants++;
  }

  get maxWr(): number {
    return this.receives.maxWr;
  }

  get maxSge(): number {
    return this.receives.maxSge;
  }

  postRecv(wr: RecvWr | readonly RecvWr[]): void {
    this.requireAlive();
    const { receives, context } = this;
    const list = Array.isArray(wr) ? (wr as readonly RecvWr[]) : null;
    const before = receives.waiting;
    try {
      if (list === null) receives.post(wr as RecvWr, 0);
      else for (let index = 0; index < list.length; index++) receives.post(list[index], index);
    } finally {
      receives.announce(receives.waiting - before);
      context.carrier.settle();
    }
  }

  setLimit(limit: number): void {
    this.requireAlive();
    requireRange('limit', limit, 0, this.maxWr);
    this.limit = limit;
    this.checkLimit();
  }

  destroy(): void {
    this.retire();
    this.receives.clear();
    this.pd.dependants--;
    this.context.counts.maxSrq.release();
  }

  /** Raises the limit's event once fewer receives are left; then it is disarmed. */
  checkLimit(): void {
    if (this.receives.waiting >= this.limit) return;
    this.limit = 0;
    this.context.raise({ type: 'SRQ_LIMIT_REACHED', srq: this });
  }
}

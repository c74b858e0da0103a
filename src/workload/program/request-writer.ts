import type { Tenant } from '../description/description.js';
import type { MessagePlan } from '../description/message-plan.js';
import { RequestList } from './request-list.js';
import { RequestObjects } from './request-objects.js';
import type { Sender } from './sender.js';

/**
 * Fills and posts the send requests of a tenant: a batch of them, reused for every queue pair; as columns where a queue
 * pair takes columns and they can say it, else as objects.
 */
export class RequestWriter {
  private readonly tenant: Tenant;
  private readonly plan: MessagePlan;
  private readonly signalEvery: number;
  /** Null where columns cannot say all of the plan. */
  private readonly list: RequestList | null;
  /** Made when first needed. */
  private objects: RequestObjects | null = null;

  constructor(tenant: Tenant, plan: MessagePlan) {
    this.tenant = tenant;
    this.plan = plan;
    this.signalEvery = tenant.signalEvery;
    this.list = RequestList.fits(tenant, plan) ? new RequestList(tenant, plan) : null;
  }

  /**
   * Posts `count` messages of a sender. The last one of the sender's first post asks for a completion, and from there
   * on every `signalEvery`-th, and the very last. `postedNs` is the time of the core that posts, `nowNs` that of its step.
   */
  post(sender: Sender, count: number, isLast: boolean, postedNs: number, nowNs: number): number {
    const { qp, plan } = sender;
    const requests = this.list !== null && qp.postList !== undefined ? this.list : this.asObjects();
    let bytes = 0;
    for (let slot = 0; slot < count; slot++) {
      const end = slot === count - 1;
      const signalled = ++sender.unsignalled >= this.signalEvery || (end && (isLast || sender.posted === 0));
      const sequence = sender.posted + slot;
      if (signalled) {
        sender.unsignalled = 0;
        sender.noteSignalled(sequence, postedNs);
      }
      bytes += requests.fill(slot, sender, sequence, signalled);
      sender.position = sender.position + 1 === plan.length ? 0 : sender.position + 1;
    }
    requests.post(qp, sender.target, count);
    sender.notePosted(count, postedNs, nowNs);
    return bytes;
  }

  private asObjects(): RequestObjects {
    this.objects ??= new RequestObjects(this.tenant, this.plan);
    return this.objects;
  }
}

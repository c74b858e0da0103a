import type { DmaPath, ReceiveRing, Rnic } from '../../../models/index.js';
import {
  type BaseContext,
  type BaseQueuePair,
  NO_SLOT,
  type ReceiveQueue,
} from '../../../verbs/base/index.js';

/** The receive queues of the verbs, own and shared, as the NIC has them. */
export class ReceiveRings {
  private readonly nic: Rnic;
  private readonly context: BaseContext;
  /** By the tag of the receive queue. */
  private readonly rings: ReceiveRing[] = [];

  constructor(nic: Rnic, context: BaseContext) {
    this.nic = nic;
    this.context = context;
  }

  /** The ring of a queue pair's receives; it is made with the first queue pair that uses the queue. */
  of(qp: BaseQueuePair, functionNumber: number): ReceiveRing {
    const { receives } = qp;
    if (receives.tag >= 0) return this.rings[receives.tag];
    receives.tag = this.rings.length;
    const ring = this.nic.newReceiveRing(
      {
        depth: receives.maxWr,
        elements: receives.maxSge,
        datagrams: qp.qpType === 'UD',
        queuePath: this.nic.regions.pathTo(receives.placement),
      },
      functionNumber,
    );
    this.rings.push(ring);
    this.posted(receives, receives.waiting);
    return ring;
  }

  /** `count` receives were posted. Of a shared queue without a queue pair the device hears with the first that uses it. */
  posted(queue: ReceiveQueue, count: number): void {
    if (queue.tag < 0 || count === 0) return;
    const ring = this.rings[queue.tag];
    this.nic.shares.heard(ring.tenant);
    ring.post(count);
    ring.path = this.pathOfBuffers(queue) ?? ring.path;
    this.nic.receivePath.receivesThere(ring);
  }

  /** The way to the buffers of a receive queue, by its oldest receive. */
  private pathOfBuffers(queue: ReceiveQueue): DmaPath | null {
    const { wqes, memory } = this.context;
    const wqe = queue.head;
    if (wqe === NO_SLOT || wqes.sgeCount[wqe] === 0) return null;
    const region = memory.slotOf(wqes.sges.lkey[wqes.sgeStart[wqe]]);
    return region < 0 ? null : this.nic.regions.pathOf(region);
  }
}

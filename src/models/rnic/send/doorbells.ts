import { NO_SLOT } from '../../../verbs/base/index.js';
import { Side } from '../contexts.js';
import type { NicQueuePair } from '../nic-queue-pair.js';
import type { Rnic } from '../rnic.js';
import { DoorbellQueue } from './doorbell-queue.js';

/** A doorbell as it crosses PCIe: one write-combined store (BlueFlame), with or without a WQE in it. */
const DOORBELL_BYTES = 64;

/** What a doorbell carries besides its WQEs' number, as bits; above them the era of its queue pair. */
const Carries = {
  /** Its WQE came along. */
  WQE: 1,
  /** Its context was fetched, or it costs nothing. */
  CONTEXT: 2,
} as const;
const ERA_SHIFT = 2;

/** The way of doorbells into the device: each needs the context of its queue pair before its WQEs are looked for. */
export class Doorbells {
  private readonly nic: Rnic;
  private readonly handler: number;
  /** By tenant: one that waits holds the cores of its own. */
  private readonly waiting: readonly DoorbellQueue[];

  /** `waitingMax`: doorbells that may wait for their context; a core that rings another waits with them. */
  constructor(nic: Rnic, waitingMax: number) {
    this.nic = nic;
    const ablated = nic.ablated.has('doorbell-back-pressure');
    const most = ablated ? Number.MAX_SAFE_INTEGER : waitingMax;
    this.waiting = Array.from({ length: nic.shares.count }, () => new DoorbellQueue(most));
    this.handler = nic.simulation.register(`${nic.name}/doorbell`, (qp, count, carries) => {
      this.arrive(nic.queuePairs[qp], count, carries);
    });
  }

  /** When the device takes a doorbell that a core writes then: later where too many wait for their contexts. */
  acceptPs(qp: NicQueuePair, atPs: number): number {
    const admitted = this.waiting[qp.tenant].acceptPs(this.nic.simulation.now, atPs);
    if (admitted > atPs) this.nic.counters.doorbell_stalled_ps += admitted - atPs;
    return admitted;
  }

  /** A doorbell will reach the device at this time; `pushed`: with its WQE. */
  ring(qp: NicQueuePair, count: number, pushed: boolean, atPs: number): void {
    const carries = (pushed ? Carries.WQE : 0) | (qp.era << ERA_SHIFT);
    this.nic.simulation.at(atPs, this.handler, qp.index, count, carries);
  }

  /**
   * A doorbell that no core rang: how a program's queues are filled before it begins. It costs nothing, since a thousand
   * queues filled in one instant would else keep the link busy for a millisecond; and it leaves on chip what the traffic
   * before would have: the queue pair's context, and the translations of its first message, which is under way.
   */
  ringFree(qp: NicQueuePair, count: number, pushed: boolean, elements: number): void {
    const { contexts, scheduler, client, simulation } = this.nic;
    contexts.warm(qp.contextKey, qp.tenant);
    if (scheduler.listIsApart(elements)) contexts.warm(qp.elementsKey, qp.tenant);
    if (qp.pending === 0) this.warmTranslations(client.firstUntaken(qp), qp.tenant);
    const carries = (pushed ? Carries.WQE : 0) | Carries.CONTEXT | (qp.era << ERA_SHIFT);
    simulation.after(0, this.handler, qp.index, count, carries);
  }

  private warmTranslations(wqe: number, tenant: number): void {
    const { wqes, memory, contexts } = this.nic;
    if (wqe === NO_SLOT) return;
    for (let index = wqes.sgeStart[wqe]; index < wqes.sgeStart[wqe] + wqes.sgeCount[wqe]; index++) {
      const region = memory.slotOf(wqes.sges.lkey[index]);
      if (region >= 0) contexts.translations?.fill(region, tenant);
    }
  }

  private arrive(qp: NicQueuePair, count: number, carries: number): void {
    const { simulation, counters, pcie, contexts, sendWqes } = this.nic;
    const now = simulation.now;
    if ((carries & Carries.CONTEXT) === 0) {
      counters.doorbells++;
      pcie.store(now, DOORBELL_BYTES);
      const ready = contexts.context(now, qp.contextKey, Side.REQUESTER, qp.tenant);
      if (ready > now) {
        this.waiting[qp.tenant].add(now, ready);
        simulation.at(ready, this.handler, qp.index, count, carries | Carries.CONTEXT);
        return;
      }
    }
    // The queue may have failed, or been reset and connected anew, while its doorbell was on the way.
    if (carries >> ERA_SHIFT === qp.era) sendWqes.doorbell(qp, count, (carries & Carries.WQE) !== 0);
  }
}

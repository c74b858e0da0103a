import type { Simulation } from '../../../engine/index.js';
import type { Rnic } from '../../../models/index.js';
import type { BaseCompletionQueue } from '../../../verbs/base/index.js';
import type { SimulatedThread } from '../host/thread.js';
import { CompletionRecord } from './completion-record.js';

/** The completions of a device on their way to host memory: each is seen when it has been written, and in order. */
export class CompletionWrites {
  private readonly simulation: Simulation;
  private readonly nic: Rnic;
  /** By the tag of the completion queue. */
  private readonly records: CompletionRecord[] = [];
  private readonly visibleHandler: number;

  constructor(name: string, simulation: Simulation, nic: Rnic) {
    this.simulation = simulation;
    this.nic = nic;
    this.visibleHandler = simulation.register(`${name}/cqe`, (cq, cqe, solicited) => {
      const record = this.records[cq];
      record.cq.show(cqe, solicited === 1);
      for (let index = 0; index < record.watchers.length; index++) record.watchers[index].completionSeen();
    });
  }

  /** A completion was generated: it is shown when it has been written. */
  hold(cq: BaseCompletionQueue, cqe: number, solicited: boolean): void {
    const record = this.recordOf(cq);
    const written = this.nic.completionPs(record);
    if (written > record.visiblePs) record.visiblePs = written;
    this.simulation.after(
      record.visiblePs - this.simulation.now,
      this.visibleHandler,
      cq.tag,
      cqe,
      solicited ? 1 : 0,
    );
  }

  /** Completions on a queue are those of a tenant. */
  assignTenant(cq: BaseCompletionQueue, tenant: number): void {
    this.recordOf(cq).tenant = tenant;
  }

  /** Completions on a queue wake a thread. */
  watch(cq: BaseCompletionQueue, thread: SimulatedThread): void {
    const { watchers } = this.recordOf(cq);
    if (!watchers.includes(thread)) watchers.push(thread);
  }

  private recordOf(cq: BaseCompletionQueue): CompletionRecord {
    if (cq.tag < 0) {
      cq.tag = this.records.length;
      this.records.push(
        new CompletionRecord(cq, this.nic.newContextKey(), this.nic.regions.pathTo(cq.placement)),
      );
    }
    return this.records[cq.tag];
  }
}

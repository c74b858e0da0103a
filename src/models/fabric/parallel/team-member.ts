import { FabricState } from '../core/fabric-state.js';
import { Domain } from '../core/parts/domain.js';
import type { Exchange } from '../core/parts/exchange.js';
import { type HeldPort, heldPorts } from '../core/ports/held-ports.js';
import type { PauseColumns, PauseLog } from '../core/ports/pause-log.js';
import { PORT, RECORD_SHIFT, type Records } from '../core/records.js';
import { totalsOf } from '../core/totals.js';
import type { WatchdogEvent } from '../switching/watchdog-options.js';
import { Barrier } from './barrier.js';
import { PartMailbox, type MailReceiver } from './mailbox.js';
import { SharedColumns } from './shared-columns.js';
import {
  memberOf,
  NOTE_WORDS,
  SUMMARY_HEAD,
  SUMMARY_WORDS,
  type TeamPlan,
  teamPartition,
  totalKeys,
} from './team-plan.js';

/** What a member knows of a run that the others do not, when it is over. */
export interface MemberOutcome {
  readonly finished: readonly number[];
  readonly pauses: PauseColumns;
  readonly watchdogEvents: readonly WatchdogEvent[];
}

/**
 * One thread of a team: it simulates some parts of a fabric, a window at a time. Behind each window all meet once: what
 * was put into boxes before is taken out after, while the next window's go into other boxes.
 */
export class TeamMember implements Exchange, MailReceiver {
  private readonly plan: TeamPlan;
  private readonly index: number;
  private readonly state: FabricState;
  private readonly barrier: Barrier;
  /** By part; null for those of others. */
  private readonly domains: readonly (Domain | null)[];
  private readonly own: readonly Domain[];
  /** By port: its part, and the member that has it. */
  private readonly partOfPort: Int32Array;
  private readonly memberOfPort: Int32Array;
  /** By parity of the window, then by member. */
  private readonly outgoing: readonly (readonly PartMailbox[])[];
  private readonly incoming: readonly (readonly PartMailbox[])[];
  private readonly notes: Float64Array;
  private readonly summaries: Float64Array;
  private parity = 0;
  /** The end of the window that is being run, or was. */
  private ranNs = 0;
  /** When the first packet of this window reaches another member. */
  private firstNs = Infinity;

  constructor(plan: TeamPlan, index: number) {
    const { spec, members } = plan;
    const state = new FabricState(spec, new SharedColumns(plan.columns));
    const partition = teamPartition(spec, state, members);
    this.plan = plan;
    this.index = index;
    this.state = state;
    this.barrier = new Barrier(plan.barrier, members);
    this.partOfPort = Int32Array.from(state.plan.node, (node) => partition.partOf[node]);
    this.memberOfPort = this.partOfPort.map((part) => memberOf(part, members, partition.count));
    this.domains = Array.from({ length: partition.count }, (_, part) =>
      memberOf(part, members, partition.count) === index ? new Domain(state, partition, part, this) : null,
    );
    this.own = this.domains.filter((domain) => domain !== null);
    const stride = this.own[0]?.records.telemetryStride ?? 0;
    const box = (parity: number, from: number, to: number) =>
      new PartMailbox(plan.boxes[(parity * members + from) * members + to], stride);
    const all = Array.from({ length: members }, (_, member) => member);
    this.outgoing = [0, 1].map((parity) => all.map((member) => box(parity, index, member)));
    this.incoming = [0, 1].map((parity) => all.map((member) => box(parity, member, index)));
    this.notes = new Float64Array(plan.notes);
    this.summaries = new Float64Array(plan.summaries);
  }

  /**
   * Runs up to and including `untilNs`, or about `maxEvents` events of the whole team; true if all of it was run, null if
   * another member failed. All are to be called with the same; each comes to the same end.
   */
  run(untilNs: number, maxEvents: number): boolean | null {
    try {
      return this.runWindows(untilNs, maxEvents);
    } catch (error) {
      this.barrier.fail();
      throw error;
    }
  }

  /** What nodes of this member's parts hold. */
  heldPorts(): HeldPort[] {
    const { domains, partOfPort } = this;
    const { plan } = this.state;
    return heldPorts(this.state, (node) => domains[partOfPort[plan.portBegin[node]]]?.records ?? null);
  }

  outcome(): MemberOutcome {
    const logs = this.own.map(({ pauseLog }) => pauseLog);
    const joined = <Column>(read: (log: PauseLog) => ArrayLike<Column>) =>
      logs.flatMap((log) => Array.from(read(log)).slice(0, log.count));
    return {
      finished: this.own.flatMap(({ finished }) => finished),
      pauses: {
        count: logs.reduce((sum, { count }) => sum + count, 0),
        timeNs: Float64Array.from(joined(({ timeNs }) => timeNs)),
        port: Int32Array.from(joined(({ port }) => port)),
        trafficClass: Uint8Array.from(joined(({ trafficClass }) => trafficClass)),
        pauses: Uint8Array.from(joined(({ pauses }) => pauses)),
      },
      watchdogEvents: this.own.flatMap(({ watchdog }) => watchdog?.events ?? []),
    };
  }

  carry(records: Records, record: number, port: number, arrivalNs: number): void {
    const member = this.memberOfPort[port];
    if (member !== this.index) {
      if (arrivalNs < this.firstNs) this.firstNs = arrivalNs;
      this.outgoing[this.parity][member].post(records, record, port, arrivalNs - this.ranNs);
      return;
    }
    const { records: target, wheel } = this.domains[this.partOfPort[port]]!;
    const copy = target.take();
    target.copyFrom(copy, records, record);
    target.words[(copy << RECORD_SHIFT) + PORT] = port;
    wheel.after(arrivalNs - wheel.nowNs, copy);
  }

  recordsOf(port: number): Records {
    return this.domains[this.partOfPort[port]]!.records;
  }

  arrive(record: number, port: number, laterNs: number): void {
    const { records, wheel } = this.domains[this.partOfPort[port]]!;
    records.words[(record << RECORD_SHIFT) + PORT] = port;
    wheel.after(this.ranNs + laterNs - wheel.nowNs, record);
  }

  private runWindows(untilNs: number, maxEvents: number): boolean | null {
    const { windowNs } = this.plan;
    const before = this.events();
    this.firstNs = Infinity;
    this.note(0);
    for (;;) {
      if (!this.barrier.meet()) return null;
      for (const box of this.incoming[this.parity]) box.empty(this);
      const nextNs = this.nextOfAll();
      const whole = nextNs > untilNs;
      if (whole || this.eventsOfAll() >= maxEvents) {
        this.summarise();
        return whole;
      }
      this.parity ^= 1;
      this.ranNs = Math.min(untilNs, Math.max(this.ranNs, nextNs) + windowNs - 1);
      this.firstNs = Infinity;
      for (const domain of this.own) domain.run(this.ranNs);
      for (const box of this.outgoing[this.parity]) box.send();
      this.note(this.events() - before);
    }
  }

  /** Tells the others when its next event is, or that of a packet that it sent them, and how many it has handled. */
  private note(events: number): void {
    const at = (this.parity * this.plan.members + this.index) * NOTE_WORDS;
    this.notes[at] = Math.min(this.firstNs, this.nextNs());
    this.notes[at + 1] = events;
  }

  private nextOfAll(): number {
    let nextNs = Infinity;
    for (let member = 0; member < this.plan.members; member++)
      nextNs = Math.min(nextNs, this.notes[(this.parity * this.plan.members + member) * NOTE_WORDS]);
    return nextNs;
  }

  private eventsOfAll(): number {
    let events = 0;
    for (let member = 0; member < this.plan.members; member++)
      events += this.notes[(this.parity * this.plan.members + member) * NOTE_WORDS + 1];
    return events;
  }

  private nextNs(): number {
    let nextNs = Infinity;
    for (const { wheel } of this.own) nextNs = Math.min(nextNs, wheel.nextNs());
    return nextNs;
  }

  private events(): number {
    let events = 0;
    for (const domain of this.own) events += domain.events;
    return events;
  }

  private summarise(): void {
    const { own, summaries } = this;
    const at = this.index * SUMMARY_WORDS;
    summaries[at] = this.nextNs();
    summaries[at + 1] = own.reduce((latest, { lastNs }) => Math.max(latest, lastNs), 0);
    summaries[at + 2] = this.events();
    summaries[at + 3] = own.reduce((sum, { finished }) => sum + finished.length, 0);
    const totals = totalsOf(own, this.state.loss);
    for (const [index, key] of totalKeys.entries()) summaries[at + SUMMARY_HEAD + index] = totals[key];
  }
}

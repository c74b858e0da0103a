import type { FabricSpec } from '../core/fabric-spec.js';
import type { FabricState } from '../core/fabric-state.js';
import type { HeldPort } from '../core/ports/held-ports.js';
import { PauseLog } from '../core/ports/pause-log.js';
import type { RunningFabric } from '../core/running-fabric.js';
import type { FabricTotals } from '../core/totals.js';
import type { FlowTable } from '../nic/flow-table.js';
import type { WatchdogEvent } from '../switching/watchdog-options.js';
import type { MemberOutcome, TeamMember } from './team-member.js';
import { SUMMARY_HEAD, SUMMARY_WORDS, type TeamPlan, totalKeys } from './team-plan.js';

/** What the leader of a team asks its members, all at once. */
export type TeamCommand =
  | { readonly kind: 'run'; readonly untilNs: number; readonly maxEvents: number }
  | { readonly kind: 'held' }
  | { readonly kind: 'outcome' };

/** A member as its leader sees it: it lives in another thread. */
export interface RemoteMember {
  /** Carries out a command there, and gives what `obey` gave. */
  call(command: TeamCommand): Promise<unknown>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** Carries out a command, in the member's thread. */
export function obey(member: TeamMember, command: TeamCommand): unknown {
  if (command.kind === 'run') return member.run(command.untilNs, command.maxEvents);
  return command.kind === 'held' ? member.heldPorts() : member.outcome();
}

/** A fabric that several threads simulate together. Its answer is that of one thread. */
export class TeamFabric implements RunningFabric {
  readonly spec: FabricSpec;
  readonly state: FabricState;
  finished: readonly number[] = [];
  pauseLog = new PauseLog();
  watchdogEvents: readonly WatchdogEvent[] = [];
  private readonly members: readonly RemoteMember[];
  private readonly summaries: Float64Array;

  constructor(plan: TeamPlan, state: FabricState, members: readonly RemoteMember[]) {
    this.spec = plan.spec;
    this.state = state;
    this.members = members;
    this.summaries = new Float64Array(plan.summaries);
  }

  get flows(): FlowTable {
    return this.state.flows;
  }

  get nowNs(): number {
    return Math.max(...this.column(1));
  }

  get events(): number {
    return sumOf(this.column(2));
  }

  get finishedFlows(): number {
    return sumOf(this.column(3));
  }

  get isIdle(): boolean {
    return this.column(0).every((nextNs) => nextNs === Infinity);
  }

  get totals(): FabricTotals {
    const totals = {} as FabricTotals;
    for (const [index, key] of totalKeys.entries()) totals[key] = sumOf(this.column(SUMMARY_HEAD + index));
    return totals;
  }

  async run(untilNs: number, maxEvents = Infinity): Promise<boolean> {
    const [whole] = (await this.call({ kind: 'run', untilNs, maxEvents })) as boolean[];
    return whole;
  }

  async heldPorts(): Promise<HeldPort[]> {
    const held = ((await this.call({ kind: 'held' })) as HeldPort[][]).flat();
    return held.sort((a, b) => a.port - b.port || a.trafficClass - b.trafficClass);
  }

  /** Ends the threads, too. */
  async end(): Promise<void> {
    const outcomes = (await this.call({ kind: 'outcome' })) as MemberOutcome[];
    const { endNs } = this.flows;
    this.finished = outcomes.flatMap(({ finished }) => finished).sort((a, b) => endNs[a] - endNs[b] || a - b);
    this.pauseLog = PauseLog.merged(outcomes.map(({ pauses }) => pauses));
    this.watchdogEvents = outcomes
      .flatMap(({ watchdogEvents }) => watchdogEvents)
      .sort((a, b) => a.timeNs - b.timeNs || a.port - b.port || a.trafficClass - b.trafficClass);
    await this.close();
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => member.close()));
  }

  private async call(command: TeamCommand): Promise<unknown[]> {
    try {
      return await Promise.all(this.members.map((member) => member.call(command)));
    } catch (error) {
      // The others may wait for the one that failed.
      await this.close();
      throw error;
    }
  }

  private column(word: number): number[] {
    return this.members.map((_, member) => this.summaries[member * SUMMARY_WORDS + word]);
  }
}

function sumOf(list: readonly number[]): number {
  return list.reduce((sum, each) => sum + each, 0);
}

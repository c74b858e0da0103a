import type { Finding } from '../diagnosis/finding.js';
import { findFault } from '../faults/catalogue.js';
import type { Plan } from '../plan.js';
import { THRESHOLDS, type Thresholds } from '../thresholds.js';
import type { LinkState } from './link-health.js';

/** Runs that are looked back at: two hours of idle runs. */
export const RUNS_REMEMBERED = 24;

/**
 * Remembers how links came out of the last runs and tells which of them come and go (Hostping §4.3, #6): gray in three
 * runs in a row, or three changes between normal and abnormal within the last runs. A single run sees neither.
 */
export class LinkMemory {
  private readonly plan: Plan;
  private readonly thresholds: Thresholds;
  /** By link, the oldest first; runs that did not judge the link are left out. */
  private readonly states: LinkState[][];

  constructor(plan: Plan, thresholds: Thresholds = THRESHOLDS) {
    this.plan = plan;
    this.thresholds = thresholds;
    this.states = plan.links.map(() => []);
  }

  /** Adds a run; states are in the order of the plan's links. */
  add(states: readonly LinkState[]): void {
    states.forEach((state, link) => {
      if (state === 'unknown') return;
      const known = this.states[link];
      known.push(state);
      if (known.length > RUNS_REMEMBERED) known.shift();
    });
  }

  isFlapping(link: number): boolean {
    const known = this.states[link];
    const { flappingAfter } = this.thresholds;
    const last = known.slice(-flappingAfter);
    if (last.length === flappingAfter && last.every((state) => state === 'gray')) return true;
    return changes(known) >= flappingAfter;
  }

  /** A finding per link that comes and goes. */
  findings(): readonly Finding[] {
    return this.plan.links.flatMap(({ name, place }, link) => {
      if (!this.isFlapping(link)) return [];
      const known = this.states[link];
      const bad = known.filter((state) => state !== 'normal').length;
      const cause = place === 'memory' ? 'memory-channel' : place === 'inter-socket' ? 'upi-degraded' : null;
      return [
        {
          links: [name],
          cause: 'flapping',
          causeClass: 'flapping',
          alternatives: [],
          certainty: 'suspected',
          evidence: [
            `${bad} of the last ${known.length} runs saw it slow, the others did not; it changed ${changes(known)} times`,
            known.at(-1) === 'normal'
              ? 'it is normal now, so a test by hand would find nothing'
              : 'it is slow now',
          ],
          advice:
            cause === null
              ? 'Read the AER and replay counters of both ends over a day; reseat the card or replace the cable or riser.'
              : `Look for corrected errors over a day. ${findFault(cause)?.advice ?? ''}`.trim(),
          tellApart: [],
        } satisfies Finding,
      ];
    });
  }
}

/** How often a link went from normal to something else or back. */
function changes(states: readonly LinkState[]): number {
  let count = 0;
  for (let run = 1; run < states.length; run++)
    if ((states[run] === 'normal') !== (states[run - 1] === 'normal')) count++;
  return count;
}

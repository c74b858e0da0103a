import { findFault } from '../faults/catalogue.js';
import type { CauseClass } from '../faults/fault-kind.js';
import { type Plan, pathName } from '../plan.js';
import type { PathStatus } from '../status.js';

/** Something that is wrong with a host. */
export interface Finding {
  /** Links by name; several where nothing that was measured tells them apart. */
  readonly links: readonly string[];
  /** The id of a fault kind; `pcie-link` for a slow PCIe link that nothing tells more about. */
  readonly cause: string;
  readonly causeClass: CauseClass;
  /** Other causes that the same readings fit. */
  readonly alternatives: readonly string[];
  /** `verified`: the host admits to it. `suspected`: the readings fit. */
  readonly certainty: 'verified' | 'suspected';
  readonly evidence: readonly string[];
  readonly advice: string;
  /** What would tell the alternatives, or the links, apart. */
  readonly tellApart: readonly string[];
}

/** A finding with the class and the advice of its cause. */
export function finding(
  cause: string,
  rest: Omit<Finding, 'cause' | 'causeClass' | 'advice'> & { title?: string },
): Finding {
  const kind = findFault(cause);
  const { title, ...fields } = rest;
  return {
    ...fields,
    evidence: title === undefined ? fields.evidence : [title, ...fields.evidence],
    cause,
    causeClass: kind?.causeClass ?? 'failure',
    advice:
      kind?.advice ??
      'Read LnkSta, LnkCap and DevCtl of both ends and the AER counters; reseat or replace what differs from a healthy host.',
  };
}

/** What would tell links, or causes, apart. */
export function tellApart(links: readonly number[], plan: Plan, alternatives: readonly string[]): string[] {
  const said: string[] = [];
  if (links.length > 1)
    said.push(
      `a probe that crosses ${plan.links[links[0]].name} and not ${plan.links[links[1]].name}: an RNIC or endpoint between them`,
    );
  if (alternatives.includes('pcie-silent'))
    said.push('read LnkSta, DevCtl and the AER counters of both ends');
  return said;
}

/** A path with how it compares to its baseline. */
export function describePath(plan: Plan, statuses: readonly PathStatus[], path: number): string {
  const { gbpsRatio, latencyRatio } = statuses[path];
  const percent = (ratio: number | null) => (ratio === null ? 'nothing' : `${(100 * ratio).toFixed(0)} %`);
  return `${pathName(plan.paths[path])}: bandwidth ${percent(gbpsRatio)} and latency ${percent(latencyRatio)} of the baseline`;
}

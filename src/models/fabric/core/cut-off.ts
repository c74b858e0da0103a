import type { FlowSpec } from '../nic/flow-spec.js';
import type { Routing } from '../topology/routing.js';

/** Flows that have no way any more, and those that wait for them: they never end. */
export interface CutOff {
  readonly flows: readonly number[];
  /** From then on: the last change of links. */
  readonly fromNs: number;
}

export const NOTHING_CUT_OFF: CutOff = { flows: [], fromNs: 0 };

/** What is cut off for good when links stay as `routing` has them. */
export function cutOffBy(routing: Routing, specs: readonly FlowSpec[], fromNs: number): CutOff {
  const cut = new Set<FlowSpec>();
  const flows: number[] = [];
  for (const [flow, spec] of specs.entries()) {
    const { source, target, after = [] } = spec;
    const reaches = routing.reaches(source, target) && routing.reaches(target, source);
    if (reaches && !after.some((each) => cut.has(each))) continue;
    cut.add(spec);
    flows.push(flow);
  }
  return { flows, fromNs };
}

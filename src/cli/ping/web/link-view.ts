import type { LinkState, Plan, RunRecord } from '../../../jobs/ping/index.js';

/** A link as it is shown. */
export interface LinkView {
  readonly name: string;
  readonly state: LinkState | 'flapping';
  /** Goes with the colour, for those who do not see it. */
  readonly mark: string;
}

export const MARKS: Readonly<Record<LinkView['state'], string>> = {
  normal: '',
  abnormal: '×',
  flapping: '~',
  overloaded: '!',
  gray: '?',
  unknown: '',
};

/** The links of a run. */
export function linkViews(plan: Plan, record: RunRecord | undefined): LinkView[] {
  return plan.links.map(({ name }, link) => {
    const state = record?.flapping.includes(name) ? 'flapping' : (record?.links[link] ?? 'unknown');
    return { name, state, mark: MARKS[state] };
  });
}

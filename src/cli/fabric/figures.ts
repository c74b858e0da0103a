import type { FabricAnswer } from '../../jobs/fabric/index.js';
import type { FigureNames, JobFigures } from '../checks/job-figures.js';

/** What can be asserted of a run of a fabric. */
export const fabricFigureNames = {
  flows: 'flows',
  finished: 'flows that ended',
  drops: 'packets dropped',
  lost: 'packets lost on links',
  timeouts: 'retransmission timers that ran out',
  pauseFrames: 'pause frames',
  marks: 'packets marked',
  'slowdown.p50': 'slowdown, median',
  'slowdown.p95': 'slowdown, p95',
  'slowdown.p99': 'slowdown, p99',
  'slowdown.max': 'slowdown, greatest',
  lastEndNs: 'end of the last flow, ns',
} as const satisfies FigureNames;

/** The figures of an answer. */
export function fabricFigures(answer: FabricAnswer): JobFigures {
  const { flows, finished, drops, lost, timeouts, pauseFrames, marks, slowdown, lastEndNs } = answer;
  return {
    ...{ flows, finished, drops, lost, timeouts, pauseFrames, marks, lastEndNs },
    'slowdown.p50': slowdown?.p50 ?? null,
    'slowdown.p95': slowdown?.p95 ?? null,
    'slowdown.p99': slowdown?.p99 ?? null,
    'slowdown.max': slowdown?.max ?? null,
  } satisfies Record<keyof typeof fabricFigureNames, number | null>;
}

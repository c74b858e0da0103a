import type { HuntAnswer } from '../../jobs/hunt/index.js';
import type { FigureNames, JobFigures } from '../checks/job-figures.js';

/** What can be asserted of a hunt. */
export const huntFigureNames = {
  anomalies: 'anomalies found',
  reduced: 'of them reduced to what they need',
  pause: 'of them pauses',
  throughput: 'of them lacking throughput',
  loss: 'of them loss',
  unknown: "of them not in Collie's Table 2",
  severity: 'the worst severity, 0 to 1',
  rows: "rows of Collie's Table 2",
  experiments: 'experiments',
  hardwareHours: 'hours of hardware',
} as const satisfies FigureNames;

/** The figures of an answer. */
export function huntFigures({ anomalies, rows, experiments, hardwareHours }: HuntAnswer): JobFigures {
  const of = (symptom: string) => anomalies.filter((each) => each.symptom === symptom).length;
  return {
    anomalies: anomalies.length,
    reduced: anomalies.filter(({ complete }) => complete).length,
    pause: of('pause'),
    throughput: of('throughput'),
    loss: of('loss'),
    unknown: anomalies.filter(({ matches }) => matches.length === 0).length,
    severity: Math.max(0, ...anomalies.map(({ severity }) => severity)),
    rows: rows.length,
    experiments,
    hardwareHours,
  } satisfies Record<keyof typeof huntFigureNames, number>;
}

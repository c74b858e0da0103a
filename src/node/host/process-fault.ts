import { KelpieError } from '../../error.js';

/** What can be done to a process of a mesh. */
const KINDS = ['busy', 'delay', 'loss', 'stopped'] as const;

/** Something that is wrong with a process on purpose. */
export interface ProcessFault {
  readonly kind: (typeof KINDS)[number];
  readonly process: string;
  /** `busy`: share of the time; `delay`: milliseconds; `loss`: probability. */
  readonly severity: number;
}

const RANGES: Readonly<Record<ProcessFault['kind'], { min: number; max: number; usual: number }>> = {
  busy: { min: 0.01, max: 0.95, usual: 0.8 },
  delay: { min: 1, max: 100, usual: 2 },
  loss: { min: 0.0001, max: 0.5, usual: 0.005 },
  stopped: { min: 1, max: 1, usual: 1 },
};

/** Reads `KIND@PROCESS[:SEVERITY]`, such as `busy@p1:0.8`. */
export function parseProcessFault(text: string, processes: readonly string[]): ProcessFault {
  const [, id, process, given] = /^([a-z]+)@(\w+)(?::([\d.]+))?$/.exec(text) ?? [];
  const kind = KINDS.find((each) => each === id);
  const range = kind === undefined ? undefined : RANGES[kind];
  const severity = given === undefined ? (range?.usual ?? Number.NaN) : Number(given);
  if (kind !== undefined && processes.includes(process) && severity >= range!.min && severity <= range!.max)
    return { kind, process, severity };
  const kinds = KINDS.map((each) => `${each} (${RANGES[each].min} to ${RANGES[each].max})`).join(', ');
  throw new KelpieError('BAD_FLAG', 'no such fault of a process', {
    ...{ field: '--fault', given: text },
    allowed: `KIND@PROCESS[:SEVERITY] with ${kinds}, and one of ${processes.join(', ')}`,
  });
}

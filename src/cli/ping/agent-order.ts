import type { ProbeOptions, Retention } from '../../jobs/ping/index.js';
import type { ServerChoice } from '../../testbeds/index.js';
import { numberFlag } from '../flag-value.js';
import { RUNS_FOLDER } from './runs-folder.js';
import { timeFlag } from './time-flag.js';

/** What `kelpie ping --agent` was asked for. */
export interface AgentOrder {
  readonly name: string;
  readonly choice: ServerChoice;
  readonly faults: readonly string[];
  readonly probes: ProbeOptions;
  readonly everyMs: number;
  /** In a time that does not wait; until it is interrupted unless set. */
  readonly forMs?: number;
  /** Where runs are kept; nowhere unless set. */
  readonly folder?: string;
  readonly retention: Retention;
  /** Where the page and the metrics are served, and whom runs are reported to. */
  readonly serve?: string;
  readonly report?: string;
  readonly json: boolean;
}

/** The flags of an agent. */
export interface AgentFlags {
  readonly every: string;
  readonly for?: string;
  readonly name?: string;
  readonly folder?: string;
  readonly fault?: readonly string[];
  readonly keep: string;
  readonly keepMb: string;
  readonly serve?: string;
  readonly report?: string;
  readonly json?: boolean;
}

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

/** Reads the flags of an agent. */
export function agentOrder(
  flags: AgentFlags,
  { choice, probes }: { choice: ServerChoice; probes: ProbeOptions },
): AgentOrder {
  const range = { minMs: SECOND_MS, maxMs: 3650 * DAY_MS };
  const forMs = flags.for === undefined ? undefined : timeFlag('--for', flags.for, range);
  const folder = flags.folder ?? (forMs === undefined ? RUNS_FOLDER : undefined);
  return {
    name: flags.name ?? choice.host,
    ...{ choice, probes, faults: flags.fault ?? [] },
    everyMs: timeFlag('--every', flags.every, { minMs: SECOND_MS, maxMs: DAY_MS }),
    ...(forMs === undefined ? {} : { forMs }),
    ...(folder === undefined ? {} : { folder }),
    retention: {
      maxAgeMs: timeFlag('--keep', flags.keep, range),
      maxBytes: 2 ** 20 * numberFlag(flags, '--keep-mb', { min: 1, max: 1e6 }),
    },
    ...(flags.serve === undefined ? {} : { serve: flags.serve }),
    ...(flags.report === undefined ? {} : { report: flags.report }),
    json: flags.json === true,
  };
}

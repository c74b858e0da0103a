import { setImmediate } from 'node:timers/promises';
import { KelpieError } from '../../error.js';
import { type Explanation, explain, type WhatIfOutcome } from '../../jobs/explain/index.js';
import { mechanisms } from '../../models/index.js';
import { openTestbed, subsystemOf } from '../../testbeds/index.js';
import { hostsNeeded, type Measurement } from '../../workload/index.js';
import type { Invocation } from '../command.js';
import type { OptionSpec, OptionsOf } from '../option.js';
import { chooseProvider, type ProviderOptions, requireSubsystem } from '../providers.js';
import { formatTable } from '../terminal.js';

/** The flag of every command that can explain what limited a run. */
export const explainFlag = {
  flags: '--explain',
  description: 'prove what limited the run: run it again with the suspected parts off, or twice as fast',
} as const satisfies OptionSpec;

type ExplainOptions = ProviderOptions & OptionsOf<readonly [typeof explainFlag]>;

/** Refuses --explain where nothing can be switched off. */
export function requireExplainable({ options }: Invocation<ExplainOptions>): void {
  if (options.explain !== true) return;
  const { entry, chosen } = chooseProvider(options);
  if (!entry.takesProfiles)
    throw new KelpieError('BAD_FLAG', 'only the simulated provider has mechanisms that can be switched off', {
      field: '--explain',
      given: entry.name,
      allowed: '--provider simulated',
    });
  requireSubsystem(chosen, '--explain');
}

/** Proves what limited a run. */
export function explainRun(
  measurement: Measurement,
  { options, terminal, signal }: Invocation<ExplainOptions>,
): Promise<Explanation> {
  const { chosen } = chooseProvider(options);
  const { workload, seed } = measurement;
  return explain(measurement, {
    subsystem: subsystemOf({ ...chosen, settings: workload.settings }),
    mechanisms,
    open: (changed, subsystem, ablate, lossless) =>
      openTestbed({
        provider: chosen.provider,
        hosts: hostsNeeded(changed),
        subsystem,
        ...(chosen.impairments === undefined || lossless ? {} : { impairments: chosen.impairments }),
        seed,
        ablate: ablate as (keyof typeof mechanisms)[],
      }),
    run: { signal, onSlice: () => setImmediate() },
    onWhatIf: (name, done, all) => {
      terminal.draw(`explaining, ${done + 1} of ${all}: ${name}`);
    },
  }).finally(() => terminal.draw(''));
}

/** An explanation for people. */
export function formatExplanation(
  { conclusion, outcomes }: Explanation,
  { total, pauseRatio, verdict }: Measurement,
): string {
  const rows = [
    ['what if', 'goodput Gb/s', 'M messages/s', 'times', 'pauses', 'anomaly', ''],
    ['as it is', ...cells({ ...total, pauseRatio, symptom: verdict.symptom, faster: 1 }), ''],
    ...outcomes.map((outcome) => [
      outcome.name,
      ...cells(outcome),
      outcome.matters ? (outcome.clears ? 'clears it' : 'faster') : '',
    ]),
  ];
  return `\n${formatTable(rows, [1, 2, 3, 4])}explained: ${conclusion}\n`;
}

type Cells = Pick<WhatIfOutcome, 'goodputGbps' | 'messagesPerSecond' | 'pauseRatio' | 'symptom' | 'faster'>;

function cells({ goodputGbps, messagesPerSecond, pauseRatio, symptom, faster }: Cells): string[] {
  return [
    goodputGbps.toFixed(2),
    (messagesPerSecond / 1e6).toFixed(3),
    faster === Number.POSITIVE_INFINITY ? '-' : faster.toFixed(2),
    pauseRatio === null ? '-' : `${(pauseRatio * 100).toFixed(1)} %`,
    symptom ?? 'none',
  ];
}

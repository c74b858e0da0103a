import { writeTextFile } from '../../../node/index.js';
import { limitText } from '../../../report/limit-text.js';
import { measurementPage } from '../../../report/pages/measurement.js';
import { checkFlags, reportChecks } from '../../checks/check-files.js';
import { defineCommand } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { seedFlag } from '../../flag-value.js';
import { chooseProvider, providerFlags } from '../../providers.js';
import { parseAssertion } from '../../run/assertion.js';
import { explainFlag, explainRun, formatExplanation, requireExplainable } from '../../run/explain.js';
import { networkFlags } from '../../run/network-flags.js';
import { formatMeasurement } from '../../run/report.js';
import { runOnProvider } from '../../run/run-on-provider.js';
import { openWorkload } from '../../run/workload-file.js';

/** `kelpie run FILE`: a workload from a file, measured and judged. */
export const run = defineCommand({
  options: [
    ...providerFlags,
    ...networkFlags,
    {
      flags: '--assert <thresholds...>',
      description: "what must hold, such as 'goodputGbps>=90' or 'tenant.victim.latencyNs.p99<5000'",
    },
    explainFlag,
    { flags: '--html <file>', description: 'write a report' },
    { flags: '--levels', description: 'keep how full queues and links are in each slice, as series.levels' },
    ...checkFlags,
    { flags: '--json', description: 'print the Measurement' },
  ],
  examples: [
    'kelpie run incast.yaml --seed 7',
    'kelpie run incast.yaml --explain',
    'kelpie run writes.yaml --architecture srnic --loss 0.001 --loss-kinds data',
    "kelpie run victim.yaml --json --assert 'goodputGbps>=90' --assert 'pauseRatio<=0.001'",
  ],
  async run(invocation) {
    const { options, terminal } = invocation;
    const [file] = invocation.arguments;
    const seed = seedFlag(options);
    chooseProvider(options);
    requireExplainable(invocation);
    const { workload, inFile } = openWorkload(file);
    const assertions = (options.assert ?? []).map((text) => parseAssertion(text, workload));
    const levels = options.levels === true;
    const measurement = await inFile(() =>
      runOnProvider(workload, seed, invocation, { followLatency: true, levels }),
    );
    const json = options.json === true;
    if (!json) terminal.out(formatMeasurement(measurement));
    const explanation = options.explain === true ? await explainRun(measurement, invocation) : null;
    const explained = explanation === null ? measurement : { ...measurement, explanation };
    if (options.html !== undefined)
      writeTextFile(options.html, measurementPage([explained], invocation.line, 'kelpie run'), '--html');
    if (json) terminal.out(`${JSON.stringify(explained)}\n`);
    else if (explanation !== null) terminal.out(formatExplanation(explanation, measurement));
    const { verdict, limits, total } = measurement;
    const hold = reportChecks(
      {
        title: `${workload.name} on ${measurement.profile ?? measurement.provider}`,
        checks: assertions.map(({ text, holds, found }) => {
          return { name: text, passed: holds(measurement), found: found(measurement) };
        }),
        outcome: `${verdict.anomaly ? `Anomaly (${verdict.symptom})` : 'No anomaly'}: ${verdict.why}. ${limitText(limits.by)}.`,
        table: [
          ['figure', 'value'],
          ['goodput Gb/s', total.goodputGbps.toFixed(2)],
          ['M messages/s', (total.messagesPerSecond / 1e6).toFixed(3)],
        ],
      },
      options,
      terminal,
    );
    return !hold || verdict.anomaly ? ExitCode.FOUND : ExitCode.GOOD;
  },
});

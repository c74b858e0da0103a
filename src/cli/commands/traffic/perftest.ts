import { KelpieError } from '../../../error.js';
import type { Explanation } from '../../../jobs/explain/index.js';
import { writeTextFile } from '../../../node/index.js';
import { measurementPage } from '../../../report/pages/measurement.js';
import type { Measurement } from '../../../workload/index.js';
import { assertFlag, type CheckReport, checkFlags, reportChecks } from '../../checks/check-files.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { seedFlag } from '../../flag-value.js';
import type { OptionSpec } from '../../option.js';
import {
  type PerftestKind,
  type PerftestVerb,
  perftestFlags,
  perftestWorkloads,
} from '../../perftest/flags.js';
import { isPeer, peerFlags, runPeer } from '../../perftest/peer.js';
import { formatFooter, formatHeader, formatLimits, formatRow } from '../../perftest/report.js';
import { chooseProvider, providerFlags } from '../../providers.js';
import { type Assertion, parseAssertion } from '../../run/assertion.js';
import { explainFlag, explainRun, formatExplanation, requireExplainable } from '../../run/explain.js';
import { networkFlags } from '../../run/network-flags.js';
import { runOnProvider } from '../../run/run-on-provider.js';

/** Virtual seconds from which on a run says what it will take. */
const LONG_SECONDS = 0.01;

const shared = [
  ...perftestFlags,
  ...peerFlags,
  ...providerFlags,
  ...networkFlags,
  explainFlag,
  assertFlag(
    "what must hold at every size, such as 'goodputGbps>=90' or 'latencyNs.p99<5000'; may be repeated",
  ),
  ...checkFlags,
  { flags: '--html <file>', description: 'write a report' },
  { flags: '--json', description: 'print the Measurements, one per size' },
] as const satisfies readonly OptionSpec[];

/** `kelpie bw write|read|send|atomic`: perftest's rate tests. */
export const bw = defineCommand({
  options: shared,
  examples: [
    'kelpie bw write -s 4096 -q 8 --report_gbits',
    'kelpie bw send -c UD -s 2048 -b',
    'kelpie bw read -a',
    'kelpie bw write -m 1024 --architecture irn --loss 0.01 --loss-burst 4',
    'kelpie bw write --provider software             # the server of a stock ib_write_bw',
    'kelpie bw write --provider software 192.0.2.1   # and its client',
  ],
  run: (invocation) => runPerftest('bw', invocation),
});

/** `kelpie lat write|read|send|atomic`: perftest's latency tests. */
export const lat = defineCommand({
  options: shared,
  examples: [
    'kelpie lat write -s 64',
    'kelpie lat send -a -n 200',
    'kelpie lat send --provider software 192.0.2.1   # the client of a stock ib_send_lat',
  ],
  run: (invocation) => runPerftest('lat', invocation),
});

async function runPerftest(kind: PerftestKind, invocation: InvocationOf<typeof shared>): Promise<ExitCode> {
  const { options, terminal, signal } = invocation;
  const [verb] = invocation.arguments;
  const seed = seedFlag(options);
  chooseProvider(options);
  requireExplainable(invocation);
  const workloads = perftestWorkloads(kind, verb, options);
  const assertions = (options.assert ?? []).map((text) => parseAssertion(text, workloads[0]));
  if (isPeer(invocation)) requireNoAssertions(assertions);
  if (isPeer(invocation)) return runPeer(kind, verb as PerftestVerb, workloads, seed, invocation);
  const json = options['json'] === true || options['out_json'] === true;
  const seconds = workloads[0].measure.minNs / 1e9;
  // A clock that is simulated stands still for nobody: it costs far more time than it shows.
  if (options['duration'] !== undefined && seconds >= LONG_SECONDS && options['provider'] !== 'software')
    terminal.err(
      `note: ${seconds} s of ${String(options['provider'])} time will take many times as long; Ctrl-C prints what there is by then\n`,
    );
  const report = { kind, verb: verb as PerftestVerb, gbits: options['report_gbits'] === true };
  const measurements: (Measurement & { explanation?: Explanation })[] = [];
  for (const [index, workload] of workloads.entries()) {
    const label =
      workloads.length === 1 ? workload.name : `${workload.name}, size ${index + 1} of ${workloads.length}`;
    const measurement = await runOnProvider(workload, seed, invocation, { label });
    const explained =
      options['explain'] === true ? { explanation: await explainRun(measurement, invocation) } : {};
    measurements.push({ ...measurement, ...explained });
    if (!json) {
      if (measurements.length === 1) {
        const [tenant] = measurement.workload.tenants;
        terminal.out(formatHeader(report, { tenant, device: measurement.hosts[0].device, gidIndex: 0 }));
      }
      terminal.out(formatRow(report, measurement));
    }
    if (signal.aborted) break;
  }
  if (options.html !== undefined)
    writeTextFile(
      options.html,
      measurementPage(measurements, invocation.line, `kelpie ${kind}`, kind === 'bw' ? 'rate' : 'latency'),
      '--html',
    );
  if (json) terminal.out(`${JSON.stringify(measurements)}\n`);
  else {
    terminal.out(formatFooter());
    if (signal.aborted) terminal.out('PARTIAL: interrupted\n');
    terminal.out(formatLimits(measurements));
    for (const { explanation, ...measurement } of measurements)
      if (explanation !== undefined) terminal.out(formatExplanation(explanation, measurement));
    for (const note of new Set(measurements.flatMap(({ notes }) => notes))) terminal.out(`note: ${note}\n`);
  }
  return reportChecks(reportOf(kind, verb, measurements, assertions), options, terminal)
    ? ExitCode.GOOD
    : ExitCode.FOUND;
}

/** The other program's figures are as much ours as its own: nothing is asserted of them. */
function requireNoAssertions(assertions: readonly Assertion[]): void {
  if (assertions.length > 0)
    throw new KelpieError('BAD_FLAG', 'a run with another program gives no Measurement', {
      field: '--assert',
      given: assertions[0].text,
      allowed: 'without a peer, or with --loopback',
    });
}

function reportOf(
  kind: PerftestKind,
  verb: string,
  measurements: readonly Measurement[],
  assertions: readonly Assertion[],
): CheckReport {
  const [first] = measurements;
  const rows = measurements.map((measurement) => [
    nameOf(measurement),
    measurement.total.goodputGbps.toFixed(2),
    (measurement.total.messagesPerSecond / 1e6).toFixed(3),
    String(measurement.tenants[0].latencyNs?.p50 ?? '–'),
  ]);
  return {
    title: `kelpie ${kind} ${verb} on ${first?.profile ?? first?.provider ?? 'nothing'}`,
    checks: assertions.map(({ text, holds, found }) => {
      const broken = measurements.filter((each) => !holds(each));
      return {
        name: text,
        passed: broken.length === 0 && measurements.length > 0,
        found:
          broken.length === 0
            ? `at all of ${measurements.length} sizes`
            : broken.map((each) => `${found(each)} at ${nameOf(each)}`).join('; '),
      };
    }),
    outcome: `${measurements.length} sizes.`,
    table: [['size', 'goodput Gb/s', 'M messages/s', 'p50 ns'], ...rows],
  };
}

function nameOf({ workload }: Measurement): string {
  return `${workload.tenants[0].sizes.flat().join('+')} B`;
}

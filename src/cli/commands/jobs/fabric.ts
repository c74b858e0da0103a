import { dirname, resolve } from 'node:path';
import { KelpieError } from '../../../error.js';
import {
  answerOf,
  type FabricRun,
  type FullHosts,
  cableUse,
  parseFabric,
  runFabric,
  runMixed,
} from '../../../jobs/fabric/index.js';
import { Fabric, type FabricSpec, type RunningFabric } from '../../../models/fabric/index.js';
import { writeTextFile } from '../../../node/text-file.js';
import { fabricPage } from '../../../report/pages/fabric.js';
import type { Measurement } from '../../../workload/index.js';
import { assertFlag, checkFlags, reportChecks } from '../../checks/check-files.js';
import { checkFigures, figureTable, parseFigureThresholds } from '../../checks/job-figures.js';
import { defineCommand, type InvocationOf } from '../../command.js';
import { ExitCode } from '../../exit-code.js';
import { fabricFigureNames, fabricFigures } from '../../fabric/figures.js';
import { readNs3Job, writeNs3Outputs } from '../../fabric/ns3-files.js';
import { formatAnswer } from '../../fabric/report.js';
import { readText } from '../../fabric/text-files.js';
import type { OptionSpec } from '../../option.js';
import { ProgressLine } from '../../progress.js';
import { RunProgress } from '../../run/progress.js';
import { formatMeasurement } from '../../run/report.js';
import type { Terminal } from '../../terminal.js';
import { workersFlag } from '../../workers-flag.js';

const flags = [
  {
    flags: '--ns3 <config>',
    description:
      'an HPCC configuration with its topology, flow and trace files, relative to it; writes its FCT and PFC files',
  },
  { flags: '--html <file>', description: 'write a report: the series and a map of the links' },
  { flags: '--report <file>', description: 'the same as --html' },
  assertFlag(
    "what must hold, such as 'drops==0' or 'slowdown.p99<5'; decides the exit code; may be repeated",
  ),
  ...checkFlags,
  {
    flags: '--workers <number>',
    description: 'threads for one fabric, with the same result; worthwhile from a thousand hosts',
    default: '1',
  },
  { flags: '--json', description: 'print the result as JSON' },
] as const satisfies readonly OptionSpec[];

type FabricInvocation = InvocationOf<typeof flags>;

/** `kelpie fabric`: a fabric of light NICs and switches, packet by packet. */
export const fabric = defineCommand({
  options: flags,
  examples: [
    'kelpie fabric fabric.yaml --report fabric.html',
    'kelpie fabric --ns3 mix/config.txt',
    'kelpie fabric --ns3 mix/config.txt --json',
  ],
  run,
});

/** What to simulate, and what to write when it is over. */
interface Task {
  readonly title: string;
  readonly spec: FabricSpec;
  readonly stopNs: number;
  /** Hosts whose NICs are simulated in full; null if there are none. */
  readonly full: FullHosts | null;
  write(fabric: RunningFabric): void;
}

async function run({
  options,
  arguments: files,
  terminal,
  signal,
  line,
}: FabricInvocation): Promise<ExitCode> {
  const workers = workersFlag(options, '--workers');
  const thresholds = parseFigureThresholds(options.assert, fabricFigureNames);
  const task = taskOf(files, options.ns3, terminal);
  if (task.full !== null && workers > 1)
    throw new KelpieError('BAD_FLAG', 'a fabric with full hosts runs in one thread', {
      field: '--workers',
      given: workers,
      allowed: '1',
    });
  if (workers > 1 && (task.spec.order !== 'canonical' || task.spec.rng !== 'own'))
    throw new KelpieError(
      'BAD_FLAG',
      "only the canonical order with own random numbers can be divided, not ns-3's",
      {
        field: '--workers',
        given: workers,
        allowed: '1',
      },
    );
  const ran =
    task.full === null
      ? await runLight(task, workers, terminal, signal)
      : await runFull(task, task.full, terminal, signal);
  const { fabric: simulated, recorder, whole, measurement } = ran;
  task.write(simulated);
  const answer = answerOf(simulated, recorder, !whole);
  const report = options.html ?? options.report;
  if (report !== undefined) {
    const about = { title: task.title, topology: task.spec.topology, command: line };
    const page = fabricPage(about, answer, cableUse(simulated, recorder.peakBytes));
    writeTextFile(report, page, options.html === undefined ? '--report' : '--html');
  }
  if (options.json === true) {
    terminal.out(
      `${JSON.stringify(measurement === null ? answer : { ...answer, full: measurement }, null, 2)}\n`,
    );
  } else {
    terminal.out(formatAnswer(answer));
    if (measurement !== null) terminal.out(`\n${formatMeasurement(measurement)}`);
  }
  // With full hosts the run ends when they are measured, whatever the light ones still have to send.
  const unfinished = measurement === null && answer.finished < answer.flows;
  const figures = fabricFigures(answer);
  const hold = reportChecks(
    {
      title: `fabric ${task.title}`,
      checks: checkFigures(thresholds, figures),
      outcome: `${answer.finished} of ${answer.flows} flows ended${answer.partial ? ', interrupted' : ''}.`,
      table: figureTable(fabricFigureNames, figures),
    },
    options,
    terminal,
  );
  // Assertions decide where there are any; else a flow that did not end or a drop is a finding.
  const good = thresholds.length > 0 ? hold : !unfinished && answer.drops === 0;
  return good ? ExitCode.GOOD : ExitCode.FOUND;
}

/** A run, and what the full hosts of it did. */
interface Ran extends FabricRun {
  readonly fabric: RunningFabric;
  readonly measurement: Measurement | null;
}

/** Loaded only where there are several: one thread needs none of it. */
async function openThreads(spec: FabricSpec, workers: number): Promise<RunningFabric> {
  const { openFabricThreads } = await import('../../../node/fabric-threads.js');
  return openFabricThreads(spec, workers);
}

async function runLight(task: Task, workers: number, terminal: Terminal, signal: AbortSignal): Promise<Ran> {
  const simulated = workers === 1 ? new Fabric(task.spec) : await openThreads(task.spec, workers);
  const progress = new ProgressLine(terminal, performance.now());
  const ran = await runFabric(simulated, task.stopNs, async (state) => {
    await new Promise(setImmediate);
    const { nowNs, finished, flows, share } = state;
    progress.estimate(
      share,
      performance.now(),
      () =>
        `${(nowNs / 1e6).toFixed(3)} ms simulated, ${finished} of ${flows} flows, ${(share * 100).toFixed(1)} % of bytes`,
    );
    return !signal.aborted;
  });
  progress.end();
  return { ...ran, fabric: simulated, measurement: null };
}

async function runFull(task: Task, full: FullHosts, terminal: Terminal, signal: AbortSignal): Promise<Ran> {
  const progress = new RunProgress(terminal, full.workload.name, performance.now());
  const ran = await runMixed(
    { ...task, full },
    {
      signal,
      onSetUp: (made, all) => progress.setUp(made, all, performance.now()),
      onSlice: async (now) => {
        progress.slice(now, performance.now());
        await new Promise(setImmediate);
      },
    },
  );
  progress.end();
  return ran;
}

function taskOf(
  files: readonly string[],
  ns3: string | undefined,
  terminal: FabricInvocation['terminal'],
): Task {
  const [file] = files;
  if ((file === undefined) === (ns3 === undefined))
    throw new KelpieError(
      'BAD_FLAG',
      ns3 === undefined ? 'there is nothing to simulate' : 'there are two things to simulate',
      { field: 'fabric', allowed: 'a fabric description, or --ns3 with an HPCC configuration' },
    );
  if (file !== undefined) {
    const text = readText(file, 'fabric');
    const job = parseFabric(text, file, (name, field) => readText(resolve(dirname(file), name), field));
    return { title: file, ...job, write: () => {} };
  }
  const job = readNs3Job(ns3!);
  for (const note of job.notes) terminal.err(`kelpie: ${note}\n`);
  const { spec, stopNs } = job.run;
  return { title: ns3!, spec, stopNs, full: null, write: (simulated) => writeNs3Outputs(job, simulated) };
}

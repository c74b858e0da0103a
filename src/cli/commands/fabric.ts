import { KelpieError } from '../../error.js';
import { Fabric } from '../../models/fabric/index.js';
import type { CommandSpec, Invocation } from '../command.js';
import { ExitCode } from '../exit-code.js';
import { readNs3Job, writeNs3Outputs } from '../fabric/ns3-files.js';
import { FabricProgress } from '../fabric/progress.js';
import { answerOf, formatAnswer } from '../fabric/report.js';

/** Events between two looks at the clock and at Ctrl-C. */
const SLICE_EVENTS = 500_000;

/** `kelpie fabric`: a fabric of light NICs and switches, packet by packet. */
export const fabric: CommandSpec = {
  options: [
    {
      flags: '--ns3 <config>',
      description:
        'a configuration of HPCC with its topology, flow and trace files, relative to it; writes its FCT and PFC files',
    },
    { flags: '--json', description: 'print the result as JSON' },
  ],
  examples: ['kelpie fabric --ns3 mix/config.txt', 'kelpie fabric --ns3 mix/config.txt --json'],
  run,
};

async function run({ options, terminal, signal }: Invocation): Promise<ExitCode> {
  const file = options['ns3'] as string | undefined;
  if (file === undefined)
    throw new KelpieError('BAD_FLAG', 'nothing to simulate was given', {
      field: '--ns3',
      allowed: 'a configuration of HPCC',
    });
  const job = readNs3Job(file);
  for (const note of job.notes) terminal.err(`kelpie: ${note}\n`);
  const simulated = new Fabric(job.run.spec);
  const whole = await runInSlices(simulated, job.run.stopNs, terminal, signal);
  writeNs3Outputs(job, simulated);
  const answer = answerOf(simulated, !whole);
  terminal.out(options['json'] === true ? `${JSON.stringify(answer, null, 2)}\n` : formatAnswer(answer));
  return answer.finished < answer.flows || answer.drops > 0 ? ExitCode.FOUND : ExitCode.GOOD;
}

/** Runs a fabric to its end, with progress; false if it was interrupted. */
async function runInSlices(
  simulated: Fabric,
  stopNs: number,
  terminal: Invocation['terminal'],
  signal: AbortSignal,
): Promise<boolean> {
  const { flows } = simulated;
  const totalBytes = flows.sizeBytes.reduce((sum, each) => sum + each, 0);
  const progress = new FabricProgress(terminal, performance.now());
  while (!simulated.run(stopNs, SLICE_EVENTS)) {
    await new Promise(setImmediate);
    if (signal.aborted) return false;
    const arrived = flows.expectedBytes.reduce((sum, each) => sum + each, 0);
    const state = {
      nowNs: simulated.nowNs,
      finished: simulated.finished.length,
      flows: flows.count,
      share: totalBytes === 0 ? 1 : arrived / totalBytes,
    };
    progress.update(state, performance.now());
  }
  progress.end();
  return true;
}

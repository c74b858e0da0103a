import { Command, CommanderError, Option } from 'commander';
import { KelpieError } from '../error.js';
import { DescriptionError } from '../schema/fault.js';
import { VERSION } from '../version.js';
import { commands } from './commands/index.js';
import { ExitCode } from './exit-code.js';
import { cannotRun, systemRefusal } from './failure.js';
import type { OptionSpec } from './option.js';
import type { Terminal } from './terminal.js';

/**
 * Parses a command line, runs its command and returns the exit code; never exits the process itself.
 *
 * @example
 * const code = await runProgram(['conform', '--json'], processTerminal, new AbortController().signal);
 */
export async function runProgram(
  argv: readonly string[],
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode> {
  let code: ExitCode = ExitCode.GOOD;
  const program = new Command('kelpie')
    .description('A laboratory for RDMA subsystems.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .showHelpAfterError('Run with --help to see what there is.');
  program.configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` });
  for (const entry of commands) {
    const command = program.command(
      entry.name + (entry.arguments === undefined ? '' : ` ${entry.arguments}`),
    );
    command.description(entry.summary).exitOverride();
    // A command that was not typed needs no more than its line on the help page.
    if (!argv.includes(entry.name)) continue;
    const spec = await entry.load();
    for (const option of spec.options) command.addOption(toCommander(option));
    if (spec.examples !== undefined)
      command.addHelpText('after', `\nExamples:\n${spec.examples.map((line) => `  $ ${line}\n`).join('')}`);
    command.action(async () => {
      const positional = command.processedArgs
        .flat()
        .filter((argument) => argument !== undefined) as string[];
      code = await spec.run({ options: command.opts(), arguments: positional, terminal, signal });
    });
  }
  try {
    if (argv.length === 0) {
      terminal.err(program.helpInformation());
      return ExitCode.USAGE;
    }
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return explain(error, terminal);
  }
}

function toCommander(spec: OptionSpec): Option {
  const option = new Option(spec.flags, spec.description);
  if (spec.default !== undefined) option.default(spec.default);
  if (spec.choices !== undefined) option.choices(spec.choices);
  if (spec.repeats === true)
    option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return option;
}

function explain(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.GOOD : ExitCode.USAGE;
  if (error instanceof DescriptionError) {
    // A line of the message for each fault, in the order of the faults.
    for (const [index, line] of error.message.split('\n').entries())
      terminal.err(`kelpie: ${line} [${error.faults[index]?.code ?? error.code}]\n`);
    return ExitCode.USAGE;
  }
  if (error instanceof KelpieError) {
    terminal.err(`kelpie: ${error.message} [${error.code}]\n`);
    return cannotRun(error) ? ExitCode.CANNOT_RUN : ExitCode.USAGE;
  }
  const refusal = systemRefusal(error);
  if (refusal !== null) {
    terminal.err(`kelpie: ${refusal} [CANNOT_RUN]\n`);
    return ExitCode.CANNOT_RUN;
  }
  terminal.err(
    `kelpie: this is a fault of Kelpie itself: ${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return ExitCode.CANNOT_RUN;
}

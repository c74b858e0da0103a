import { Command, CommanderError, Option } from 'commander';
import { VERSION } from '../version.js';
import type { Command as LoadedCommand } from './command.js';
import { commands } from './commands/index.js';
import { ExitCode } from './exit-code.js';
import { failureOf } from './failure.js';
import { describeOption, type OptionSpec } from './option.js';
import { shellWord, type Terminal } from './terminal.js';

const AFTERWORD = `
kelpie COMMAND --help lists its flags with their defaults, and examples.
To begin: kelpie bw write, then kelpie init my-lab, or kelpie serve --open.
`;

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
  const line = ['kelpie', ...argv].map(shellWord).join(' ');
  let typed: LoadedCommand | null = null;
  const wanted = commands.find(({ name }) => name === argv[0]);
  let code: ExitCode = ExitCode.GOOD;
  const program = new Command('kelpie')
    .description('A laboratory for RDMA subsystems.')
    .version(VERSION)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      // Errors have one form, whoever finds them: see failure.ts.
      outputError: () => {},
    });
  program.configureHelp({
    subcommandTerm: (command) =>
      `${command.name()} ${command.usage().replace('[options]', '').trim()}`.trim(),
  });
  program.addHelpText('after', AFTERWORD);
  for (const entry of commands) {
    const command = program.command(
      entry.name + (entry.arguments === undefined ? '' : ` ${entry.arguments}`),
    );
    // The help page of all commands has a line for each: the rest is on its own page.
    const [short] = entry.summary.split(/[:.](?: |$)/);
    command.description(entry.summary).summary(short).helpGroup(`${entry.group}:`).exitOverride();
    // A command that was not typed needs no more than its line on the help page.
    if (!argv.includes(entry.name)) continue;
    const spec = await entry.load();
    if (argv[0] === entry.name) typed = spec;
    for (const option of spec.options) command.addOption(toCommander(option));
    if (spec.examples !== undefined)
      command.addHelpText('after', `\nExamples:\n${spec.examples.map((line) => `  $ ${line}\n`).join('')}`);
    command.action(async () => {
      const positional = command.processedArgs
        .flat()
        .filter((argument) => argument !== undefined) as string[];
      const options = command.opts();
      code = await spec.run({ options, arguments: positional, terminal, signal, line, commands });
      if (signal.aborted && spec.endsByInterrupt?.(options) !== true) code = interrupted(terminal);
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
    // What falls apart because it was told to stop is no failure.
    if (signal.aborted && !(error instanceof CommanderError)) return interrupted(terminal);
    const failure = failureOf(error, {
      commands: commands.map(({ name }) => name),
      ...(wanted === undefined ? {} : { usage: `kelpie ${wanted.name} ${wanted.arguments ?? '[options]'}` }),
      flags:
        (typed as LoadedCommand | null)?.options.flatMap(({ flags }) => flags.match(/-[^\s,]+/g) ?? []) ?? [],
    });
    if (failure === null) return ExitCode.GOOD;
    const { exitCode, text, error: data } = failure;
    if (argv.includes('--json')) terminal.out(`${JSON.stringify({ error: data, exitCode }, plain)}\n`);
    terminal.err(text);
    return exitCode;
  }
}

function interrupted(terminal: Terminal): ExitCode {
  terminal.draw('');
  terminal.err('kelpie: interrupted; the output is partial [INTERRUPTED]\n');
  return ExitCode.INTERRUPTED;
}

/** JSON has no bigints. */
function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function toCommander(spec: OptionSpec): Option {
  const option = new Option(spec.flags, describeOption(spec));
  if (spec.default !== undefined) option.default(spec.default);
  if (spec.choices !== undefined) option.choices(spec.choices);
  if (spec.repeats === true)
    option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value]);
  return option;
}

import type { ExitCode } from './exit-code.js';
import type { OptionSpec, OptionsOf } from './option.js';
import type { Terminal } from './terminal.js';

/** What a command gets: its parsed flags and arguments, and where to write. */
export interface Invocation<Options = unknown> {
  options: Options;
  arguments: readonly string[];
  terminal: Terminal;
  /** Aborted by Ctrl-C: stop soon, print what there is, marked partial. */
  signal: AbortSignal;
  /** The whole command line as a shell takes it: reports say how they were made. */
  line: string;
  /** All commands of the program, for those that speak of the others. */
  commands: readonly CommandEntry[];
}

/** What a command with these options gets. */
export type InvocationOf<Specs extends readonly OptionSpec[]> = Invocation<OptionsOf<Specs>>;

/** A command as the help page of `kelpie` lists it: one row in `commands/index.ts`. */
export interface CommandEntry {
  name: string;
  /** The heading that it stands under. */
  group: string;
  /** As commander writes them: `<workload>` or `[ids...]`. */
  arguments?: string;
  summary: string;
  /** Loads the command's module and all that it needs, which takes longer than `kelpie --version` may. */
  load(): Promise<Command>;
}

/** What a command takes and does: one file in `commands/`. */
export interface CommandSpec<Specs extends readonly OptionSpec[]> {
  options: Specs;
  /** Shown under the help page. */
  examples?: readonly string[];
  /** Whether Ctrl-C is how it ends, so that nothing is missing then: a server, an agent. */
  endsByInterrupt?(options: OptionsOf<Specs>): boolean;
  /** Gets the flags by their names and types as `options` declares them. */
  run(invocation: InvocationOf<Specs>): Promise<ExitCode>;
}

/** A command as the program runs it: with whatever the parser made of its own flags. */
export interface Command extends Omit<CommandSpec<readonly OptionSpec[]>, 'run' | 'endsByInterrupt'> {
  endsByInterrupt?(options: Readonly<Record<string, unknown>>): boolean;
  run(invocation: Invocation<Readonly<Record<string, unknown>>>): Promise<ExitCode>;
}

/**
 * Defines a command whose flags have types: a name that `options` does not declare is an error of the compiler.
 *
 * @example
 * export const greet = defineCommand({
 *   options: [{ flags: '--name <text>', description: 'whom', default: 'you' }],
 *   run: async ({ options, terminal }) => {
 *     terminal.out(`hello, ${options.name}\n`);
 *     return ExitCode.GOOD;
 *   },
 * });
 */
export function defineCommand<const Specs extends readonly OptionSpec[]>(spec: CommandSpec<Specs>): Command {
  // The parser is made from the same options, so what it gives has their names and types.
  const { run, endsByInterrupt, ...rest } = spec;
  return {
    ...rest,
    run: run as Command['run'],
    ...(endsByInterrupt === undefined
      ? {}
      : { endsByInterrupt: endsByInterrupt as NonNullable<Command['endsByInterrupt']> }),
  };
}

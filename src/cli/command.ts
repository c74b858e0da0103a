import type { ExitCode } from './exit-code.js';
import type { Terminal } from './terminal.js';

/** One flag of a command, as data: the parser, the help page and the tests read the same table. */
export interface OptionSpec {
  /** As commander writes it: `--seed <number>` or `--json`. */
  flags: string;
  description: string;
  default?: string | number | boolean;
  /** The only values that are taken. */
  choices?: readonly string[];
}

/** What a command gets: its parsed flags and arguments, and where to write. */
export interface Invocation {
  options: Readonly<Record<string, unknown>>;
  arguments: readonly string[];
  terminal: Terminal;
  /** Aborted by Ctrl-C: stop soon, print what there is, marked partial. */
  signal: AbortSignal;
}

/** A command as the help page of `kelpie` lists it: one row in `commands/index.ts`. */
export interface CommandEntry {
  name: string;
  /** As commander writes them: `<workload>` or `[ids...]`. */
  arguments?: string;
  summary: string;
  /** Loads the command's module and all that it needs, which takes longer than `kelpie --version` may. */
  load(): Promise<CommandSpec>;
}

/** What a command takes and does: one file in `commands/`. */
export interface CommandSpec {
  options: readonly OptionSpec[];
  /** Shown under the help page. */
  examples?: readonly string[];
  run(invocation: Invocation): Promise<ExitCode>;
}

import { runProgram } from '../program.js';

/** What a command left behind. */
export interface Outcome {
  code: number;
  out: string;
  err: string;
}

/** What a test may want besides the outcome. */
export interface TypedOptions {
  signal?: AbortSignal;
  /** Sees what goes to standard output as it comes. */
  onOut?: (text: string) => void;
  /** Sees what goes to standard error as it comes. */
  onErr?: (text: string) => void;
}

/**
 * Runs the program as if its arguments had been typed, with what it prints kept apart and no terminal to draw on.
 *
 * @example
 * const { code, out } = await typed(['run', 'workload.yaml', '--json']);
 */
export async function typed(argv: readonly string[], options: TypedOptions = {}): Promise<Outcome> {
  const outcome: Outcome = { code: 0, out: '', err: '' };
  const terminal = {
    out: (text: string) => {
      outcome.out += text;
      options.onOut?.(text);
    },
    err: (text: string) => {
      outcome.err += text;
      options.onErr?.(text);
    },
    draw: () => {},
    interactive: false,
  };
  outcome.code = await runProgram(argv, terminal, options.signal ?? new AbortController().signal);
  return outcome;
}

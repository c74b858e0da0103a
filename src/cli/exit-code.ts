/** What the exit code of every command says. */
export const ExitCode = {
  /** Done, and nothing to complain of. */
  GOOD: 0,
  /** Done, and something was found: a violation, an anomaly, a red row. */
  FOUND: 1,
  /** The command line or an input file is wrong; nothing was done. */
  USAGE: 2,
  /** The command is right but could not run here. */
  CANNOT_RUN: 3,
  /** Interrupted, as shells say it: the output is partial. */
  INTERRUPTED: 130,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

import { CommanderError } from 'commander';
import { KelpieError } from '../error.js';
import { DescriptionError } from '../schema/fault.js';
import { noSuch } from '../schema/nearest.js';
import { ExitCode } from './exit-code.js';

/** Codes of what is right but cannot be done here, as the exit code 3 says. */
const CANNOT_RUN_CODES: ReadonlySet<string> = new Set([
  'CANNOT_RUN',
  'LINK_OPEN_FAILED',
  'CM_REJECTED',
  'CM_UNREACHABLE',
  'TIMED_OUT',
  'NOT_ENOUGH_MEMORY',
  'FOLDER_TAKEN',
  'NATS_AWAY',
  'NATS_REFUSED',
]);

/** An error as the program ends with it. */
export interface Failure {
  readonly exitCode: ExitCode;
  /** For people, a line for each thing that is wrong. */
  readonly text: string;
  /** The same as data, for `--json`. */
  readonly error: Readonly<Record<string, unknown>>;
}

/** The words among which a mistyped one is looked for. */
export interface KnownWords {
  readonly commands: readonly string[];
  /** The flags of the command that was typed. */
  readonly flags: readonly string[];
  /** How the command is typed: `kelpie run <workload>`. */
  readonly usage?: string;
}

/** What an error comes to; null where it is none, such as after `--help`. */
export function failureOf(error: unknown, known: KnownWords): Failure | null {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return null;
    return ofKelpie(fromParser(error, known));
  }
  if (error instanceof KelpieError) return ofKelpie(error);
  const refusal = systemRefusal(error);
  if (refusal !== null) return ofKelpie(new KelpieError('CANNOT_RUN', refusal));
  const text = `this is a bug in Kelpie: ${error instanceof Error ? error.stack : String(error)}`;
  const message = error instanceof Error ? error.message : String(error);
  return {
    exitCode: ExitCode.CANNOT_RUN,
    text: `kelpie: ${text}\n`,
    error: { code: 'INTERNAL', message },
  };
}

function ofKelpie(error: KelpieError): Failure {
  const exitCode = CANNOT_RUN_CODES.has(error.code) ? ExitCode.CANNOT_RUN : ExitCode.USAGE;
  const { code, message, summary, field, given, allowed } = error;
  if (!(error instanceof DescriptionError))
    return {
      exitCode,
      text: `kelpie: ${message} [${code}]\n`,
      error: { code, message, summary, field, given, allowed },
    };
  // A line of the message for each fault, in the order of the faults.
  const lines = message
    .split('\n')
    .map((line, at) => `kelpie: ${line} [${error.faults[at]?.code ?? code}]\n`);
  return {
    exitCode,
    text: lines.join(''),
    error: { code, message, field, given, allowed, faults: error.faults },
  };
}

/** What the parser of the command line refused, in our words. */
function fromParser({ code, message }: CommanderError, { commands, flags, usage }: KnownWords): KelpieError {
  const [first = '', second = ''] = [...message.matchAll(/'([^']*)'/g)].map(([, word]) => word);
  const flag = /--[^\s,]+/.exec(first)?.[0] ?? first.split(/[ ,]/)[0];
  switch (code) {
    case 'commander.unknownOption':
      return noSuch('BAD_FLAG', 'flag', first, flags, { allowed: 'those that --help lists' });
    case 'commander.unknownCommand':
      return noSuch('BAD_COMMAND', 'command', first, commands, { field: 'command' });
    case 'commander.missingArgument':
      return new KelpieError('BAD_ARGUMENT', 'an argument is missing', {
        field: first,
        allowed: usage ?? 'see --help',
      });
    case 'commander.excessArguments':
      return new KelpieError('BAD_ARGUMENT', 'there are too many arguments', {
        allowed: usage ?? 'see --help',
      });
    case 'commander.optionMissingArgument':
      return new KelpieError('BAD_FLAG', 'this flag takes a value', { field: flag, allowed: first });
    case 'commander.invalidArgument': {
      const choices = /Allowed choices are (.*)\./s.exec(message)?.[1] ?? '';
      return noSuch('BAD_FLAG', 'value', second, choices.split(', '), { field: flag });
    }
    default:
      return new KelpieError('BAD_ARGUMENT', message.replace(/^error: /, '').replace(/\.?\s*$/, ''), {
        allowed: 'see --help',
      });
  }
}

/**
 * What the system refused, in words: a full disk, a file that may not be written, memory that is not there. Null where
 * the error is none of that.
 */
function systemRefusal(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (typeof code === 'string' && typeof syscall === 'string') return `the system refused: ${error.message}`;
  if (error instanceof RangeError && error.message === 'Array buffer allocation failed')
    return 'there is not enough memory';
  return null;
}

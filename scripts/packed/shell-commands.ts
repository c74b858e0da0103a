/** A command of a `sh` block: what the page says, and what the test runs. */
export interface ShellCommand {
  /** As on the page, without its comment. */
  line: string;
  /** Arguments of `kelpie`; null where it is not run. */
  argv: string[] | null;
  /** Why it is not run as it stands. */
  reason: string | null;
}

/** A command that is not run as the page has it, and why. */
export interface Exception {
  /** The whole command as on the page. */
  line: string;
  /** Flags that make it short; it is not run at all where there are none. */
  with?: string;
  reason: string;
}

/** Commands of a clone, not of an installed package. */
const OF_A_CLONE = /^npm (install|ci|test|run [\w:]+)( |$)/;

/** The commands of a `sh` block, by line and by `&&`. */
export function shellCommands(text: string, exceptions: readonly Exception[]): ShellCommand[] {
  return text
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .flatMap((line) => line.split(/\s+&&\s+/))
    .filter((line) => line !== '')
    .map((line) => shellCommand(line, exceptions));
}

function shellCommand(line: string, exceptions: readonly Exception[]): ShellCommand {
  const exception = exceptions.find((each) => each.line === line);
  if (exception !== undefined && exception.with === undefined)
    return { line, argv: null, reason: exception.reason };
  if (OF_A_CLONE.test(line)) return { line, argv: null, reason: 'of a clone: .ci/run runs it' };
  const words = splitWords(exception === undefined ? line : `${line} ${exception.with}`);
  if (words[0] === 'npx') words.shift();
  if (words[0] !== 'kelpie')
    throw new Error(`'${line}' is no command that the test knows: name a reason not to run it`);
  return { line, argv: words.slice(1), reason: exception?.reason ?? null };
}

/** Words as a shell has them; quotes, but no variables and no pipes. */
function splitWords(line: string): string[] {
  const outside = line.replaceAll(/'[^']*'/g, '');
  if (/[|<>$`;]/.test(outside)) throw new Error(`'${line}' needs a shell: write it as one plain command`);
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3]);
}

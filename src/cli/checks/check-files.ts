import { appendFileSync } from 'node:fs';
import { KelpieError } from '../../error.js';
import { writeTextFile } from '../../node/index.js';
import type { OptionSpec, OptionsOf } from '../option.js';
import type { Terminal } from '../terminal.js';

/** Something that was asserted, and its outcome. */
export interface Check {
  readonly name: string;
  readonly passed: boolean;
  /** What was found, where it does not hold. */
  readonly found: string;
}

/** The flags of every command that can be a test in CI, beside --assert. */
export const checkFlags = [
  { flags: '--junit <file>', description: 'write what --assert found as JUnit XML' },
  {
    flags: '--markdown <file>',
    description: 'append a summary in Markdown, such as to "$GITHUB_STEP_SUMMARY"',
  },
] as const satisfies readonly OptionSpec[];

/** The flag that names what must hold; `example` is a threshold on what the command measures. */
export function assertFlag<const Text extends string>(description: Text) {
  return { flags: '--assert <threshold>', description, repeats: true } as const;
}

/** What a report of checks is about. */
export interface CheckReport {
  readonly title: string;
  readonly checks: readonly Check[];
  /** A sentence: what came out. */
  readonly outcome: string;
  /** Figures, the first row as the heading. */
  readonly table: readonly (readonly string[])[];
}

/** Says which checks do not hold, and writes the files that the flags name; whether all hold. */
export function reportChecks(
  report: CheckReport,
  options: OptionsOf<typeof checkFlags>,
  terminal: Terminal,
): boolean {
  if (options.junit !== undefined) writeTextFile(options.junit, junitOf(report), '--junit');
  if (options.markdown !== undefined) appendText(options.markdown, markdownOf(report));
  const broken = report.checks.filter(({ passed }) => !passed);
  for (const { name, found } of broken) terminal.err(`kelpie: ${name} does not hold: ${found} [ASSERTION]\n`);
  return broken.length === 0;
}

/** JUnit's XML, a test case for each check. */
export function junitOf({ title, checks }: CheckReport): string {
  const cases = checks.map(({ name, passed, found }) => {
    const failure = passed ? '' : `<failure message="${escaped(found)}"/>`;
    return `  <testcase classname="${escaped(title)}" name="${escaped(name)}">${failure}</testcase>\n`;
  });
  const failures = checks.filter(({ passed }) => !passed).length;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="${escaped(title)}" tests="${checks.length}" failures="${failures}">\n${cases.join('')}</testsuite>\n`;
}

/** XML of any text: what XML cannot have is a question mark. */
function escaped(text: string): string {
  return [...text]
    .map((letter) => {
      const code = letter.codePointAt(0)!;
      if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff) || code === 0xfffe || code === 0xffff)
        return letter === '\n' || letter === '\t' ? ' ' : '?';
      return { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }[letter] ?? letter;
    })
    .join('');
}

/** A summary as GitHub shows it. */
export function markdownOf({ title, checks, outcome, table }: CheckReport): string {
  const failures = checks.filter(({ passed }) => !passed).length;
  const marks = checks.map(({ name, passed, found }) => [
    passed ? 'holds' : '**does not hold**',
    name,
    found,
  ]);
  const verdict =
    checks.length === 0
      ? ''
      : `\n${checks.length - failures} of ${checks.length} assertions hold.\n\n${rows([['', 'assertion', 'found'], ...marks])}`;
  return `## ${cell(title)}\n\n${cell(outcome)}\n${verdict}\n${table.length > 1 ? rows(table) : ''}\n`;
}

function rows([head, ...others]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |\n`;
  return `${line(head)}${line(head.map(() => '---'))}${others.map(line).join('')}`;
}

/** Names from users are no markup. */
function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`|<>[\]]/g, (mark) => `\\${mark}`);
}

function appendText(file: string, text: string): void {
  try {
    appendFileSync(file, text);
  } catch (cause) {
    throw new KelpieError('CANNOT_RUN', `this file cannot be written: ${(cause as Error).message}`, {
      field: '--markdown',
      given: file,
      allowed: 'a file in an existing folder, on a disk with free space',
      cause,
    });
  }
}

const RED = '31';
const GREEN = '32';
const YELLOW = '33';
const DIM = '2';
const BOLD = '1';

/** What is coloured: whole words of our own, by the line that they stand in. Names from users are never looked at. */
const RULES: readonly (readonly [pattern: RegExp, style: string])[] = [
  [/^kelpie: .*$/gm, RED],
  [/^verdict: ANOMALY.*$/gm, RED],
  [/^verdict: no anomaly/gm, GREEN],
  [/^(?:warning|PARTIAL): .*$/gm, YELLOW],
  [/^note: .*$/gm, DIM],
  [/^(?:limited by|explained): /gm, BOLD],
  [/^MEETS /gm, RED],
  [/^refused: .*$/gm, YELLOW],
  [/^ {3}clears it: /gm, GREEN],
  [/^ {3}(?:verified|suspected|reproduce): /gm, BOLD],
];

/** What says whether colours are wanted. */
export interface ColourWishes {
  readonly isTerminal: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Whether to colour: on a terminal that can, unless NO_COLOR (no-color.org) is set; FORCE_COLOR colours a pipe as well. */
export function wantsColour({ isTerminal, environment }: ColourWishes): boolean {
  const { NO_COLOR: none = '', FORCE_COLOR: forced = '', TERM: kind } = environment;
  if (none !== '') return false;
  if (forced !== '' && forced !== '0') return true;
  return isTerminal && kind !== 'dumb';
}

/**
 * Text with what matters in colour. It must have no commands for terminals in it.
 *
 * @example
 * coloured('verdict: no anomaly: the port is full\n'); // the first words green
 */
export function coloured(text: string): string {
  let result = text;
  for (const [pattern, style] of RULES)
    result = result.replace(pattern, (found) => `\u001b[${style}m${found}\u001b[0m`);
  return result;
}

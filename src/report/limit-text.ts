/**
 * What limits a run, as the beginning of a sentence.
 *
 * @example
 * limitText("host a's port"); // Limited by host a's port
 */
export function limitText(by: string): string {
  return by.startsWith('no part ') ? by.replace('no', 'No') : `Limited by ${by}`;
}

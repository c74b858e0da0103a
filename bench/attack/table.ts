import { DEFAULT_CM_LIMITS } from '../../src/transport/cm/limits.js';
import type { AttackFigures, AttackKind } from './attacker.js';
import type { HonestFigures } from './honest.js';

/** One attack and what came of it. */
export interface AttackRow {
  kind: AttackKind;
  what: string;
  /** Whether whoever can do this is outside the threat model, so that the honest peer's share has no bar. */
  outside: boolean;
  attack: AttackFigures;
  honest: HonestFigures;
  /** The honest peer's throughput under attack by that beside the same attack on the decoy. */
  share: number;
  /** Requests of others that the victim's program heard of. */
  heard: number;
  /** Memory of the victim, and how much more that is than before the first attack. */
  rssMegabytes: number;
  grownMegabytes: number;
  failures: string[];
}

/** What must hold. */
export const BARS = { share: 0.5, connectMs: 2000, factor: 3, grownMegabytes: 256 } as const;

/** The bars that a row misses, in words. */
export function missedBars(row: Omit<AttackRow, 'failures'>): string[] {
  const { honest, attack, share, outside, grownMegabytes } = row;
  const missed: string[] = [];
  if (!outside && !(share >= BARS.share))
    missed.push(`the honest peer kept ${percent(share)} of its throughput`);
  if (honest.corrupt + honest.failed > 0)
    missed.push(`${honest.corrupt} rounds corrupt, ${honest.failed} failed`);
  if (honest.slowestConnectMs > BARS.connectMs)
    missed.push(`an honest connection took ${honest.slowestConnectMs.toFixed(0)} ms`);
  if (honest.refused > 0) missed.push(`${honest.refused} honest connections were refused`);
  if (attack.worstFactor > BARS.factor)
    missed.push(`an unproven address was sent ${attack.worstFactor.toFixed(2)} times its bytes`);
  if (attack.hits > 0) missed.push(`${attack.hits} guessed keys opened something`);
  if (grownMegabytes > BARS.grownMegabytes) missed.push(`the victim grew by ${grownMegabytes.toFixed(0)} MB`);
  return missed;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

/** The table of attacks for people. */
export function attackTable(rows: readonly AttackRow[]): string {
  const head = [
    ...[
      'attack',
      'packets',
      'honest Gb/s',
      'share',
      'slowest honest connection',
      'answered / sent, unproven',
    ],
    ...['requests that the program heard of', 'memory of the victim', 'bars'],
  ];
  const lines = rows.map(({ what, attack, honest, share, heard, rssMegabytes, failures, outside }) => [
    what,
    String(attack.packets),
    honest.gbps.toFixed(2),
    percent(share) + (outside ? ' (no bar)' : ''),
    `${honest.slowestConnectMs.toFixed(0)} ms`,
    attack.unprovenSentBytes === 0 ? '-' : attack.worstFactor.toFixed(2),
    String(heard),
    `${rssMegabytes.toFixed(0)} MB`,
    failures.length === 0 ? 'hold' : failures.join('; '),
  ]);
  return markdown([head, ...lines]);
}

/** The limits of connection management with their defaults. */
export function limitsTable(): string {
  const rows = Object.entries(DEFAULT_CM_LIMITS).map(([name, value]) => [
    `\`${name}\``,
    name.endsWith('Ns') ? `${value / 1e9} s` : String(value),
  ]);
  return markdown([['limit', 'default'], ...rows]);
}

function markdown(rows: readonly (readonly string[])[]): string {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |\n`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n`;
  return [line(rows[0]), rule, ...rows.slice(1).map(line)].join('');
}

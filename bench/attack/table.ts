import { DEFAULT_CM_LIMITS } from '../../src/transport/cm/limits.js';
import type { AttackFigures, AttackKind } from './attacker.js';
import type { HonestFigures } from './honest.js';

/** One attack and its outcome. */
export interface AttackRow {
  kind: AttackKind;
  what: string;
  /** What was asked of the attacker; null: all that it can send. */
  packetsPerSecond: number | null;
  /** How long the victim was attacked. */
  attackSeconds: number;
  attack: AttackFigures;
  honest: HonestFigures;
  /** The honest peer's throughput under attack by that without an attack, and by that beside an attack on the decoy. */
  share: number;
  shareOfDecoy: number;
  /** The same of the bytes that the victim moved for it with a second of its processor, whoever else used the machine. */
  shareOfProcessor: number;
  /** Whether the share has a bar: not at full rate, nor where the attacker is outside the threat model. */
  hasBar: boolean;
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
  const { honest, attack, share, hasBar, grownMegabytes } = row;
  const missed: string[] = [];
  if (hasBar && !(share >= BARS.share))
    missed.push(`the honest peer kept ${percent(share)} of its throughput`);
  if (honest.corrupt + honest.failed > 0)
    missed.push(`${honest.corrupt} rounds corrupt, ${honest.failed} failed`);
  if (honest.slowestConnectMs > BARS.connectMs)
    missed.push(`an honest connection took ${honest.slowestConnectMs.toFixed(0)} ms`);
  if (honest.slowestNewcomerMs > BARS.connectMs)
    missed.push(`a newcomer's connection took ${honest.slowestNewcomerMs.toFixed(0)} ms`);
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
    ...['attack', 'per second', 'packets', 'honest Gb/s, without and with', 'share', 'share of the decoy’s'],
    ...[
      'bytes per processor second of the victim',
      'slowest honest connection, known and new',
      'answered / sent, unproven',
      'requests that the program heard of',
    ],
    ...['memory of the victim', 'processor time of the attacker', 'bars'],
  ];
  const lines = rows.map((row) => [
    row.what,
    row.packetsPerSecond === null ? 'all' : String(row.packetsPerSecond),
    String(row.attack.packets),
    `${row.honest.quietGbps.toFixed(2)}, ${row.honest.gbps.toFixed(2)}`,
    percent(row.share) + (row.hasBar ? '' : ' (no bar)'),
    percent(row.shareOfDecoy),
    percent(row.shareOfProcessor),
    `${row.honest.slowestConnectMs.toFixed(0)}, ${row.honest.slowestNewcomerMs.toFixed(0)} ms`,
    row.attack.unprovenSentBytes === 0 ? '-' : row.attack.worstFactor.toFixed(2),
    String(row.heard),
    `${row.rssMegabytes.toFixed(0)} MB`,
    percent(row.attack.processorMs / 1000 / row.attackSeconds),
    row.failures.length === 0 ? 'hold' : row.failures.join('; '),
  ]);
  return markdown([head, ...lines]);
}

/** What is left to the honest peer where the attacker sends all that it can. */
export function fullRateTable(rows: readonly AttackRow[]): string {
  const head = ['attack', 'packets per second', 'share', 'share of the decoy’s', 'bars'];
  const lines = rows.map(({ what, attack, attackSeconds, share, shareOfDecoy, failures }) => [
    ...[what, (attack.packets / attackSeconds).toFixed(0), percent(share), percent(shareOfDecoy)],
    failures.length === 0 ? 'hold' : failures.join('; '),
  ]);
  return markdown([head, ...lines]);
}

const SEEDS_HEAD = [
  ...[
    'seed',
    'honest Gb/s without an attack, median',
    'least share with a bar',
    'slowest honest connection, known and new',
    'most answered / sent, unproven',
  ],
  ...['the victim grew by', 'load before', 'bars'],
];

/** The table of seeds with a line for this run, instead of an earlier one with the same seed. */
export function seedsTable(before: string, seed: number, rows: readonly AttackRow[], load: number): string {
  const barred = rows.filter(({ hasBar }) => hasBar);
  const least = barred.reduce((worst, row) => (row.share < worst.share ? row : worst));
  const most = (of: (row: AttackRow) => number) => Math.max(...rows.map(of));
  const quiet = rows.map(({ honest }) => honest.quietGbps).sort((one, other) => one - other);
  const missed = rows.filter(({ failures }) => failures.length > 0).map(({ kind }) => kind);
  const own = [
    String(seed),
    quiet[quiet.length >> 1].toFixed(2),
    `${percent(least.share)} (${least.kind})`,
    `${most(({ honest }) => honest.slowestConnectMs).toFixed(0)}, ${most(({ honest }) => honest.slowestNewcomerMs).toFixed(0)} ms`,
    most(({ attack }) => attack.worstFactor).toFixed(2),
    `${most(({ grownMegabytes }) => grownMegabytes).toFixed(0)} MB`,
    load.toFixed(1),
    missed.length === 0 ? 'hold' : `missed: ${missed.join(', ')}`,
  ];
  const others = before
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, first]) => /^\d+$/.test(first ?? '') && first !== own[0])
    .map((cells) => cells.slice(1, -1));
  return markdown([SEEDS_HEAD, ...[...others, own].sort((one, other) => Number(one[0]) - Number(other[0]))]);
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

import { expect, it } from 'vitest';
import { type AttackRow, seedsTable } from './table.js';

function row(kind: string, share: number, connectMs: number, failures: string[] = []): AttackRow {
  return {
    ...{ kind, share, failures, hasBar: kind !== 'outside', grownMegabytes: 10 },
    honest: { quietGbps: 7, slowestConnectMs: connectMs, slowestNewcomerMs: 5 },
    attack: { worstFactor: 0.25 },
  } as unknown as AttackRow;
}

it('the table of seeds keeps one line per seed, the last run of each, with the worst of its attacks', () => {
  let table = seedsTable(
    '',
    10,
    [row('flood', 0.9, 20), row('noise', 0.8, 300), row('outside', 0.1, 1)],
    1.5,
  );
  table = seedsTable(table, 2, [row('flood', 0.4, 20, ['kept 40 %'])], 1);
  table = seedsTable(table, 2, [row('flood', 0.7, 2100, ['took 2100 ms'])], 1);
  const [head, , ...lines] = table.trim().split('\n');
  expect(head.split('|')).toHaveLength(lines[0].split('|').length);
  expect(
    lines.map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ),
  ).toEqual([
    ['2', '7.00', '70 % (flood)', '2100, 5 ms', '0.25', '10 MB', '1.0', 'missed: flood'],
    ['10', '7.00', '80 % (noise)', '300, 5 ms', '0.25', '10 MB', '1.5', 'hold'],
  ]);
});

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { AttackRow } from './table.js';

const KINDS = [
  'flood',
  'half-open',
  'spoofed',
  'own name',
  'DREQ',
  'connections',
  'keys',
  'READ',
  'CNP',
  'noise',
];

// What does not depend on how fast the machine is: times and shares are the whole run's, `npm run attack`.
it('nothing ends, opens, breaks or amplifies in a small run of every attack', () => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const flags = ['--json', '--no-write', '--seconds', '0.5', '--rate', '4000', '--only', KINDS.join('|')];
  const { stdout, stderr, status } = spawnSync(process.execPath, ['scripts/bench.js', 'attack', ...flags], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([0, 1], stderr).toContain(status);
  expect(stderr).not.toMatch(/ended with/);
  const { rows, bars } = JSON.parse(stdout) as { rows: AttackRow[]; bars: Record<string, number> };
  expect(rows.map(({ kind }) => kind)).toEqual(KINDS);
  for (const { attack, honest, grownMegabytes } of rows) {
    expect(attack.packets).toBeGreaterThan(0);
    expect(honest.rounds).toBeGreaterThan(0);
    expect(honest.connections).toBeGreaterThan(0);
    expect(honest).toMatchObject({ corrupt: 0, failed: 0, refused: 0 });
    expect(attack.worstFactor).toBeLessThanOrEqual(bars['factor']);
    expect(attack.hits).toBe(0);
    expect(grownMegabytes).toBeLessThan(bars['grownMegabytes']);
  }
});

import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Grid } from '../../../jobs/compare/index.js';
import { typed } from '../../testing/typed.js';

// Goal: a sweep has every combination, goes on where it was stopped, and can be a test in CI.

const root = mkdtempSync(join(tmpdir(), 'kelpie-sweep-'));
afterAll(() => rmSync(root, { recursive: true }));
const workload = join(root, 'two.yaml');
writeFileSync(
  workload,
  'measure: { minNs: 40000, maxNs: 60000 }\ntenants:\n  - { name: one, sizes: [4096] }\n  - { name: two, sizes: [64], rateLimit: { gbps: 1 } }\n',
);
const sweep = (...argv: string[]) =>
  typed(['sweep', workload, '--workers', '1', '--metric', 'goodputGbps,tenant.two.goodputGbps', ...argv]);

const axes = ['--vary', 'tenants.two.rateLimit.gbps=1,2', '--vary', 'settings.pfc=enabled,disabled'];

describe('kelpie sweep', () => {
  it('has every combination, in JSON, CSV, a page and a table', async () => {
    const [csv, html] = [join(root, 'all.csv'), join(root, 'all.html')];
    const { code, out } = await sweep(...axes, '--csv', csv, '--html', html, '--json');
    expect(code).toBe(0);
    const { points } = JSON.parse(out) as Grid;
    expect(points.map(({ values }) => values.join(' '))).toEqual([
      '1 enabled',
      '1 disabled',
      '2 enabled',
      '2 disabled',
    ]);
    const second = points.map(({ readings }) => readings?.['tenant.two.goodputGbps'] ?? 0);
    expect(second[2]).toBeGreaterThan(second[0] * 1.5);
    const lines = readFileSync(csv, 'utf8').trim().split('\r\n');
    expect(lines).toHaveLength(5);
    expect(lines[0]).toBe(
      'tenants.two.rateLimit.gbps,settings.pfc,goodputGbps,tenant.two.goodputGbps,refused',
    );
    expect(readFileSync(html, 'utf8')).toContain('settings.pfc disabled');
  });

  it('goes on after the points of an earlier run, also one that was killed while it wrote', async () => {
    const journal = join(root, 'points.jsonl');
    const whole = await sweep(...axes, '--json');
    await sweep(...axes, '--resume', journal);
    const lines = readFileSync(journal, 'utf8').split('\n');
    // What is known is not run again: another figure of it shows.
    const changed = lines[1].slice(17).replace(/"goodputGbps":[\d.]+/, '"goodputGbps":77');
    const known = `${createHash('sha256').update(changed).digest('hex').slice(0, 16)} ${changed}`;
    writeFileSync(journal, `${lines[0]}\n${known}\n`);
    appendFileSync(journal, lines[2].slice(0, 20));
    const { out } = await sweep(...axes, '--resume', journal, '--json');
    const expected = JSON.parse(whole.out) as Grid;
    const found = JSON.parse(out) as Grid;
    expect(found.points[0].readings?.['goodputGbps']).toBe(77);
    expect(found.points.slice(1)).toEqual(expected.points.slice(1));
    const other = await sweep('--vary', 'qps=1,2', '--resume', journal);
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('[SWEEP_DIVERGED]')]);
    // What was cut off is gone, and the file is whole again.
    expect(await sweep(...axes, '--resume', journal)).toMatchObject({ code: 0 });
    const digit = readFileSync(journal, 'utf8').replace('"goodputGbps":77', '"goodputGbps":78');
    writeFileSync(journal, digit);
    const { code, err } = await sweep(...axes, '--resume', journal);
    expect([code, err]).toEqual([2, expect.stringMatching(/line 2 was changed.*\[SWEEP_UNREADABLE\]/)]);
    expect(readFileSync(journal, 'utf8')).toBe(digit);
  });

  it('asserts at every point, for people, JUnit and GitHub', async () => {
    const [junit, markdown] = [join(root, 'checks.xml'), join(root, 'checks.md')];
    const asserts = ['--assert', 'tenant.two.goodputGbps<1.5', '--assert', 'goodputGbps>0'];
    const { code, err } = await sweep(...axes, ...asserts, '--junit', junit, '--markdown', markdown);
    expect(code).toBe(1);
    expect(err).toMatch(/tenant\.two\.goodputGbps<1\.5 does not hold: .* at tenants\.two\.rateLimit\.gbps 2/);
    expect(readFileSync(junit, 'utf8')).toContain('tests="2" failures="1"');
    expect(readFileSync(markdown, 'utf8')).toContain('1 of 2 assertions hold.');
  });

  it.each([
    [[], '--vary'],
    [['--vary', 'colour=red'], 'colour'],
    [['--vary', 'tenants.three.qps=1'], 'tenants.one.FIELD'],
    [['--vary', 'qps=1', '--vary', 'qps=2'], '--vary'],
    [['--vary', 'device.noSuch=1'], 'noSuch'],
    [['--vary', 'qps=1', '--assert', 'speed>1'], 'speed'],
  ])('refuses %j before anything runs', async (argv, words) => {
    const { code, out, err } = await sweep(...argv);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(words);
  });
});

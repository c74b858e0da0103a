import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { typed } from '../testing/typed.js';

// Goal: a campaign on one machine needs nobody else: it is run, looked at task by task, and compared with the last one.

const root = mkdtempSync(join(tmpdir(), 'kelpie-threads-'));
afterAll(() => rmSync(root, { recursive: true }));

const folder = join(root, 'campaigns');
const campaign = (...words: string[]) => typed(['campaign', ...words, '--folder', folder]);
const file = (job: string, bytes: number, more = '') => {
  const path = join(root, 'c.yaml');
  const workload = `{ opcode: WRITE, sizes: [${bytes}], measure: { maxNs: 500000 } }`;
  writeFileSync(path, `name: day\njob: ${job}\non: collie-f\nworkload: ${workload}\nseeds: [4, 5]\n${more}`);
  return path;
};
const run = (path: string) => campaign('run', path, '--workers', '1');

describe('a campaign on threads', () => {
  it('shows each of its tasks, with the page of a run that was kept whole', async () => {
    const ran = await run(file('run', 65_536));
    expect(ran.code, ran.err).toBe(0);
    const task = await campaign('report', '1', '--task', '1');
    expect(task.code, task.err).toBe(0);
    expect(task.out).toMatch(/^task 1 of campaign 1: collie-f, seed 5\nmeasured: \d/);
    expect(task.out).toMatch(/^goodputGbps +\d/m);
    const kept = JSON.parse(readFileSync(join(folder, '1', 'task-1.json'), 'utf8'));
    expect(kept).toMatchObject({ seed: 5, total: { goodputGbps: expect.any(Number) } });
    const page = readFileSync(join(folder, '1', 'task-1.html'), 'utf8');
    expect(page).toContain('kelpie campaign report 1 --task 1');
    // What is kept has no series.
    expect(page).not.toContain('Over time');
    const bad = await campaign('report', '1', '--task', '2');
    expect(bad).toMatchObject({ code: 2 });
    expect(bad.err).toContain("--task is '2', allowed: an integer from 0 to 1");
  });

  it('says what got worse than last time, and ends with 1 where an assertion says so', async () => {
    const worse = await run(file('run', 64, 'assert: [goodputGbps >= 0.95 * last]\n'));
    expect(worse.code).toBe(1);
    expect(worse.out).toContain('BROKEN: goodputGbps >= 0.95 * last: 2 of 2 runs break it');
    expect(worse.out).toMatch(/^against campaign 1, which ran something else:$/m);
    expect(worse.out).toMatch(
      /^ {2}goodputGbps: worse in 2 and better in 0 of 2 runs, such as collie-f, seed \d: /m,
    );
    const same = await run(file('run', 64, 'assert: [goodputGbps >= 0.95 * last]\n'));
    expect(same.code, same.out).toBe(0);
    expect(same.out).toContain('against campaign 2: nothing moved\n');
  });

  it('of which only the figures were kept says so', async () => {
    expect(await run(file('sweep', 64, 'vary: { qps: [1] }\n'))).toMatchObject({ code: 0 });
    const task = await campaign('report', '--task', '0');
    expect(task.out).toContain('only these were kept; with keep: all the sweep is kept whole\n');
    expect(existsSync(join(folder, '4', 'task-0.json'))).toBe(false);
  });
});

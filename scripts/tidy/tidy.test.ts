import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { unreadInputs } from './known-exceptions.js';
import { longLines } from './line-length.js';
import { findInputs, type Input } from './unread-inputs.js';

const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n').filter(Boolean);
const sources = files.filter((path) => /\.(ts|js|mjs)$/.test(path) && !/generated|\.test\.data\./.test(path));

describe('tidy', () => {
  it('sees the tree', () => {
    expect(sources.length).toBeGreaterThan(500);
  });

  it('no line is longer than a screen is wide, strings apart', () => {
    const long = sources.flatMap((path) => longLines(readFileSync(path, 'utf8'), path));
    expect(long).toEqual([]);
  });

  it('no room has more than 25 modules, tests apart', () => {
    const rooms = new Map<string, number>();
    for (const path of files.filter((each) => /^src\/.*\.ts$/.test(each) && !each.endsWith('.test.ts')))
      rooms.set(dirname(path), (rooms.get(dirname(path)) ?? 0) + 1);
    expect([...rooms].filter(([, count]) => count > 25)).toEqual([]);
  });

  it('git ignores what commands write by default', () => {
    const ignored = readFileSync('.gitignore', 'utf8').split('\n');
    expect(ignored).toEqual(
      expect.arrayContaining([
        'node_modules/',
        'dist/',
        'kelpie-hunts/',
        'kelpie-runs/',
        'kelpie-campaigns/',
        '*.pcapng',
      ]),
    );
  });

  it('no file names a folder of somebody or of one machine', () => {
    const own = /(?<![\w.$~}])\/(?:home|Users|root|work|mnt)\/[\w.-]+/;
    const named = files
      .filter((path) => !/\.(png|mdb|lock)$|^package-lock\.json$|^scripts\/interop\/build\.sh$/.test(path))
      .filter((path) => own.test(readFileSync(path, 'utf8')));
    expect(named).toEqual([]);
  });
});

describe('what users may give', () => {
  let inputs: Input[];
  let unread: string[];
  beforeAll(() => {
    inputs = findInputs('.');
    unread = inputs.filter(({ isRead }) => !isRead).map(({ name }) => name);
  }, 120_000);

  it('is known: constants, settings, workloads, options', () => {
    const names = inputs.map(({ name }) => name);
    for (const one of [
      'device.portGbps',
      'host.postNs',
      'fabric.linkGbps',
      'settings.acs',
      'tenant.qps',
      'measure.minNs',
      'fabricDescription.watchdog.detectNs',
      'campaignDescription.job',
    ])
      expect(names).toContain(one);
    expect(unread.length).toBeLessThan(inputs.length / 10);
  });

  it('is read by something', () => {
    expect(unread.filter((name) => !Object.hasOwn(unreadInputs, name))).toEqual([]);
  });

  it('no exception is stale', () => {
    expect(Object.keys(unreadInputs).filter((name) => !unread.includes(name))).toEqual([]);
  });
});

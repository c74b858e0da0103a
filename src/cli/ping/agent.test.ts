import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { typed } from '../testing/typed.js';
import { readRuns } from './runs-folder.js';

// Goal: an agent keeps what it found through kills, full disks and a second agent.

const folder = mkdtempSync(join(resolve('node_modules'), '.kelpie-agent-'));
const program = join(folder, 'main.js');
const SMALL = ['ping', '--agent', '--host', 'single-rnic', '--repetitions', '1'];

beforeAll(async () => {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  await build({
    entryPoints: ['src/cli/main.ts'],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('kelpie ping --agent', () => {
  it('lives through an hour without waiting, and its folder tells the history of a link', async () => {
    const where = ['--folder', join(folder, 'hour')];
    const fault = ['--fault', 'pcie-width@rnic0:0.25:from=1000s:for=600s'];
    const { code, out, err } = await typed([...SMALL, '--for', '1h', ...fault, ...where]);
    expect(code).toBe(1);
    expect(err).toContain('whether GPUs work cannot be read');
    expect(out).toMatch(/^1970-01-01T00:00:00 start run: single-rnic: these probes find nothing wrong/);
    expect(out).toMatch(/00:20:00 idle run: single-rnic: rnic0-up/);
    expect(out).toMatch(/00:30:00 idle run: single-rnic: these probes find nothing wrong/);
    expect(out).toMatch(/12 runs; something was wrong in 2\n$/);
    const told = await typed(['ping', '--history', 'rnic0', ...where]);
    expect(told.code).toBe(0);
    const states = told.out.split('\n').flatMap((line) => / (normal|abnormal) /.exec(line)?.[1] ?? []);
    expect(states.join(' ')).toBe(`${'normal '.repeat(4)}abnormal abnormal ${'normal '.repeat(6)}`.trimEnd());
    const json = JSON.parse((await typed(['ping', '--history', 'rnic0-up', '--json', ...where])).out);
    expect(json).toMatchObject({ host: 'single-rnic', link: 'rnic0-up' });
    expect(json.runs[4].gbps).toBeLessThan(0.5 * json.runs[0].gbps);
    const none = await typed(['ping', '--history', 'gpu9', ...where]);
    expect(none.code).toBe(2);
    expect(none.err).toMatch(/no such link; --history is 'gpu9', allowed: .*rnic0-up/);
    expect((await typed(['ping', '--history', 'rnic0', '--folder', join(folder, 'none')])).code).toBe(2);
  });

  it('prints a record per run as JSON, the same for the same seed', async () => {
    const argv = [...SMALL, '--for', '15m', '--json', '--name', 'gpu-17'];
    const { code, out } = await typed(argv);
    expect(code).toBe(0);
    const records = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ host, atMs, trigger }) => `${host} ${atMs} ${trigger}`)).toEqual([
      'gpu-17 0 start',
      'gpu-17 300000 idle',
      'gpu-17 600000 idle',
    ]);
    expect((await typed(argv)).out).toBe(out);
    expect((await typed([...argv, '--seed', '2'])).out).not.toBe(out);
  });

  it('refuses times that are none', async () => {
    const { code, err } = await typed([...SMALL, '--every', '5 minutes']);
    expect(code).toBe(2);
    expect(err).toContain("--every is '5 minutes', allowed: a number with s, m, h or d, from 1s to 1d");
  });

  it.runIf(process.platform === 'linux')(
    'goes on where its folder cannot be made, and says so once',
    async () => {
      const { code, out, err } = await typed([...SMALL, '--for', '1h', '--folder', '/proc/kelpie/runs']);
      expect(code).toBe(0);
      expect(out).toContain('12 runs');
      expect(
        err.match(/runs are not kept, probing goes on: the folder for runs cannot be written/g),
      ).toHaveLength(1);
    },
  );

  it('reports to a collector, which shows it until Ctrl-C', async () => {
    const stop = new AbortController();
    let place = '';
    const onErr = (text: string) => {
      place ||= /http:\S+/.exec(text)?.[0] ?? '';
    };
    const collector = typed(['ping', '--collect', '127.0.0.1:0'], { signal: stop.signal, onErr });
    while (place === '') await setTimeout(20);
    const argv = [...SMALL, '--for', '10m', '--name', 'gpu-17', '--fault', 'pcie-width@rnic0'];
    expect((await typed([...argv, '--report', place])).code).toBe(1);
    expect(await (await fetch(place)).text()).toContain('1 of 1 hosts need somebody');
    expect(await (await fetch(`${place}host?name=gpu-17`)).text()).toContain('gpu-17: rnic0-up');
    stop.abort();
    expect(await collector).toMatchObject({ code: 1, out: '1 hosts; something is wrong with 1\n' });
    const lost = await typed([...argv, '--report', place]);
    expect(lost.err.match(/runs are not reported, probing goes on: ./g)).toHaveLength(1);
    expect((await typed([...argv, '--report', 'file:///x'])).code).toBe(2);
    expect((await typed([...argv, '--serve', 'nowhere'])).code).toBe(2);
    expect((await typed(['ping', '--collect', '127.0.0.1'])).err).toContain(
      "--collect is '127.0.0.1', allowed: ADDRESS:PORT",
    );
  });

  it('serves its page and its metrics while it runs', async () => {
    const stop = new AbortController();
    let place = '';
    const onErr = (text: string) => {
      place ||= /http:\S+/.exec(text)?.[0] ?? '';
    };
    const argv = [...SMALL, '--every', '1s', '--folder', join(folder, 'served'), '--serve', ':0'];
    const ended = typed(argv, { signal: stop.signal, onErr });
    while (place === '') await setTimeout(20);
    const text = async (path: string) => (await fetch(place + path)).text();
    while (!/Run ([2-9]|\d{2,}) of /.test(await text('main'))) await setTimeout(50);
    expect(await text('metrics')).toMatch(/kelpie_ping_runs_total\{trigger="start"\} 1/);
    stop.abort();
    expect((await ended).code).toBe(0);
    await expect(text('main')).rejects.toThrow();
  });

  it('ends with Ctrl-C and prints what it did', async () => {
    const stop = new AbortController();
    const argv = [...SMALL, '--every', '1s', '--folder', join(folder, 'stopped')];
    const onOut = () => stop.abort();
    const { code, out } = await typed(argv, { signal: stop.signal, onOut });
    expect(code).toBe(0);
    expect(out).toMatch(/[1-9] runs; something was wrong in 0; interrupted\n$/);
  });
});

/** Starts an agent as a process; `has` resolves when it has printed this many runs. */
function startAgent(where: string) {
  const argv = [...SMALL, '--every', '1s', '--json', '--folder', where];
  const child = spawn(process.execPath, [program, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stderr.on('data', (text) => {
    err += text;
  });
  const runs = () => out.split('\n').length - 1;
  child.stdout.on('data', (text) => {
    out += text;
  });
  const has = async (count: number) => {
    while (runs() < count && child.exitCode === null)
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  };
  return { child, has, runs, err: () => err };
}

describe('an agent as a process', () => {
  it('loses at most the run in progress when it is killed, and keeps a second one out while it lives', async () => {
    const where = join(folder, 'killed');
    let printed = 0;
    for (const life of [1, 2, 3]) {
      const { child, has, runs, err } = startAgent(where);
      await has(1);
      expect(err()).not.toContain('FOLDER_TAKEN');
      if (life === 1) {
        const second = spawnSync(process.execPath, [program, ...SMALL, '--folder', where], {
          encoding: 'utf8',
        });
        expect(second.status).toBe(3);
        expect(second.stderr).toMatch(
          new RegExp(`another agent uses this folder; --folder is .*process ${child.pid} on .*FOLDER_TAKEN`),
        );
      }
      await has(life);
      child.kill('SIGKILL');
      await once(child, 'exit');
      printed += runs();
      const history = await readRuns(where);
      const kept = await history.last(1e6);
      await history.close();
      // A run is printed before it is kept: each life may have lost its last one.
      expect(kept.length).toBeGreaterThanOrEqual(printed - 1);
      expect(kept.length).toBeLessThanOrEqual(printed);
      printed = kept.length;
    }
    expect(printed).toBeGreaterThan(2);
  });

  it('goes on when the disk is full, and says so once (skipped without the right to mount)', async ({
    skip,
  }) => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'none', disk]);
    if (status !== 0) return skip('no right to mount a small disk');
    try {
      const run = (...argv: readonly string[]) =>
        spawnSync(process.execPath, [program, ...argv, '--folder', join(disk, 'runs')], {
          encoding: 'utf8',
          timeout: 50_000,
        });
      const agent = run(...SMALL, '--for', '24h');
      expect(agent.stderr.match(/runs are not kept, probing goes on/g)).toHaveLength(1);
      expect(agent.stdout).toContain('288 runs');
      expect(agent.status).toBe(0);
      const history = run('ping', '--history', 'rnic0');
      expect(history.stdout.split('\n').length).toBeGreaterThan(10);
    } finally {
      spawnSync('umount', [disk]);
    }
  });
});

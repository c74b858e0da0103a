import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { BrowserProcess } from './browser-process.js';

// Goal: no browser is left behind, whichever way the process that began it ends. A shell with a child stands for one.

const FAMILY = ['-c', 'sleep 600 & echo "$$ $!" >&2; wait'];

/** The processes of the family, once it has said them. */
const said = (stream: NodeJS.ReadableStream) =>
  new Promise<number[]>((done) =>
    stream.once('data', (text) => done(String(text).trim().split(' ').map(Number))),
  );

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A process that has ended is still there where nobody asks for its status, as in a container without an init.
    return !existsSync(`/proc/${pid}/stat`) || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Ends when none of them is alive any more; a test that never sees it runs out of its time. */
async function gone(pids: readonly number[]): Promise<void> {
  while (pids.some(isAlive)) await new Promise((done) => setTimeout(done, 10));
}

describe('the process of a browser', () => {
  it('ends with its children and its profile, also if it has ended by itself or never began', async () => {
    const family = BrowserProcess.begin('/bin/sh', () => FAMILY, ['ignore', 'ignore', 'pipe']);
    const pids = await said(family.child.stderr!);
    expect([pids.length, pids.every(isAlive), existsSync(family.profile)]).toEqual([2, true, true]);
    await family.end();
    await gone(pids);
    expect(existsSync(family.profile)).toBe(false);
    await family.end();
    const short = BrowserProcess.begin('/bin/true', () => [], ['ignore', 'ignore', 'pipe']);
    await new Promise((done) => short.child.once('exit', done));
    await short.end();
    const none = BrowserProcess.begin('/no/such/browser', () => [], ['ignore', 'ignore', 'pipe']);
    await none.end();
    expect([existsSync(short.profile), existsSync(none.profile)]).toEqual([false, false]);
  });

  it('ends when whoever began it is killed', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `import { BrowserProcess } from './browser-process.ts';
          const { child } = BrowserProcess.begin('/bin/sh', () => ${JSON.stringify(FAMILY)}, ['ignore', 'ignore', 'pipe']);
          child.stderr.pipe(process.stdout);`,
        resolveDir: resolve('src/cli/testing'),
      },
      ...{ bundle: true, write: false, platform: 'node', format: 'esm', logLevel: 'silent' },
    });
    // Nobody is left to remove its profile.
    const folder = mkdtempSync(join(tmpdir(), 'kelpie-owner-'));
    const env = { ...process.env, TMPDIR: folder };
    const owner = spawn(process.execPath, ['--input-type=module', '-e', outputFiles[0].text], { env });
    const pids = await said(owner.stdout);
    expect(pids.every(isAlive)).toBe(true);
    owner.kill('SIGKILL');
    await gone(pids);
    rmSync(folder, { recursive: true });
  });
});

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HuntAnswer } from '../../jobs/hunt/index.js';
import { openTestbedFor } from '../../testbeds/index.js';
import { resolveWorkload, runWorkload } from '../../workload/index.js';
import { openArchive } from '../hunt/archive-file.js';
import { orderFrom } from '../hunt/order.js';
import { RunProgress } from '../run/progress.js';
import { Apart } from '../testing/apart.js';
import { typed } from '../testing/typed.js';

// Goal: disks that are full, folders that are none, files that were changed and flags that make no sense are answered
// with what is wrong, and never as a bug in Kelpie.

const root = mkdtempSync(join(tmpdir(), 'kelpie-hostile-'));
let apart: Apart;
beforeAll(async () => {
  apart = await Apart.build();
}, 60_000);
afterAll(() => {
  rmSync(root, { recursive: true });
  apart.remove();
});

/** What must be answered at once is given up on after this: it took forever, or all memory, once. */
const AT_ONCE_MS = 30_000;

const OWN_FAULT = /bug in Kelpie/;
const onLinux = process.platform === 'linux';

/** A corner of the space that is cheap to run and has an anomaly. */
const space = join(root, 'corner.yaml');
writeFileSync(
  space,
  'transport: RC\nopcode: WRITE\nqps: { max: 2 }\nmrs: 1\nqueueDepth: { min: 16, max: 64 }\nbatch: { max: 2 }\nsge: 1\nmtu: 4096\nsizes: { min: 16384, max: 65536, length: 1 }\nmemory: [memory0, gpu0]\ndirection: uni\nmrBytes: 65536\n',
);

describe('a disk that is full', () => {
  const workload = join(root, 'workload.yaml');
  writeFileSync(workload, 'name: few\nsendQueueDepth: 4\niterations: 20\nsizes: [3000]\nmtu: 1024\n');

  it.runIf(onLinux).each(['simulated', 'software'])('ends a capture on %s', async (provider) => {
    const { code, err } = await typed(['capture', workload, '-o', '/dev/full', '--provider', provider]);
    expect(code).toBe(3);
    expect(err).toMatch(/the capture cannot be written: ENOSPC.*--output is '\/dev\/full'.*CANNOT_RUN/);
    expect(err).not.toMatch(OWN_FAULT);
  });

  it('ends a hunt, which says how to go on', async () => {
    const folder = join(root, 'full');
    const hunts = await openArchive(folder);
    const { id } = await hunts.create(orderFrom({ budget: '4' }));
    const { store } = hunts as unknown as { store: { database: { putSync(): void } } };
    store.database.putSync = () => {
      // As lmdb says it of a full disk.
      throw new Error('Input/output error');
    };
    await expect(hunts.putAnswer(id, {} as HuntAnswer)).rejects.toThrow(
      expect.objectContaining({
        code: 'CANNOT_RUN',
        message: expect.stringMatching(
          /cannot be kept: Input\/output error.*free space; then continue with .*--resume 1/,
        ),
      }),
    );
    await hunts.close();
  });
});

describe('kelpie hunt', () => {
  it.runIf(onLinux)('answers where a folder can never be made', async () => {
    const asked = ['hunt', '--budget', '4', '--folder', '/proc/kelpie/hunts'];
    const { code, err } = await apart.typed(asked, AT_ONCE_MS);
    expect(code).toBe(3);
    expect(err).toMatch(/the folder for hunts cannot be written.*CANNOT_RUN/);
  });

  it.each(['hunt', 'isolate'])('and isolate refuse a provider in real time: %s', async (command) => {
    const { code, err } = await typed([command, '--provider', 'software']);
    expect(code).toBe(2);
    expect(err).toMatch(/--provider is 'software', allowed: simulated, ideal \[BAD_FLAG\]/);
  });

  describe('on a profile of the user’s own', () => {
    const folder = join(root, 'own hunts');
    let found: Awaited<ReturnType<typeof typed>>;

    beforeAll(async () => {
      const mine = join(root, 'my profiles');
      mkdirSync(mine);
      const profile = join(mine, 'my profile.yaml');
      writeFileSync(
        profile,
        'profile: subsystem\nname: mine\nextends: collie-f-as-tested\ntitle: mine\ndescription: mine\ndevice: my-nic\n',
      );
      // Beside it, and found by its name.
      writeFileSync(
        join(mine, 'nic.yaml'),
        'profile: device\nname: my-nic\nextends: connectx-6-200g\ntitle: my NIC\n',
      );
      const asked = ['hunt', '--profile', profile, '--space', space, '--budget', '70', '--workers', '1'];
      found = await typed([...asked, '--folder', folder]);
      // What was hunted on is kept with what was found, whatever becomes of the user's file.
      rmSync(mine, { recursive: true });
    }, 120_000);

    it('prints a command that runs', async () => {
      expect(found.code).toBe(1);
      const [, command] = /reproduce: kelpie (.*)/.exec(found.out) as RegExpExecArray;
      const argv = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
      expect(argv).toContain('--profile');
      const again = await typed(argv);
      expect(again.err).not.toContain('kelpie:');
      expect(again.code).toBe(1);
    }, 120_000);

    it('notices digits of its records that were changed', async () => {
      const file = join(folder, 'hunts.mdb');
      const bytes = readFileSync(file);
      const text = bytes.toString('latin1');
      const at = text.indexOf('"severity":0.') + '"severity":0.'.length;
      expect(at).toBeGreaterThan(20);
      bytes[at] = bytes[at] === 0x39 ? 0x31 : 0x39;
      writeFileSync(file, bytes);
      const shown = await typed(['hunt', 'show', '--folder', folder]);
      expect(shown.code).toBe(3);
      expect(shown.err).toMatch(/a record of these hunts was changed or is damaged.*CANNOT_RUN/);
    });
  });

  it('takes a folder in which it was ended before it wrote anything for a new one', async () => {
    const folder = mkdtempSync(join(root, 'empty-'));
    writeFileSync(join(folder, 'hunts.mdb'), '');
    const flags = ['--provider', 'ideal', '--strategy', 'random', '--budget', '3', '--workers', '1'];
    expect(await typed(['hunt', ...flags, '--folder', folder])).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, '1', 'report.html'))).toBe(true);
  });
});

describe('memory that is not there', () => {
  const big = join(root, 'big.yaml');
  const wide = join(root, 'wide.yaml');
  writeFileSync(big, 'name: big\nqps: 1000000\n');
  writeFileSync(wide, 'name: wide\nmrBytes: 1000000000000\n');

  it.each([
    [
      'a million queue pairs',
      ['run', big],
      /1000000 connections.*heap is 'about .* GB', allowed: up to .* GB/,
    ],
    ['the same with a flag', ['bw', 'write', '-q', '1000000'], /1000000 connections/],
    ['a terabyte with bytes', ['run', wide, '--provider', 'software'], /memory is 'about 2000 GB', allowed/],
  ])('is not taken: %s', async (_, argv, words) => {
    const { code, err } = await apart.typed(argv, AT_ONCE_MS);
    expect(err).toMatch(words);
    expect(err).toMatch(/NOT_ENOUGH_MEMORY/);
    expect(code).toBe(3);
  });

  it('is no matter where memory has no bytes', async () => {
    expect(await typed(['run', wide])).toMatchObject({ code: 0 });
  });
});

describe('what takes long', () => {
  it('says so after two seconds, and then now and then, in a pipe too', () => {
    const written: string[] = [];
    const terminal = {
      out: () => {},
      err: (text: string) => written.push(text),
      draw: () => {},
      interactive: false,
    };
    const progress = new RunProgress(terminal, 'many', 0);
    for (let ms = 0; ms <= 25_000; ms += 100) progress.setUp(ms, 60_000, ms);
    progress.slice(
      { timeNs: 1e6, maxNs: 9e6, goodputGbps: 1.25, pauseShare: 0, packets: 3, messages: 1 },
      27_000,
    );
    progress.slice(
      { timeNs: 5e6, maxNs: 9e6, goodputGbps: 1.25, pauseShare: 0, packets: 3, messages: 1 },
      32_000,
    );
    expect(written).toEqual([
      'many: 2000 of 60000 connections made, about 58 s left\n',
      'many: 12000 of 60000 connections made, about 48 s left\n',
      'many: 22000 of 60000 connections made, about 38 s left\n',
      'many: 5000 us of at most 9000, 1.3 Gb/s, at most 4 s left\n',
    ]);
  });

  it('hears of connections while they are made', async () => {
    const workload = resolveWorkload({ qps: 600 });
    const testbed = await openTestbedFor(workload, { provider: 'ideal' });
    const heard: number[][] = [];
    const signal = AbortSignal.abort();
    await runWorkload(workload, testbed, { signal, onSetUp: (...at) => heard.push(at) }).catch(() => {});
    expect(heard).toEqual([
      [256, 600],
      [512, 600],
    ]);
    await testbed.close();
  });
});

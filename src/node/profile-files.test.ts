import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { KelpieError } from '../error.js';
import { DescriptionError } from '../schema/index.js';
import { openTestbed, subsystemOf } from '../testbeds/index.js';
import { readProfileFiles } from './profile-files.js';

// Goal: a user's profiles are found in a file, in several, in a folder and beside each other, and all that is wrong with
// them is said at once.

const root = mkdtempSync(join(tmpdir(), 'kelpie-profiles-'));
afterAll(() => rmSync(root, { recursive: true }));

const device = (name: string, base = 'connectx-6-100g') =>
  `profile: device\nname: ${name}\nextends: ${base}\ntitle: Mine\nconstants:\n  pcieGbps: { value: 60, evidence: measured, source: ours }\n`;
const subsystem = (name: string, nic: string) =>
  `profile: subsystem\nname: ${name}\nextends: perf\ntitle: Mine\ndevice: ${nic}\n`;

function folder(name: string, files: Readonly<Record<string, string>>): string {
  const path = join(root, name);
  mkdirSync(path);
  for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
  return path;
}

function refusal(...paths: string[]): KelpieError {
  try {
    readProfileFiles(paths);
  } catch (error) {
    return error as KelpieError;
  }
  throw new Error('it was read');
}

const beside = folder('beside', {
  'servers.yaml': subsystem('mine', 'my-nic'),
  'some-name.yml': device('my-nic', 'my-base'),
  'my-base.json': JSON.stringify({
    profile: 'device',
    name: 'my-base',
    extends: 'connectx-6-100g',
    title: 'Base',
    constants: { portGbps: { value: 50, evidence: 'measured', source: 'ours' } },
  }),
  'collie-f.yaml': 'profile: subsystem\nname: collie-f\nextends: perf\ntitle: Another\n',
  'workload.yaml': 'qps: 4\n',
  'broken.yaml': 'profile: [',
});

it('finds what a file names in the files beside it, and takes nothing else', async () => {
  const { profiles, given } = readProfileFiles([join(beside, 'servers.yaml')]);
  expect(given).toMatchObject([{ kind: 'subsystem', name: 'mine' }]);
  expect(profiles.map(({ file }) => file.slice(beside.length + 1))).toEqual([
    'servers.yaml',
    'some-name.yml',
    'my-base.json',
  ]);
  const { device: nic } = subsystemOf({ profiles, subsystem: 'mine' });
  expect(nic).toMatchObject({ name: 'my-nic', constants: { pcieGbps: 60, portGbps: 50 } });
  const testbed = await openTestbed({ profiles, subsystem: 'mine' });
  expect(testbed.profile).toBe('mine');
  await testbed.close();
});

it('takes several files, documents of one file, and a folder with other files in it', () => {
  const documents = folder('documents', {
    'all.yaml': `---\n${subsystem('mine', 'my-nic')}---\n# the device\n${device('my-nic')}---\n`,
    'hunt.yaml': `${subsystem('mine', 'my-nic')}\n...\n${device('my-nic')}`,
  });
  const whole = folder('whole', {
    'a.yaml': subsystem('mine', 'my-nic'),
    'b.yaml': device('my-nic'),
    'workload.yaml': 'opcode: READ\n',
    'notes.txt': 'profile: none',
  });
  const ways = [
    [join(documents, 'all.yaml')],
    [join(documents, 'hunt.yaml')],
    [whole],
    [join(whole, 'b.yaml'), join(whole, 'a.yaml')],
  ];
  for (const paths of ways) {
    const { profiles, given } = readProfileFiles(paths);
    expect(given.map(({ kind }) => kind).sort()).toEqual(['device', 'subsystem']);
    expect(subsystemOf({ profiles, subsystem: 'mine' }).device.constants.pcieGbps).toBe(60);
  }
});

it('says all that is wrong with all files, each at its place', () => {
  const faulty = folder('faulty', {
    'a.yaml': `${subsystem('mine', 'my-nic')}colour: red\n---\n${device('my-nic')}  pcieLanes: 8\n`,
    'b.yaml': `${device('other')}shade: blue\n`,
  });
  const error = refusal(faulty);
  expect(error).toBeInstanceOf(DescriptionError);
  expect(
    (error as DescriptionError).faults.map((each) => [each.file.slice(-6), each.line, each.field]),
  ).toEqual([
    ['a.yaml', 6, 'colour'],
    ['a.yaml', 14, 'constants.pcieLanes'],
    ['b.yaml', 7, 'shade'],
  ]);
});

it('says once what is wrong with a device that a subsystem names as well', () => {
  const mixed = `${device('mixed')}architecture: { base: connectx, wire: pigeon }\n`;
  const path = folder('once', { 'mixed.yaml': mixed, 'servers.yaml': subsystem('mine', 'mixed') });
  const { faults } = refusal(path) as DescriptionError;
  expect(faults.map(({ field, given }) => [field, given])).toEqual([['architecture.wire', 'pigeon']]);
});

it('says what is wrong with a file that is called after what is asked for', () => {
  const needed = folder('needed', {
    'mine.yaml': subsystem('mine', 'my-nic'),
    'my-nic.yaml': 'profile: device\nname: [',
  });
  expect(refusal(join(needed, 'mine.yaml'))).toMatchObject({ code: 'PROFILE_SYNTAX' });
});

it.each([
  ['a missing file', 'none.yaml', 'there is no such file'],
  ['a name that is nearly right', 'beside/server.yaml', 'there is no such file; did you mean servers.yaml?'],
  ['a folder without profiles', 'empty', 'this folder has no profiles'],
])('refuses %s', (_, path, summary) => {
  folderOnce('empty');
  const error = refusal(join(root, path));
  expect([error.code, error.summary]).toEqual(['PROFILE_UNREADABLE', summary]);
});

function folderOnce(name: string): void {
  mkdirSync(join(root, name), { recursive: true });
}

it('refuses more than the one file of a hunt could hold', () => {
  const filler = `# ${'-'.repeat(600_000)}\n`;
  const large = folder('large', { 'a.yaml': `${filler}${device('a')}`, 'b.yaml': `${filler}${device('b')}` });
  expect(refusal(large)).toMatchObject({ code: 'PROFILE_UNREADABLE', allowed: '1000000 characters in all' });
});

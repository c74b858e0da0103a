import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { templates } from '../../init/templates.js';
import { typed } from '../../testing/typed.js';

// Goal: what init writes runs as it stands, and nothing of the user's is lost.

const root = mkdtempSync(join(tmpdir(), 'kelpie-init-'));
afterAll(() => rmSync(root, { recursive: true }));

it('writes a workload, a device and a subsystem, and they run together', async () => {
  const folder = join(root, 'my lab');
  const { code, out } = await typed(['init', folder]);
  expect(code).toBe(0);
  expect(readdirSync(folder).sort()).toEqual(['my-nic.yaml', 'my-subsystem.yaml', 'workload.yaml']);
  const [, command] = /^ {2}kelpie (run .*)$/m.exec(out) as RegExpExecArray;
  const argv = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain);
  const ran = await typed([...argv, '--json']);
  // On a slow machine it says how far it is.
  expect(ran.err).not.toContain('kelpie:');
  expect(JSON.parse(ran.out)).toMatchObject({ profile: 'my-subsystem', workload: { name: 'my-workload' } });
  const shown = await typed(['show', 'my-nic', '--profile', folder]);
  expect(shown.out).toMatch(/contextCacheEntries +1024 +entries +calibrated +assumed/);
});

it('does not write over what is there unless told to', async () => {
  const folder = join(root, 'twice');
  expect((await typed(['init', 'workload', folder])).code).toBe(0);
  const again = await typed(['init', folder]);
  expect(again.code).toBe(2);
  expect(again.err).toContain('[FILE_EXISTS]');
  expect(readdirSync(folder)).toEqual(['workload.yaml']);
  expect((await typed(['init', folder, '--force'])).code).toBe(0);
});

it.each(templates)('writes a $kind that names its schema, which is there', async ({ kind, file, schema }) => {
  const folder = join(root, `one ${kind}`);
  const { code, out } = await typed(['init', kind, folder, '--json']);
  expect(code).toBe(0);
  expect(JSON.parse(out).written).toContainEqual({ kind, path: join(folder, file) });
  const [first] = readFileSync(join(folder, file), 'utf8').split('\n');
  const path = first.replace('# yaml-language-server: $schema=', '');
  expect(JSON.parse(readFileSync(join(folder, path), 'utf8'))).toMatchObject({
    $id: `urn:kelpie:schema:${schema}`,
  });
});

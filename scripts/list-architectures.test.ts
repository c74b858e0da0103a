import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { partsModule, partsPath, tablesModule, tablesPath } from './list-architectures.js';

it('the lists of architectures are current (else run node scripts/list-architectures.js)', async () => {
  expect(readFileSync(partsPath, 'utf8')).toBe(partsModule());
  expect(readFileSync(tablesPath, 'utf8')).toBe(await tablesModule());
});

it('a folder with a table is an architecture, and nothing else is edited', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kelpie-architectures-'));
  try {
    for (const name of ['parts', 'go-fast']) mkdirSync(join(folder, name));
    writeFileSync(join(folder, 'parts', 'wire.ts'), 'export const wire = 1;');
    const table = "{ name: 'go-fast', without: {}, parts: {} }";
    writeFileSync(join(folder, 'go-fast', 'table.ts'), `export const goFastTable = ${table};`);
    expect(partsModule(folder)).toContain("import { goFast } from './go-fast/go-fast.js';");
    expect(partsModule(folder)).not.toContain('wire');
    expect(await tablesModule(folder)).toContain('`{"name":"go-fast","without":{},"parts":{}}`');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

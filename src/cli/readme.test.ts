import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commands } from './commands/index.js';

/** The commands in the first cells of a table: ``| `kelpie bw`, `lat` | ...``. */
function namedIn(page: string): string[] {
  return [...page.matchAll(/^\| (`kelpie [^|]+)\|/gm)].flatMap(([, cell]) =>
    [...cell.matchAll(/`(?:kelpie )?([a-z]+)`/g)].map(([, name]) => name),
  );
}

it('the table in README.md has every command, and no other', () => {
  expect(namedIn(readFileSync('README.md', 'utf8')).sort()).toEqual(commands.map(({ name }) => name).sort());
});

it('every command loads, has examples that call it, and --json', async () => {
  for (const { name, load } of commands) {
    const { options, examples } = await load();
    expect(options.map(({ flags }) => flags)).toContain('--json');
    expect(examples?.length, name).toBeGreaterThan(0);
    for (const example of examples ?? []) expect(example).toMatch(new RegExp(`kelpie ${name}( |$)`));
  }
});

it('docs/README.md lists every page, and a page for every command', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(pages.filter((page) => !index.includes(`](${page}`))).toEqual([]);
  expect(namedIn(index).sort()).toEqual(commands.map(({ name }) => name).sort());
});

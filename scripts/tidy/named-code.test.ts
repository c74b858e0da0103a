import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { deadLinks, missingFunctions, missingPaths } from './named-code.js';

const docs = readdirSync('docs').filter((name) => name.endsWith('.md'));
const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...docs.map((name) => `docs/${name}`)];

/** What a check finds on all pages. */
function onAllPages(find: (page: string, text: string) => string[]): string[] {
  return pages.flatMap((page) => find(page, readFileSync(page, 'utf8')));
}

it('finds paths, functions and links that lead nowhere', () => {
  const paths = '`src/index.ts`, `src/NAME/x.ts`, `src/nowhere.ts`';
  expect(missingPaths('a.md', paths)).toEqual(['a.md: src/nowhere.ts']);
  const row = '| `src/engine/simulator.ts` | `register`, `vanish` | what |';
  expect(missingFunctions('a.md', row)).toEqual(['a.md: src/engine/simulator.ts vanish']);
  const item = '- `src/engine/simulator.ts`: `register`, `vanish`: what';
  expect(missingFunctions('a.md', item)).toEqual(['a.md: src/engine/simulator.ts vanish']);
  const links = '[a](contract.md) [b](verbs.md#nothing) [c](none.md) [d](https://example.org/)';
  expect(deadLinks('docs/a.md', links)).toEqual(['docs/a.md: verbs.md#nothing', 'docs/a.md: none.md']);
});

it('every path of this tree that a page names is there', () => {
  expect(onAllPages(missingPaths)).toEqual([]);
});

it('every function that a walk through the code names is there', () => {
  expect(onAllPages(missingFunctions)).toEqual([]);
});

it('every link between pages leads somewhere', () => {
  expect(onAllPages(deadLinks)).toEqual([]);
});

import { expect, it } from 'vitest';
import { codeBlocks, moduleExamples, promisedLines } from './code-blocks.js';

it('finds every block of a page, with its language and file', () => {
  const page = [
    '# Page',
    '```ts',
    'one();',
    '',
    'two();',
    '```',
    '1. a list',
    '   ```yaml my.yaml',
    '   a: 1',
    '   ```',
  ];
  expect(codeBlocks(page.join('\n'), 'page.md')).toEqual([
    { place: 'page.md:2', language: 'ts', file: null, text: 'one();\n\ntwo();\n' },
    { place: 'page.md:8', language: 'yaml', file: 'my.yaml', text: 'a: 1\n' },
  ]);
  expect(() => codeBlocks('```sh\nnever closed', 'page.md')).toThrow('page.md:1');
});

it('finds the examples of a module, and none in the comment of something else', () => {
  const lines = [
    '/**',
    ' * What it is.',
    ' *',
    ' * @example',
    ' * one();',
    ' *',
    ' * @example',
    ' * two();',
    ' *',
  ];
  const source = [...lines, ' * @module', ' */', "export * from './a.js';"].join('\n');
  expect(moduleExamples(source, 'index.ts').map(({ place, text }) => [place, text.trim()])).toEqual([
    ['index.ts:4', 'one();'],
    ['index.ts:7', 'two();'],
  ]);
  expect(moduleExamples(source.replace(' * @module\n', ''), 'index.ts')).toEqual([]);
});

it('knows what a program promises to print', () => {
  expect(promisedLines("console.log(a); // 1 2\nconsole.log(b);\n  console.log('c'); // c")).toEqual([
    '1 2',
    'c',
  ]);
});

import { expect, it } from 'vitest';
import { longLines } from './line-length.js';

const words = 'word '.repeat(30);

it('finds long comments and long code, and lets strings be', () => {
  expect(longLines(`// ${words}\nconst a = 1;\n`, 'a.ts')).toEqual(['a.ts:1']);
  expect(longLines(`const a = [${'1, '.repeat(60)}];\n`, 'a.ts')).toEqual(['a.ts:1']);
  expect(longLines(`const a = '${words}';\nconst b = \`\n${words}\n\`;\n`, 'a.ts')).toEqual([]);
  expect(longLines(`const a = 'short'; // ${words}\n`, 'a.ts')).toEqual(['a.ts:1']);
});

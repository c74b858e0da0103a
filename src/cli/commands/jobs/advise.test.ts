import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { typed } from '../../testing/typed.js';

// Goal: the examples in the repository say what the program says.

const example = (file: string) => resolve('examples/advise', file);

const advise = (argv: readonly string[]) => typed(['advise', ...argv]);

describe('the examples of advice', () => {
  it.each([
    ['rpc-library', ['Collie #4), tenant bulk-by-read', 'Collie #5), tenant control-messages']],
    ['byteps-training', ['Collie #9']],
  ])('%s: what is committed is what the program says, and %j meets an anomaly', async (name, words) => {
    const { code, out, err } = await advise([
      ...[example(`${name}.yaml`), '--sets', example(`${name}.hunt.json`)],
    ]);
    expect({ code, err }).toEqual({ code: 1, err: '' });
    expect(out).toBe(readFileSync(example(`${name}.txt`), 'utf8'));
    const met = out.split('\n').filter((line) => line.startsWith('MEETS'));
    for (const word of words)
      expect(
        met.some((line) => line.includes(word)),
        word,
      ).toBe(true);
  });
});

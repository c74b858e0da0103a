import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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

// Goal: an answer that somebody wrote by hand, or cut, is refused with the place; it is no bug of ours.
it.each([
  [{}, /\[SETS_INVALID\]/],
  [{ format: 'kelpie-hunt/1', subsystem: 'x', anomalies: [null] }, /see anomalies\[0\]/],
  [{ format: 'kelpie-hunt/1', subsystem: 'x', anomalies: [{ complete: true }] }, /see anomalies\[0\]\.\w+/],
])('refuses sets that are none: %j', async (sets, words) => {
  const folder = mkdtempSync(join(tmpdir(), 'kelpie-advise-'));
  const file = join(folder, 'sets.json');
  writeFileSync(file, JSON.stringify(sets));
  const { code, err } = await advise([example('rpc-library.yaml'), '--sets', file]);
  expect([code, err]).toEqual([2, expect.stringMatching(words)]);
  rmSync(folder, { recursive: true });
});

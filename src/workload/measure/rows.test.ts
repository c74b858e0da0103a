import { describe, expect, it } from 'vitest';
import { Rows } from './rows.js';

describe('rows', () => {
  it('are of the length asked for, empty, and apart from each other', () => {
    const rows = new Rows();
    const lengths = [3, 5, 0, 3, ...Array.from({ length: 200 }, () => 7)];
    const made = lengths.map((length) => rows.next(length));
    expect(made.map((row) => [row.length, row.every((value) => value === 0)])).toEqual(
      lengths.map((length) => [length, true]),
    );
    for (const [index, row] of made.entries()) row.fill(index + 1);
    expect(made.every((row, index) => row.every((value) => value === index + 1))).toBe(true);
  });
});

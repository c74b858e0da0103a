import { expect, it } from 'vitest';
import { DrawnBlock, fitted } from './drawn-block.js';

// Goal: what is drawn again and again leaves nothing behind, whatever its height. Method: a screen that obeys.

const MARKS = new RegExp(`${String.fromCharCode(27)}\\[(\\d*)[AJ]|[\\s\\S]`, 'g');

/** The lines of a screen that was sent these texts. */
function screen(texts: readonly string[]): string[] {
  const lines = [''];
  let row = 0;
  let column = 0;
  for (const [mark, count] of texts.join('').matchAll(MARKS)) {
    if (mark.endsWith('A') && mark.length > 1) row -= Number(count);
    else if (mark.endsWith('J') && mark.length > 1) {
      lines.length = row + 1;
      lines[row] = lines[row].slice(0, column);
    } else if (mark === '\r') column = 0;
    else if (mark === '\n') {
      row++;
      column = 0;
      lines[row] ??= '';
    } else {
      lines[row] = lines[row].slice(0, column) + mark + lines[row].slice(column + 1);
      column++;
    }
  }
  return lines;
}

it('a block is drawn over the one before, taller or not, and cleared', () => {
  const block = new DrawnBlock();
  const sent = ['above\n', block.over('one\ntwo\nthree\n'), block.over('four\nfive')];
  expect(screen(sent)).toEqual(['above', 'four', 'five']);
  expect(screen([...sent, block.over('a\nb\nc\nd')])).toEqual(['above', 'a', 'b', 'c', 'd']);
  expect(block.isEmpty).toBe(false);
  expect(screen([...sent, 'x', new DrawnBlock().over('')])).toEqual(['above', 'four', '']);
});

it('a block is no higher and no wider than its terminal', () => {
  expect(screen([new DrawnBlock().over('a\nb\nc\nd', 80, 3)])).toEqual(['a', 'b']);
  expect(screen([new DrawnBlock().over('x'.repeat(100), 20)])[0]).toHaveLength(19);
});

it('a line that is drawn over fits the terminal', () => {
  expect(fitted('12345678', 80)).toBe('12345678');
  const line = '26 experiments, 3 anomalies, about 9 s left';
  expect(fitted(line, 40)).toBe('26 experiments, 3 anom…, about 9 s left');
  expect(fitted(line, 20)).toBe('26 experiments, 3 …');
  expect(fitted('12345678', 8)).toBe('123456…');
  expect(fitted('12345678', undefined)).toBe('12345678');
});

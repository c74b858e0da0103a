import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { formatTable, processTerminal, visible } from './terminal.js';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A title, a cleared screen, a link, 8-bit commands, and text that reads the other way round. */
const EVIL = '\u001b]0;pwned\u0007 \u001b[2J \u001b]8;;http://evil\u001b\\x \u009b31m \u202egnp.exe\r!';

describe('text that meets a terminal', () => {
  it('has no command left in it, whatever the names say', () => {
    const written: string[] = [];
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    processTerminal.out(`name: ${EVIL}\n`);
    processTerminal.err(`kelpie: ${EVIL}\n`);
    expect(written).toHaveLength(2);
    for (const text of written) {
      expect(text.trimEnd()).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
      expect(text).toContain('\\u001b]0;pwned\\u0007');
    }
  });

  it('is the same JSON as before', () => {
    const value = { name: EVIL, list: ['tab\t', 'line\n', 'é', '\u0000'] };
    expect(JSON.parse(visible(JSON.stringify(value, null, 2)))).toEqual(value);
  });

  it('is left alone where there is nothing to hide', () => {
    const plain = 'columns\tand lines\nünïcödé ✓ ± “quoted”\n';
    expect(visible(plain)).toBe(plain);
  });
});

describe('a table', () => {
  const rows = [
    ['row', 'setting', 'value'],
    ['P6', 'sixteen queue pairs that write to each other', '97.94'],
  ];

  it('is as wide as it needs to be in a pipe', () => {
    expect(formatTable(rows, [2], undefined)).toBe(
      'row  setting                                       value\nP6   sixteen queue pairs that write to each other  97.94\n',
    );
  });

  it('folds long cells on a narrow terminal, and loses nothing', () => {
    const text = formatTable(rows, [2], 32);
    expect(text.split('\n').map((line) => line.trimEnd())).toEqual([
      'row  setting              value',
      'P6   sixteen queue pairs  97.94',
      '     that write to each',
      '     other',
      '',
    ]);
    const words = fc.array(fc.stringMatching(/^[a-z ]{0,60}$/), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.array(words, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 45, max: 200 }),
        (cells, columns) => {
          const folded = formatTable(cells, [], columns);
          for (const line of folded.split('\n')) expect(line.length).toBeLessThan(columns);
          const letters = (all: string) => [...all.replaceAll(/\s/g, '')].sort().join('');
          expect(letters(folded)).toBe(letters(cells.flat().join('')));
        },
      ),
    );
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { fitted, processTerminal, visible } from './terminal.js';

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

it('a line that is drawn over fits the terminal', () => {
  expect(fitted('12345678', 80)).toBe('12345678');
  expect(fitted('12345678', 8)).toBe('123456…');
  expect(fitted('12345678', undefined)).toBe('12345678');
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { DescriptionError, type DocumentKind, readWith, SourceDocument, withWords } from './index.js';

// Goal: whatever a file holds, the reader returns what the schema makes of it or says all that is wrong, each fault at its
// place in the text, and nothing that a hostile file does costs more than its limits.

const KIND: DocumentKind = {
  noun: 'a menu',
  reference: 'the kitchen',
  codes: {
    syntax: 'SYNTAX',
    unknownField: 'UNKNOWN',
    missingField: 'MISSING',
    badType: 'TYPE',
    outOfRange: 'RANGE',
  },
};

const schema = z.strictObject({
  dish: z.enum(['soup', 'stew']),
  guests: z.int().min(1).max(8).default(2),
  spice: z.union([z.literal(1), z.literal(2), z.enum(['mild', 'hot'])]).optional(),
  sides: z
    .array(z.strictObject({ name: z.string().min(2).max(10), grams: z.number().positive().optional() }))
    .max(3)
    .optional(),
  tables: z.record(withWords(z.string().regex(/^[A-Z]$/), 'one capital'), z.boolean()).optional(),
});

const read = (text: string) => readWith(SourceDocument.ofText(text, 'menu.yaml', KIND), schema);

function faultsOf(text: string): string[] {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DescriptionError)
      return error.faults.map(({ code, line, column, field }) => `${line}:${column} ${field} ${code}`);
    throw error;
  }
  return [];
}

function messageOf(text: string): string {
  try {
    read(text);
  } catch (error) {
    return (error as Error).message;
  }
  return '';
}

describe('the reader', () => {
  it('returns what the schema makes of YAML and of JSON', () => {
    expect(read('dish: soup')).toEqual({ dish: 'soup', guests: 2 });
    expect(read('{ "$schema": "menu.json", "dish": "stew", "tables": { "A": true } }')).toEqual({
      dish: 'stew',
      guests: 2,
      tables: { A: true },
    });
  });

  it('names every fault at its place: values at the value, unknown fields at their name, missing ones at what lacks them', () => {
    expect(
      faultsOf(
        'guests: 9\nsides:\n  - { name: x }\n  - grams: 0\n  - 7\ntables: { A: yes, bb: true }\ndesert: ice',
      ),
    ).toEqual([
      '1:1 dish MISSING',
      '1:9 guests RANGE',
      '3:13 sides[0].name RANGE',
      '4:5 sides[1].name MISSING',
      '4:12 sides[1].grams RANGE',
      '5:5 sides[2] TYPE',
      '6:14 tables.A TYPE',
      '6:19 tables.bb UNKNOWN',
      '7:1 desert UNKNOWN',
    ]);
  });

  it.each([
    [
      'dish: sop',
      "menu.yaml:1:7: dish: not one of its values, given 'sop' (did you mean soup?), allowed: soup, stew",
    ],
    ['dish:', 'menu.yaml:1:1: dish: not one of its values, given nothing, allowed: soup, stew'],
    [
      'dish: soup\nguests: many',
      "menu.yaml:2:9: guests: wrong type, given 'many', allowed: a whole number from 1 to 8",
    ],
    [
      'dish: soup\nguests: 1.5',
      'menu.yaml:2:9: guests: not a whole number, given 1.5, allowed: a whole number from 1 to 8',
    ],
    [
      'dish: soup\nspice: 3',
      'menu.yaml:2:8: spice: not one of its values, given 3, allowed: 1, 2, or mild, hot',
    ],
    [
      'dish: soup\nspice: hott',
      "menu.yaml:2:8: spice: not one of its values, given 'hott' (did you mean hot?), allowed: 1, 2, or mild, hot",
    ],
    ['dish: soup\nspice: [1]', 'menu.yaml:2:8: spice: wrong type, given [1], allowed: 1, 2, or mild, hot'],
    [
      'dish: soup\nsides: { a: 1 }',
      'menu.yaml:2:8: sides: wrong type, given a mapping, allowed: a list of 0 to 3',
    ],
    [
      'dish: soup\ntables: { b: true }',
      "menu.yaml:2:11: tables.b: this cannot be a name here, given 'b', allowed: one capital",
    ],
    [
      'dish: soup\ngests: 3',
      'menu.yaml:2:1: gests: there is no such field (did you mean guests?), allowed: dish, guests, spice, sides, tables',
    ],
    [
      `dish: ${'x'.repeat(200)}`,
      `menu.yaml:1:7: dish: not one of its values, given '${'x'.repeat(76)}..., allowed: soup, stew`,
    ],
    ['- soup', 'menu.yaml:1:1: a menu is a mapping of fields, given [soup], allowed: see the kitchen'],
    ['', 'menu.yaml:1:1: a menu is a mapping of fields, given nothing, allowed: see the kitchen'],
    [
      'dish: soup\n---\ndish: stew',
      'menu.yaml:2:1: a second document begins here, allowed: one document per file',
    ],
    ['dish: soup\ndish: stew', 'menu.yaml:2:1: Map keys must be unique'],
  ])('says %j in one voice', (text, message) => {
    expect(messageOf(text)).toBe(message);
  });

  it('says of a value of a program which field it is', () => {
    const value = { dish: 'soup', sides: [{ name: undefined }] };
    const document = SourceDocument.ofValue(value, 'the order', KIND);
    expect(() => readWith(document, schema)).toThrow(
      'the order: sides[0].name: the field is missing, allowed: text of 2 to 10 characters',
    );
  });

  it('follows aliases, as far as they do not explode', () => {
    expect(read('dish: &d soup\nsides: [{ name: *d }]')).toMatchObject({ sides: [{ name: 'soup' }] });
    const bomb = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [name, before] of ['ba', 'cb', 'dc', 'ed', 'fe'])
      bomb.push(`${name}: &${name} [${Array(10).fill(`*${before}`).join(', ')}]`);
    expect(faultsOf(bomb.join('\n'))).toEqual(['1:1  SYNTAX']);
  });

  it.each([
    ['brackets', '['.repeat(100_000)],
    ['braces', '{a: '.repeat(100_000)],
    ['dashes', '- '.repeat(2000)],
    ['indented keys', Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
  ])('says where %s go too deep', (_, text) => {
    expect(messageOf(text)).toMatch(/^menu\.yaml:\d+:\d+: nested too deeply, allowed: up to 64 levels$/);
  });

  it('refuses a file that is too large without looking at it', () => {
    expect(messageOf('x'.repeat(1_000_001))).toBe(
      "menu.yaml:1:1: the file is too large, given '1000001 characters', allowed: up to 1000000 characters",
    );
  });

  it('answers anything with a value or with faults that lie in the text', () => {
    const piece = fc.constantFrom(
      'dish',
      'soup',
      'sides',
      ': ',
      '\n',
      '  ',
      '- ',
      '{',
      '}',
      '[',
      ']',
      '&a ',
      '*a',
      '"',
      '? ',
      '|',
      '#',
      '7',
      '~',
      '__proto__',
      '!!x ',
      '\t',
      '%',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        try {
          expect(read(text)).toHaveProperty('dish');
        } catch (error) {
          expect(error).toBeInstanceOf(DescriptionError);
          const { faults } = error as DescriptionError;
          const lines = text.split('\n').length;
          expect(faults.length).toBeGreaterThan(0);
          for (const { line, column } of faults) {
            expect(line).toBeGreaterThanOrEqual(1);
            expect(line).toBeLessThanOrEqual(lines + 1);
            expect(column).toBeGreaterThanOrEqual(1);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a text of several documents', () => {
  const all = (text: string) => SourceDocument.allOfText(text, 'menus.yaml', KIND);

  it('is read one by one, each with its own lines; empty ones are left out', () => {
    const menus = all('---\ndish: soup\n---\n# none\n---\ndish: cake\n');
    expect(menus).toHaveLength(2);
    expect(readWith(menus[0], schema)).toMatchObject({ dish: 'soup' });
    expect(() => readWith(menus[1], schema)).toThrow('menus.yaml:6:7: dish');
    expect(all('')).toHaveLength(1);
  });

  it('is refused where it is not well formed or never ends', () => {
    expect(() => all('dish: soup\n---\ndish: [')).toThrow(expect.objectContaining({ code: 'SYNTAX' }));
    expect(() => all('---\n'.repeat(1500))).toThrow('too many documents, allowed: up to 1000 in a file');
  });
});

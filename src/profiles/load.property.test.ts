import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KelpieError } from '../error.js';
import { listProfiles, parseProfile, profileText } from './library.js';
import { profileKinds } from './profile.js';

// Goal: whatever a file holds, the loader answers with a profile or with a KelpieError that names a place in the file.
// Method: mutate shipped files by characters and by lines, and read arbitrary text.

const shipped = profileKinds.flatMap((kind) => listProfiles(kind).map((name) => profileText(kind, name)));

function outcome(text: string): 'accepted' | 'refused' {
  try {
    parseProfile(text, 'fuzz.yaml');
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(KelpieError);
    const { faults } = error as KelpieError & { faults: { line: number; column: number; file: string }[] };
    expect(faults.length).toBeGreaterThan(0);
    for (const { line, column } of faults) {
      expect(line).toBeGreaterThanOrEqual(1);
      expect(line).toBeLessThanOrEqual(text.split('\n').length + 1);
      expect(column).toBeGreaterThanOrEqual(1);
    }
    return 'refused';
  }
}

const at = fc.nat({ max: 1_000_000 });
const piece = fc.oneof(
  fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ':',
    '- ',
    '#',
    '"',
    "'",
    '\n',
    '\t',
    ' ',
    '&a ',
    '*a',
    '!!int ',
    '|',
    '>',
    '? ',
    '%',
    '0',
    '-',
    'e9',
    '.nan',
    '~',
    '\u0000',
  ),
  fc.string({ maxLength: 6 }),
);
const characters = fc.record({
  kind: fc.constant('characters' as const),
  at,
  remove: fc.nat({ max: 12 }),
  insert: piece,
});
const lines = fc.record({
  kind: fc.constantFrom('drop' as const, 'double' as const, 'swap' as const),
  at,
  to: at,
});

type Made<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
type Change = Made<typeof characters> | Made<typeof lines>;

function mutate(text: string, change: Change): string {
  if (change.kind === 'characters') {
    const start = change.at % (text.length + 1);
    return text.slice(0, start) + change.insert + text.slice(start + change.remove);
  }
  const all = text.split('\n');
  const line = change.at % all.length;
  const other = change.to % all.length;
  if (change.kind === 'drop') all.splice(line, 1);
  else if (change.kind === 'double') all.splice(other, 0, all[line]);
  else [all[line], all[other]] = [all[other], all[line]];
  return all.join('\n');
}

describe('the loader under mutation', () => {
  it('answers a mutated profile with a profile or a KelpieError, and both happen', () => {
    const seen = new Set<string>();
    const small = shipped.filter((text) => text.length < 6000);
    const changes = fc.array(fc.oneof(characters, lines), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...small), changes, (text, list) => {
        seen.add(outcome(list.reduce(mutate, text)));
      }),
      { numRuns: 300, seed: 1 },
    );
    expect([...seen].sort()).toEqual(['accepted', 'refused']);
  });

  it('answers mutations of the largest files too', () => {
    const large = shipped.filter((text) => text.length >= 6000);
    fc.assert(
      fc.property(fc.constantFrom(...large), fc.oneof(characters, lines), (text, change) => {
        expect(['accepted', 'refused']).toContain(outcome(mutate(text, change)));
      }),
      { numRuns: 20, seed: 1 },
    );
  });

  it('refuses arbitrary text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ maxLength: 200 }),
          fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
        ),
        (text) => {
          expect(outcome(text)).toBe('refused');
        },
      ),
      { numRuns: 300, seed: 1 },
    );
  });

  it('refuses arbitrary JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(outcome(text)).toBe('refused');
      }),
      { numRuns: 200, seed: 1 },
    );
  });
});

import { Option } from 'commander';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineCommand } from './command.js';
import { commands } from './commands/index.js';
import { ExitCode } from './exit-code.js';
import { numberFlag } from './flag-value.js';
import { keyOf } from './option.js';

// Goal: a command reads its flags by the names and types that it declares, or does not compile. `npm run types` checks the
// lines with @ts-expect-error, each of which must be an error.

const options = [
  { flags: '-t, --tx-depth <number>', description: '', default: '128' },
  { flags: '--post_list <number>', description: '' },
  { flags: '--kind <name>', description: '', choices: ['warm', 'cold'] },
  { flags: '--assert <thresholds...>', description: '' },
  { flags: '--resume [id]', description: '' },
  { flags: '--no-settings', description: '' },
  { flags: '-b, --bidirectional', description: '' },
] as const;

describe('the flags of a command', () => {
  it('have the names and types of their declaration', () => {
    const command = defineCommand({
      options,
      run: async ({ options: given }) => {
        expectTypeOf(given.txDepth).toEqualTypeOf<string>();
        expectTypeOf(given.post_list).toEqualTypeOf<string | undefined>();
        expectTypeOf(given.kind).toEqualTypeOf<'warm' | 'cold' | undefined>();
        expectTypeOf(given.assert).toEqualTypeOf<readonly string[] | undefined>();
        expectTypeOf(given.resume).toEqualTypeOf<string | true | undefined>();
        expectTypeOf(given.settings).toEqualTypeOf<boolean>();
        expectTypeOf(given.bidirectional).toEqualTypeOf<boolean | undefined>();
        expectTypeOf(numberFlag(given, '--tx-depth', { min: 1, max: 9 })).toEqualTypeOf<number>();
        expectTypeOf(numberFlag(given, '--post_list', { min: 1, max: 9 })).toEqualTypeOf<
          number | undefined
        >();
        return ExitCode.GOOD;
      },
    });
    expect(command.options).toBe(options);
  });

  it('that are not declared do not compile', () => {
    defineCommand({
      options,
      run: async ({ options: given }) => {
        // @ts-expect-error: it is txDepth
        void given.txDept;
        // @ts-expect-error: it is kind, in one word
        void given['kinds'];
        // @ts-expect-error: no such choice
        void (given.kind === 'hot');
        // @ts-expect-error: it is --tx-depth
        numberFlag(given, '--rx-depth', { min: 1, max: 9 });
        return ExitCode.GOOD;
      },
    });
  });

  it('are named as the parser names them, in every command', async () => {
    for (const { load } of commands)
      for (const { flags } of (await load()).options)
        expect(keyOf(flags), flags).toBe(new Option(flags).attributeName());
  });
});

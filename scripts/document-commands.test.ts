import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commands } from '../src/cli/commands/index.js';
import { describeOption } from '../src/cli/option.js';
import { workloadJsonSchema } from '../src/workload/index.js';
import { allowedBy, cliPage, workloadPage } from './document-commands.js';
import { withoutPadding } from './document-profiles.js';

// Goal: the reference pages are what the code says (else run node scripts/document-commands.js).

it('docs/cli.md is current', async () => {
  const page = readFileSync('docs/cli.md', 'utf8');
  expect(withoutPadding(page)).toBe(withoutPadding(await cliPage(commands, describeOption)));
});

it('docs/workload.md is current', () => {
  const page = readFileSync('docs/workload.md', 'utf8');
  expect(withoutPadding(page)).toBe(withoutPadding(workloadPage(workloadJsonSchema(), page)));
});

it('says what a field accepts', () => {
  expect(allowedBy({ type: 'integer', minimum: 1, maximum: 8 })).toBe('whole number from 1 to 8');
  expect(allowedBy({ type: 'number', exclusiveMinimum: 0 })).toBe('number above 0');
  expect(allowedBy({ anyOf: [{ const: 256 }, { const: 512 }] })).toBe('`256`, `512`');
  expect(allowedBy({ type: 'array', items: { enum: ['a', 'b'] }, maxItems: 2 })).toBe(
    'a list of up to 2: `a`, `b`',
  );
});

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { shippedArchitectures } from './architecture/shipped-architectures.js';
import { jsonSchema } from './json-schema.js';
import { listProfiles, profileText } from './library.js';
import { profileKinds } from './profile.js';

// Goal: the published schema and the loader agree. Method: an independent reading of the schema (zod's) on the shipped
// files and on files with one mistake.

const validators = Object.fromEntries(
  profileKinds.map((kind) => [kind, z.fromJSONSchema(jsonSchema(kind) as z.core.JSONSchema.JSONSchema)]),
);
const accepts = (kind: string, text: string) => validators[kind].safeParse(parse(text)).success;

describe('published schema', () => {
  it('asks for every constant of what extends nothing, by architecture', () => {
    // Read directly: zod takes no notice of `required` without the property beside it.
    const [inherits, connectx, ...others] = jsonSchema('device')['anyOf'] as { properties: object }[];
    expect(inherits).toEqual({ type: 'object', required: ['extends'] });
    const table = shippedArchitectures.tableOf({ base: 'connectx', parts: {} });
    expect(connectx).toEqual({
      type: 'object',
      required: ['vendor', 'protocol', 'constants'],
      properties: {
        architecture: { const: 'connectx' },
        constants: { type: 'object', required: Object.keys(table) },
      },
    });
    const named = [
      ...shippedArchitectures.names.slice(1).map((name) => ({ const: name })),
      { type: 'object' },
    ];
    expect(others.map(({ properties }) => properties)).toMatchObject(
      named.map((architecture) => ({ architecture })),
    );
  });

  it.each(profileKinds.flatMap((kind) => listProfiles(kind).map((name) => ({ kind, name }))))(
    'accepts $kind $name',
    ({ kind, name }) => {
      expect(accepts(kind, profileText(kind, name))).toBe(true);
    },
  );

  it.each([
    [
      'a value out of range',
      (text: string) => text.replace('portGbps: { value: 200', 'portGbps: { value: 2000'),
    ],
    ['an unknown constant', (text: string) => text.replace('portGbps:', 'portGigabits:')],
    [
      'an unknown evidence class',
      (text: string) => text.replace('evidence: documented', 'evidence: rumoured'),
    ],
    [
      'a fraction where whole numbers belong',
      (text: string) => text.replace('pcieLanes: { value: 16', 'pcieLanes: { value: 16.5'),
    ],
  ])('refuses %s', (_, change) => {
    const text = profileText('device', 'connectx-6-200g');
    expect(change(text)).not.toBe(text);
    expect(accepts('device', change(text))).toBe(false);
  });
});

import { z } from 'zod';
import { Random } from '../../../engine/index.js';
import type { KelpieError } from '../../../error.js';
import {
  type DocumentKind,
  type JsonSchema,
  publishedSchema,
  readWith,
  SourceDocument,
} from '../../../schema/index.js';
import { drawPoint } from '../search/draw.js';
import { CHOICES, type ChoiceName, collieSpace, NUMBERS, type NumberName, type Space } from './space.js';

/** What a space is to the reader. */
const SPACE: DocumentKind = {
  noun: 'a space',
  reference: 'docs/hunt.md',
  codes: {
    syntax: 'YAML_SYNTAX',
    unknownField: 'SPACE_INVALID',
    missingField: 'SPACE_INVALID',
    badType: 'SPACE_INVALID',
    outOfRange: 'SPACE_INVALID',
  },
};

/** Most entries of a request vector. */
const MAX_LENGTH = 16;

/** Bounds of a number as a file gives them. */
type Given = number | { min?: number; max?: number; length?: number };
/** Values of a dimension as a file gives them. */
type Values = string | number | (string | number)[];

/**
 * Narrows a space by a user's file, YAML or JSON: names as one value or a list, numbers as one value or
 * `{ min, max }`, `sizes` with `length` besides, `memory` for both hosts. What is wrong is said with file, line and field.
 *
 * @example
 * const mine = narrowSpace(collieSpace(places), 'transport: RC\nqps: { max: 64 }', 'mine.yaml');
 */
export function narrowSpace(space: Space, text: string, fileName: string): Space {
  const document = SourceDocument.ofText(text, fileName, SPACE);
  // A file of comments alone narrows nothing.
  if (document.value === null) return space;
  const narrowed = narrow(space, readWith(document, schemaOf(space)), document);
  document.throwFaults();
  try {
    // Bounds that contradict each other leave nothing to draw.
    drawPoint(narrowed, new Random(0));
  } catch (error) {
    const { allowed } = error as KelpieError;
    document.report('SPACE_EMPTY', [], { problem: 'no workload lies within these bounds', allowed });
    document.throwFaults();
  }
  return narrowed;
}

/** The published schema of a file that bounds a hunt. The names of memories are those of the host that is hunted on. */
export function spaceJsonSchema(): JsonSchema {
  const node = z.string().min(1);
  const memory = z.union([node, z.array(node).min(1)]).optional();
  const fields = { ...schemaOf(collieSpace([''])).shape, memory, memoryA: memory, memoryB: memory };
  return publishedSchema('space', 'Kelpie space of a hunt', z.strictObject(fields));
}

/** What a file may say about a space: the names of its dimensions, and their values. */
function schemaOf({ choices, numbers, sizes }: Space): z.ZodObject {
  const fields: Record<string, z.ZodType> = {};
  for (const name of CHOICES) fields[name] = valuesSchema(choices[name].values);
  fields['memory'] = valuesSchema(choices.memoryA.values);
  for (const name of NUMBERS) fields[name] = boundsSchema(numbers[name].ladder, {});
  fields['sizes'] = boundsSchema(sizes.ladder, { length: z.int().min(1).max(MAX_LENGTH).optional() });
  return z.strictObject(
    Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.optional()])),
  );
}

function valuesSchema(values: readonly (string | number)[]): z.ZodType {
  const one = z.literal([...values]);
  return z.union([one, z.array(one).min(1)]);
}

function boundsSchema(ladder: readonly number[], more: Record<string, z.ZodType>): z.ZodType {
  const bound = z
    .int()
    .min(ladder[0])
    .max(ladder[ladder.length - 1]);
  return z.union([bound, z.strictObject({ min: bound.optional(), max: bound.optional(), ...more })]);
}

function narrow(space: Space, given: Readonly<Record<string, unknown>>, document: SourceDocument): Space {
  const choices = { ...space.choices };
  const numbers = { ...space.numbers };
  let { sizes } = space;
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined) continue;
    if (field === 'memory') {
      for (const name of ['memoryA', 'memoryB'] as const)
        choices[name] = { ...choices[name], values: chosen(choices[name].values, value as Values) };
    } else if (isChoice(field)) {
      choices[field] = { ...choices[field], values: chosen(choices[field].values, value as Values) };
    } else if (isNumber(field)) {
      const { ladder } = numbers[field];
      numbers[field] = { ...numbers[field], ladder: within(field, ladder, value as Given, document) };
    } else {
      const { ladder, maxLength } = sizes;
      const length =
        (typeof value === 'object' ? (value as { length?: number }).length : undefined) ?? maxLength;
      sizes = { ...sizes, ladder: within(field, ladder, value as Given, document), maxLength: length };
    }
  }
  return { ...space, choices, numbers, sizes };
}

/** The values that are left of a dimension, the mildest first as in the space. */
function chosen(values: readonly (string | number)[], given: Values): (string | number)[] {
  const wanted = Array.isArray(given) ? given : [given];
  return values.filter((each) => wanted.includes(each));
}

/** The rungs within the bounds, and the bounds themselves. */
function within(field: string, ladder: readonly number[], given: Given, document: SourceDocument): number[] {
  const whole = { min: ladder[0], max: ladder[ladder.length - 1] };
  const { min = whole.min, max = whole.max } = typeof given === 'number' ? { min: given, max: given } : given;
  if (min > max)
    document.report('SPACE_IMPOSSIBLE', [field, 'min'], {
      problem: 'the minimum is above the maximum',
      given: min,
      allowed: `up to ${max}`,
    });
  return [...new Set([min, ...ladder.filter((rung) => rung > min && rung < max), max])];
}

function isChoice(field: string): field is ChoiceName {
  return (CHOICES as readonly string[]).includes(field);
}

function isNumber(field: string): field is NumberName {
  return (NUMBERS as readonly string[]).includes(field);
}

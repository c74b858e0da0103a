import { z } from 'zod';
import { withWords } from './words.js';

/** Free text that is not blank. */
export function text(meaning: string, maxLength = 2000): z.ZodString {
  const schema = z.string().min(1).max(maxLength).regex(/\S/).describe(meaning);
  return withWords(schema, `text of 1 to ${maxLength} characters`);
}

/** One of a few words. */
export function word<const Word extends string>(
  meaning: string,
  values: readonly Word[],
): z.ZodEnum<{ [Value in Word]: Value }> {
  return z.enum(values).describe(meaning);
}

/** Text of a form that has words for itself. */
export function pattern(meaning: string, expression: RegExp, maxLength: number, words: string): z.ZodString {
  return withWords(z.string().min(1).max(maxLength).regex(expression).describe(meaning), words);
}

/** A name: lower case letters, digits and hyphens. */
export function name(meaning: string): z.ZodString {
  const words = 'lower-case letters, digits and single hyphens, up to 60';
  return pattern(meaning, /^[a-z0-9]+(-[a-z0-9]+)*$/, 60, words);
}

/** What is known of a number. */
export interface NumberRange {
  readonly min: number;
  readonly max: number;
  readonly integer: boolean;
  readonly unit: string;
}

/** A finite number with a unit, within a closed range. */
export function number(meaning: string, range: NumberRange): z.ZodNumber {
  const { min, max, integer } = range;
  const schema = (integer ? z.int() : z.number()).min(min).max(max).describe(meaning);
  return withWords(schema, rangeInWords(range));
}

/** The range of a number in words, for messages and documentation. */
export function rangeInWords({ min, max, unit, integer }: NumberRange): string {
  return `${min} to ${max}${unit === '' ? '' : ` ${unit}`}${integer ? ', whole numbers' : ''}`;
}

/** A mapping with known fields and no others; the names after the fields are those that must be there. */
export function object(
  meaning: string,
  fields: Readonly<Record<string, z.ZodType>>,
  required: readonly string[] = [],
): z.ZodObject {
  const shape = Object.entries(fields).map(([field, schema]) => [
    field,
    required.includes(field) ? schema : schema.optional(),
  ]);
  return z.strictObject(Object.fromEntries(shape)).describe(meaning);
}

/** A sequence of things of one shape. */
export function list(meaning: string, of: z.ZodType, maxItems: number): z.ZodArray {
  return z.array(of).max(maxItems).describe(meaning);
}

/**
 * What a profile file may look like. One description serves the loader (which reports faults with their lines) and the
 * published JSON Schema, so that the two cannot disagree.
 */
export type Shape = TextShape | NumberShape | DurationShape | ObjectShape | ListShape;

/** A string; with `values` one of a few words, with `pattern` a name. */
export interface TextShape {
  readonly kind: 'text';
  readonly meaning: string;
  readonly maxLength: number;
  readonly values?: readonly string[];
  readonly pattern?: { readonly expression: RegExp; readonly words: string };
}

/** A finite number within a closed range. */
export interface NumberShape {
  readonly kind: 'number';
  readonly meaning: string;
  readonly min: number;
  readonly max: number;
  readonly integer: boolean;
  readonly unit: string;
}

/** A length of time: nanoseconds, or a number with its unit. */
export interface DurationShape {
  readonly kind: 'duration';
  readonly meaning: string;
}

/** A mapping with known fields and no others. */
export interface ObjectShape {
  readonly kind: 'object';
  readonly meaning: string;
  readonly fields: Readonly<Record<string, Shape>>;
  readonly required: readonly string[];
}

/** A sequence of things of one shape. */
export interface ListShape {
  readonly kind: 'list';
  readonly meaning: string;
  readonly of: Shape;
  readonly maxItems: number;
}

/** Free text. */
export function text(meaning: string, maxLength = 2000): TextShape {
  return { kind: 'text', meaning, maxLength };
}

/** One of a few words. */
export function word(meaning: string, values: readonly string[]): TextShape {
  return { kind: 'text', meaning, maxLength: 100, values };
}

/** A name: lower case letters, digits and hyphens. */
export function name(meaning: string): TextShape {
  const pattern = {
    expression: /^[a-z0-9]+(-[a-z0-9]+)*$/,
    words: 'lower-case letters, digits and single hyphens',
  };
  return { kind: 'text', meaning, maxLength: 60, pattern };
}

/** A length of time. */
export function duration(meaning: string): DurationShape {
  return { kind: 'duration', meaning };
}

/** A mapping; the names after the fields are those that must be there. */
export function object(
  meaning: string,
  fields: Readonly<Record<string, Shape>>,
  required: readonly string[] = [],
): ObjectShape {
  return { kind: 'object', meaning, fields, required };
}

/** A sequence. */
export function list(meaning: string, of: Shape, maxItems: number): ListShape {
  return { kind: 'list', meaning, of, maxItems };
}

/** The range of a number in words, for messages and documentation. */
export function rangeInWords(shape: Pick<NumberShape, 'min' | 'max' | 'integer' | 'unit'>): string {
  return `${shape.min} to ${shape.max} ${shape.unit}${shape.integer ? ', whole numbers' : ''}`;
}

import { Random } from '../../../engine/index.js';
import type { KelpieError } from '../../../error.js';
import { nearest } from '../../../profiles/index.js';
import { SourceDocument, type SourcePath } from '../../../workload/description/source-document.js';
import { drawPoint } from '../search/draw.js';
import { CHOICES, type ChoiceName, NUMBERS, type NumberName, type Space } from './space.js';

/** Bounds as a file gives them. */
interface Bounds {
  min: number;
  max: number;
}

const FIELDS: readonly string[] = [...CHOICES, ...NUMBERS, 'sizes', 'memory'];

/**
 * Narrows a space by a user's file, YAML or JSON: names as one value or a list, numbers as one value or
 * `{ min, max }`, `sizes` with `length` besides, `memory` for both hosts. What is wrong is said with file, line and field.
 *
 * @example
 * const mine = narrowSpace(collieSpace(places), 'transport: RC\nqps: { max: 64 }', 'mine.yaml');
 */
export function narrowSpace(space: Space, text: string, fileName: string): Space {
  const document = new SourceDocument(text, fileName);
  const { value } = document;
  if (value === null) return space;
  const reader = new SpaceReader(document, space);
  if (typeof value !== 'object' || Array.isArray(value))
    throw reader.invalid([], 'a space is a mapping of dimensions', FIELDS.join(', '));
  const narrowed = reader.read(value as Record<string, unknown>);
  try {
    // Bounds that contradict each other leave nothing to draw.
    drawPoint(narrowed, new Random(0));
  } catch (error) {
    throw document.error(
      'SPACE_EMPTY',
      'no workload lies within these bounds',
      [],
      (error as KelpieError).allowed,
    );
  }
  return narrowed;
}

class SpaceReader {
  private readonly document: SourceDocument;
  private readonly space: Space;

  constructor(document: SourceDocument, space: Space) {
    this.document = document;
    this.space = space;
  }

  invalid(path: SourcePath, summary: string, allowed?: string): KelpieError {
    return this.document.error('SPACE_INVALID', summary, path, allowed);
  }

  read(given: Record<string, unknown>): Space {
    const { space } = this;
    const choices = { ...space.choices };
    const numbers = { ...space.numbers };
    let { sizes } = space;
    for (const [field, value] of Object.entries(given)) {
      if (field === 'memory') {
        choices.memoryA = { ...choices.memoryA, values: this.names(field, 'memoryA', value) };
        choices.memoryB = { ...choices.memoryB, values: this.names(field, 'memoryB', value) };
      } else if (isChoice(field)) {
        choices[field] = { ...choices[field], values: this.names(field, field, value) };
      } else if (isNumber(field)) {
        const ladder = this.ladder(field, numbers[field].ladder, value, ['min', 'max']);
        numbers[field] = { ...numbers[field], ladder };
      } else if (field === 'sizes') {
        const ladder = this.ladder(field, sizes.ladder, value, ['min', 'max', 'length']);
        sizes = { ...sizes, ladder, maxLength: this.length(value) };
      } else {
        const meant = nearest(field, FIELDS);
        throw this.invalid(
          [field],
          'there is no such dimension',
          meant === undefined ? FIELDS.join(', ') : `${meant}, perhaps; ${FIELDS.join(', ')}`,
        );
      }
    }
    return { ...space, choices, numbers, sizes };
  }

  /** The values of a dimension with names, the mildest first as in the space. */
  private names(field: string, dimension: ChoiceName, value: unknown): (string | number)[] {
    const { values } = this.space.choices[dimension];
    const wanted = Array.isArray(value) ? value : [value];
    if (wanted.length === 0)
      throw this.invalid([field], 'nothing is left of this dimension', values.join(', '));
    for (const [index, each] of wanted.entries()) {
      if (!values.includes(each))
        throw this.invalid(
          Array.isArray(value) ? [field, index] : [field],
          'this value is not known',
          values.join(', '),
        );
    }
    return values.filter((each) => wanted.includes(each));
  }

  /** The rungs within the bounds, and the bounds themselves. */
  private ladder(
    field: string,
    ladder: readonly number[],
    value: unknown,
    keys: readonly string[],
  ): number[] {
    const { min, max } = this.bounds(field, ladder, value, keys);
    return [...new Set([min, ...ladder.filter((rung) => rung > min && rung < max), max])];
  }

  private bounds(field: string, ladder: readonly number[], value: unknown, keys: readonly string[]): Bounds {
    const whole: Bounds = { min: ladder[0], max: ladder[ladder.length - 1] };
    if (typeof value === 'number') return { min: this.bound([field], value, whole), max: value };
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw this.invalid([field], 'not of the right kind', `a number, or { ${keys.join(', ')} }`);
    const given = value as Record<string, unknown>;
    for (const key of Object.keys(given))
      if (!keys.includes(key)) throw this.invalid([field, key], 'there is no such field', keys.join(', '));
    const min = 'min' in given ? this.bound([field, 'min'], given['min'], whole) : whole.min;
    const max = 'max' in given ? this.bound([field, 'max'], given['max'], whole) : whole.max;
    if (min > max)
      throw this.document.error(
        'SPACE_IMPOSSIBLE',
        'the minimum is above the maximum',
        [field, 'min'],
        `up to ${max}`,
      );
    return { min, max };
  }

  private bound(path: SourcePath, value: unknown, { min, max }: Bounds): number {
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
      throw this.invalid(path, 'outside the space', `an integer from ${min} to ${max}`);
    return value;
  }

  private length(value: unknown): number {
    const { maxLength } = this.space.sizes;
    if (typeof value !== 'object' || value === null || !('length' in value)) return maxLength;
    return this.bound(['sizes', 'length'], value.length, { min: 1, max: 16 });
  }
}

function isChoice(field: string): field is ChoiceName {
  return (CHOICES as readonly string[]).includes(field);
}

function isNumber(field: string): field is NumberName {
  return (NUMBERS as readonly string[]).includes(field);
}

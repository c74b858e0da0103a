import { KelpieError } from '../../error.js';

/** One thing that takes several values, for every variant. */
export interface Sweep {
  /** A field of the workload (`qps`, `size`, `batch`, …), a change (`loss`, `device.NAME`, …), or what the kind knows. */
  readonly parameter: string;
  readonly values: readonly (number | string)[];
}

/** More points than these are a typing error. */
const MOST_VALUES = 1000;
/** Between powers of ten. */
const WITHIN_DECADE = 3;
const ALLOWED =
  'NAME=VALUE,VALUE,... or NAME=FROM..TO (whole numbers double, fractions go 1, 3, 10, ...) or NAME=FROM..TO*FACTOR';

/**
 * Reads a sweep: a list, or a range.
 *
 * @example
 * parseSweep('qps=1..8').values; // [1, 2, 4, 8]
 * parseSweep('loss=0.001..0.01').values; // [0.001, 0.003, 0.01]
 */
export function parseSweep(text: string): Sweep {
  const equals = text.indexOf('=');
  const parameter = text.slice(0, equals).trim();
  const listed = text.slice(equals + 1).trim();
  if (equals <= 0 || parameter === '' || listed === '') throw refusal(text);
  const values = listed.split(',').flatMap((each) => valuesOf(each.trim(), text));
  if (values.length > MOST_VALUES) throw refusal(text, `at most ${MOST_VALUES} values`);
  return { parameter, values: [...new Set(values)] };
}

function valuesOf(part: string, whole: string): (number | string)[] {
  if (part === '') throw refusal(whole);
  const range = /^([^.*]+(?:\.\d+)?)\.\.([^*]+)(?:\*(.+))?$/.exec(part);
  if (range === null) return [numberIn(part) ?? part];
  const [from, to, factor] = [range[1], range[2], range[3] ?? '2'].map(numberIn);
  const good = from !== null && to !== null && factor !== null && from > 0 && to >= from && factor > 1;
  if (!good) throw refusal(whole);
  const integers = Number.isInteger(from) && Number.isInteger(to);
  const values: number[] = [];
  if (range[3] !== undefined || integers) {
    for (let value = from; value < to * (1 - 1e-12); value *= factor) push(values, value, integers, whole);
  } else {
    let step = WITHIN_DECADE;
    for (let value = from; value < to * (1 - 1e-9); step = 10 / step) {
      push(values, Number(value.toPrecision(6)), false, whole);
      value *= step;
    }
  }
  return [...values, to];
}

function push(values: number[], value: number, integers: boolean, whole: string): void {
  if (values.length >= MOST_VALUES) throw refusal(whole, `at most ${MOST_VALUES} values`);
  values.push(integers ? Math.round(value) : value);
}

function numberIn(text: string): number | null {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

function refusal(given: string, allowed = ALLOWED): KelpieError {
  return new KelpieError('COMPARE_BAD_SWEEP', 'not a sweep', { field: 'sweep', given, allowed });
}

/**
 * How well a value is known.
 *
 * - `documented`: a standard, a manual, a driver, a product brief or a paper's set-up section states it.
 * - `measured`: somebody published it from a real device.
 * - `calibrated`: no public value exists; it was fitted or assumed, and the source says to what.
 */
export const evidenceClasses = ['documented', 'measured', 'calibrated'] as const;

/** One of the three evidence classes. */
export type Evidence = (typeof evidenceClasses)[number];

/** A constant as a profile gives it: never a bare number. */
export interface Constant {
  readonly value: number;
  readonly evidence: Evidence;
  /** The paper's figure or section, the manual, the driver, or the fidelity row that it was calibrated to. */
  readonly source: string;
}

/** What the tables say about a constant: the one place that knows its unit, its range and its meaning. */
export interface ConstantSpec {
  /** The heading under which the documentation lists it. */
  readonly group: string;
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  /** Whole numbers only. */
  readonly integer: boolean;
  /** A sentence. */
  readonly meaning: string;
  /** The value that says 'this device or host has no such mechanism', where there is one, and what it means. */
  readonly off?: string;
}

/** A table of constants, by name. */
export type ConstantTable = Readonly<Record<string, ConstantSpec>>;

/** The flat numbers that a model reads: one for each name of a table. */
export type Values<Table extends ConstantTable> = Readonly<Record<keyof Table, number>>;

type Range = readonly [min: number, max: number];

function spec(
  group: string,
  unit: string,
  range: Range,
  integer: boolean,
  meaning: string,
  off?: string,
): ConstantSpec {
  return {
    group,
    unit,
    min: range[0],
    max: range[1],
    integer,
    meaning,
    ...(off === undefined ? {} : { off }),
  };
}

/** A constant of whole numbers. */
export function whole(
  group: string,
  unit: string,
  range: Range,
  meaning: string,
  off?: string,
): ConstantSpec {
  return spec(group, unit, range, true, meaning, off);
}

/** A constant that may have a fraction. */
export function real(group: string, unit: string, range: Range, meaning: string, off?: string): ConstantSpec {
  return spec(group, unit, range, false, meaning, off);
}

/** A mechanism that is there (1) or not (0). */
export function flag(group: string, meaning: string, off: string): ConstantSpec {
  return spec(group, '0 or 1', [0, 1], true, meaning, `0: ${off}`);
}

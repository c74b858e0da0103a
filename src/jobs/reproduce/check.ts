import type { RowOutcome, Value } from './row.js';
import { paperNumber } from './row.js';
import type { Target } from './targets/target.js';

/** Figures that are printed and kept. */
const DIGITS = 4;

/** A measured number as it is printed and compared: four figures. */
export function figures(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(DIGITS)) : value;
}

/** A complaint about a number that is not where the paper has it; null where it is. */
export function outside(name: string, value: number, paper: number, tolerance: number): string | null {
  const apart = value / paper - 1;
  if (Math.abs(apart) <= tolerance + 1e-9) return null;
  return `${name} ${figures(value)} is ${apart > 0 ? '+' : ''}${(apart * 100).toFixed(1)} % from ${paper}, allowed ±${tolerance * 100} %`;
}

/** The finding of a row with one number. */
export function single(target: Target, value: number): RowOutcome {
  return conclude(figures(value), [outside('the value', value, paperNumber(target), target.tolerance ?? 0)]);
}

/** The finding of a row with several numbers; those that the paper gives as `>90` need only be greater. */
export function several(target: Target, values: Readonly<Record<string, number>>): RowOutcome {
  const complaints = Object.entries(values).map(([name, value]) => {
    const paper = paperNumber(target, name);
    const given = (target.value as Readonly<Record<string, unknown>>)[name];
    if (typeof given === 'string' && given.startsWith('>'))
      return value > paper ? null : `${name} ${figures(value)} is not above ${paper}`;
    return outside(name, value, paper, target.tolerance ?? 0);
  });
  return conclude(
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, figures(value)])),
    complaints,
  );
}

/** A statement that must hold; null where it does. */
export function must(holds: boolean, complaint: string): string | null {
  return holds ? null : complaint;
}

/** What is wrong, and then why, as far as it is known. */
export function because(complaints: readonly (string | null)[], why: string): readonly (string | null)[] {
  return complaints.every((each) => each === null) ? complaints : [...complaints, why];
}

/** A finding from what was measured and what is wrong with it. */
export function conclude(simulated: Value, complaints: readonly (string | null)[]): RowOutcome {
  const reasons = complaints.filter((each) => each !== null);
  return reasons.length === 0
    ? { simulated, ok: true }
    : { simulated, ok: false, reason: reasons.join('; ') };
}

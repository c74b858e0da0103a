import { CONTROLS, type Control, changed, type Setup } from './setup.js';

/** A point of a response curve: what a run would be with one control moved. */
export interface CurvePoint {
  readonly control: Control;
  readonly value: number | string;
  readonly setup: Setup;
}

/** Every point of the curve of a control, as it is from here. */
export function curveOf(setup: Setup, control: Control): CurvePoint[] {
  return control.values.map((value) => ({
    ...{ control, value },
    setup: changed(setup, control.field, value as never),
  }));
}

/** Every point that all curves of a setup need, the nearest to where the controls are first. */
export function curvePoints(setup: Setup): CurvePoint[] {
  const distance = ({ control, value }: CurvePoint) => {
    const values = control.values as readonly (number | string)[];
    return Math.abs(values.indexOf(value) - values.indexOf(setup[control.field]));
  };
  return CONTROLS.flatMap((control) => curveOf(setup, control)).sort(
    (one, other) => distance(one) - distance(other),
  );
}

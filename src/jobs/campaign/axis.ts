/** An axis whose values are listed. */
export interface ListedAxis {
  readonly name: string;
  readonly values: readonly (string | number)[];
}

/** One dimension of a campaign: values, or integers from one on. */
export type Axis = ListedAxis | { readonly name: string; readonly from: number; readonly count: number };

/** Where in a campaign a task stands: a value of each axis. */
export type CampaignPoint = Readonly<Record<string, string | number>>;

/** How many values an axis has. */
export function lengthOf(axis: Axis): number {
  return 'values' in axis ? axis.values.length : axis.count;
}

/** How many points some axes have. */
export function sizeOf(axes: readonly Axis[]): number {
  return axes.reduce((product, axis) => product * lengthOf(axis), 1);
}

/**
 * The point of a number; the last axis goes round first. Points are made when they are asked for: a campaign may have more
 * of them than memory should hold.
 *
 * @example
 * pointAt([{ name: 'qps', values: [1, 8] }, { name: 'seed', from: 1, count: 3 }], 4); // { qps: 8, seed: 2 }
 */
export function pointAt(axes: readonly Axis[], index: number): CampaignPoint {
  const point: [string, string | number][] = [];
  let rest = index;
  for (const axis of axes.toReversed()) {
    const length = lengthOf(axis);
    const at = rest % length;
    point.unshift([axis.name, 'values' in axis ? axis.values[at] : axis.from + at]);
    rest = (rest - at) / length;
  }
  return Object.fromEntries(point);
}

/** A point in words: `collie-f, qps 8, seed 2`. */
export function showPoint(point: CampaignPoint): string {
  return Object.entries(point)
    .map(([name, value]) => (name === 'on' ? String(value) : `${name} ${value}`))
    .join(', ');
}

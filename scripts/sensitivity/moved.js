// Which rows a constant moves.

/** A figure counts as moved from here on, beyond what the seed alone does. */
export const LEAST_MOVE = 0.02;

/** Every number that a row gives, in the order in which it gives them. */
export function figuresOf(simulated) {
  const values = typeof simulated === 'object' ? Object.values(simulated) : [simulated];
  return values.flatMap((value) =>
    typeof value === 'number'
      ? [value]
      : [...String(value).matchAll(/(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?/g)].map(Number),
  );
}

/**
 * What a move did to a row: 'turns' where it is green with one value and red with the other, 'moves' where a figure
 * leaves what three seeds give by more than their distance and {@link LEAST_MOVE}, 'fails' where it cannot be run, else
 * null. `base` are the runs with nothing moved, the first of them with the seed of `run`.
 */
export function effectOf(base, run) {
  if (run.failed !== undefined) return 'fails';
  if (run.ok !== base[0].ok) return 'turns';
  if (run.figures.length !== base[0].figures.length) return 'moves';
  const moves = run.figures.some((figure, index) => {
    const seeds = base.map(({ figures }) => figures[index] ?? base[0].figures[index]);
    const [least, most] = [Math.min(...seeds), Math.max(...seeds)];
    const slack = most - least + LEAST_MOVE * Math.max(Math.abs(least), Math.abs(most));
    return figure < least - slack || figure > most + slack;
  });
  return moves ? 'moves' : null;
}

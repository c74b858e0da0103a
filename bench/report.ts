/** One measured figure; `ratioTo` says how many times better it is than each yardstick of the same run. */
export interface Row {
  name: string;
  value: number;
  unit: string;
  ratioTo?: Record<string, number>;
}

/** A figure that must be reached: the row's ratio to a yardstick. A yardstick that is absent does not count. */
export interface Bar {
  row: string;
  yardstick: string;
  atLeast: number;
}

/** Prints the rows: exactly a JSON array with `--json` among the arguments, else a table. */
export function report(rows: readonly Row[], args: readonly string[]): void {
  const rounded = rows.map(roundRow);
  console.log(args.includes('--json') ? JSON.stringify(rounded, null, 2) : table(rounded));
}

/** Says on stderr which bars are missed; with `--check` among the arguments the process will then exit with 1. */
export function checkBars(rows: readonly Row[], bars: readonly Bar[], args: readonly string[]): void {
  for (const { row, yardstick, atLeast } of bars) {
    const measured = rows.find(({ name }) => name === row);
    const ratio = measured?.ratioTo?.[yardstick];
    if (measured && ratio === undefined) {
      console.error(`bar not judged: ${row} has no ratio to ${yardstick} in this run`);
    } else if (ratio === undefined || !(ratio >= atLeast)) {
      console.error(
        `bar missed: ${row} is ${ratio?.toFixed(2) ?? 'absent'} times ${yardstick}, wanted ${atLeast}`,
      );
      if (args.includes('--check')) process.exitCode = 1;
    }
  }
}

function roundRow(row: Row): Row {
  const { name, value, unit, ratioTo } = row;
  const rounded: Row = { name, value: significant(value), unit };
  if (ratioTo)
    rounded.ratioTo = Object.fromEntries(
      Object.entries(ratioTo).map(([key, ratio]) => [key, significant(ratio)]),
    );
  return rounded;
}

function significant(value: number): number {
  return Number(value.toPrecision(4));
}

function table(rows: readonly Row[]): string {
  const cells = rows.map(({ name, value, unit, ratioTo = {} }) => [
    name,
    String(value),
    unit,
    Object.entries(ratioTo)
      .map(([yardstick, ratio]) => `${ratio.toFixed(2)} x ${yardstick}`)
      .join(', '),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column].length)));
  return cells
    .map(([name, value, unit, ratios]) =>
      `${name.padEnd(widths[0])}  ${value.padStart(widths[1])} ${unit.padEnd(widths[2])}  ${ratios}`.trimEnd(),
    )
    .join('\n');
}

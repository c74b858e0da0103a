import type { SweepFinding } from './sweeps.js';

const WIDTH = 24;
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const;

/** A share of one as a bar of blocks; anything above zero shows. */
export function bar(share: number): string {
  const eighths = Math.min(WIDTH * 8, Math.max(share > 0 ? 1 : 0, Math.round(share * WIDTH * 8)));
  return '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8];
}

/** A sweep as a plot in text: one line a value, a bar for the pause share and one for the rate. */
export function chart({ parameter, points }: SweepFinding): string {
  const width = Math.max(parameter.length, ...points.map(({ value }) => String(value).length));
  const lines = points.map(({ value, pause, lineShare, symptom }) => {
    const cells = [
      String(value).padStart(width),
      `${percent(pause)} ${bar(pause).padEnd(WIDTH)}`,
      `${percent(lineShare)} ${bar(lineShare).padEnd(WIDTH)}`,
      symptom ?? '',
    ];
    return cells.join(' │ ').trimEnd();
  });
  const head = [parameter.padStart(width), 'pause'.padEnd(WIDTH + 8), 'rate'.padEnd(WIDTH + 8), 'anomaly'];
  return ['```text', head.join(' │ '), ...lines, '```'].join('\n');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`.padStart(7);
}

import { describe, expect, it } from 'vitest';
import { lineChart, roundTicks } from './line-chart.js';

describe('a chart', () => {
  it.each([
    [200, [0, 50, 100, 150, 200]],
    [97.3, [0, 25, 50, 75, 100]],
    [1, [0, 0.25, 0.5, 0.75, 1]],
    [31, [0, 10, 20, 30, 40]],
    [0, [0, 1]],
    [Number.NaN, [0, 1]],
  ])('has round ticks up to %d', (value, ticks) => {
    expect(roundTicks(value)).toEqual(ticks);
  });

  it('has a legend for several lines alone, and says in words what it shows', () => {
    const line = {
      name: 'a<b',
      points: [
        [0, 1],
        [5, 9],
      ] as const,
    };
    const one = lineChart({ title: 'rate, Gb/s', xTitle: 'us', lines: [line] }).text;
    expect(one).not.toContain('class="key');
    expect(one).toContain('aria-label="rate, Gb/s over us. a&#60;b: up to 9"');
    const two = lineChart({
      title: 'rate, Gb/s',
      xTitle: 'us',
      lines: [line, { ...line, dashed: true }],
    }).text;
    expect(two).toContain('class="key c2 dash"');
  });

  it('of nothing is nothing, and of very much is thinned out', () => {
    expect(lineChart({ title: '', xTitle: '', lines: [] }).text).toBe('');
    const points = Array.from({ length: 50_000 }, (_, index) => [index, index % 7] as const);
    expect(lineChart({ title: '', xTitle: '', lines: [{ name: '', points }] }).text.length).toBeLessThan(
      20_000,
    );
  });
});

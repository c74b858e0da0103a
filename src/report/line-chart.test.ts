import { describe, expect, it } from 'vitest';
import { type ChartPoint, lineChart } from './line-chart.js';

const line = {
  name: 'a<b',
  points: [
    [0, 1],
    [5, 9],
  ] as const,
};
const titles = { title: 'rate, Gb/s', xTitle: 'µs' };

function pathsOf(text: string): string[] {
  return [...text.matchAll(/ d="([^"]*)"/g)].map(([, path]) => path);
}

describe('a chart', () => {
  it('has a legend for several lines alone, and says in words what it shows', () => {
    const one = lineChart({ ...titles, lines: [line] }).text;
    expect(one).not.toContain('class="key');
    expect(one).toContain('aria-label="rate, Gb/s over µs"><desc>a&#60;b: 1 to 9</desc>');
    expect(one).toMatch(/<td>a&#60;b<\/td><td class="r">1<\/td><td class="r">5<\/td><td class="r">9<\/td>/);
    const two = lineChart({ ...titles, lines: [line, { ...line, dashed: true }] }).text;
    expect(two).toContain('class="key c2 dash"');
  });

  it('ends at a round number over the line rate, which is dashed', () => {
    const { text } = lineChart({ ...titles, lines: [line], reference: { name: 'line rate', value: 193 } });
    expect([...text.matchAll(/class="y"[^>]*>([^<]*)</g)].map(([, label]) => label)).toEqual([
      ...['0', '50', '100', '150', '200'],
    ]);
    expect(text).toContain('class="g ref" style="bottom:96.50%"');
    expect(text).toContain('<span class="key c6 dash">line rate</span>');
  });

  it('has a gap where nothing was measured', () => {
    const points: ChartPoint[] = [
      ...([[0, 1], [1, 2], [2, null], [3, 2], [4, 1]] as const), // biome-ignore format: one row
    ];
    const [path] = pathsOf(lineChart({ ...titles, lines: [{ name: '', points }] }).text);
    expect(path.match(/M/g)).toHaveLength(2);
  });

  it('of counts goes up in steps', () => {
    const [path] = pathsOf(lineChart({ ...titles, lines: [{ ...line, stepped: true }] }).text);
    expect(path).toBe('M0,90L100,90L100,10');
  });

  it('of nothing is nothing, and of very much is thinned out without losing a peak', () => {
    expect(lineChart({ ...titles, lines: [] }).text).toBe('');
    const points = Array.from(
      { length: 50_000 },
      (_, index): ChartPoint => [index, index === 31_415 ? 100 : 1],
    );
    const { text } = lineChart({ ...titles, lines: [{ name: '', points }] });
    expect(text.length).toBeLessThan(20_000);
    expect(pathsOf(text)[0]).toMatch(/,0(L|$)/);
  });
});

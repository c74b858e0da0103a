import { describe, expect, it, vi } from 'vitest';
import { ProgressLine, timeText } from './progress.js';

function watched(interactive: boolean) {
  const lines: string[] = [];
  const terminal = {
    interactive,
    out: () => {},
    err: (text: string) => void lines.push(`err ${text}`),
    draw: (text: string) => void lines.push(`draw ${text}`),
  };
  return { lines, terminal, line: new ProgressLine(terminal, 1000) };
}

describe('the progress line', () => {
  it('says nothing of a short job', () => {
    const { lines, line } = watched(true);
    line.estimate(0.5, 2900, () => 'half');
    expect(lines).toEqual([]);
  });

  it('is drawn again on a terminal, with what is left', () => {
    const { lines, line } = watched(true);
    line.estimate(0.5, 4000, () => 'half');
    line.estimate(0.6, 4100, () => 'too soon');
    line.estimate(0.75, 4200, () => 'more');
    line.end();
    expect(lines).toEqual(['draw half, about 3 s left', 'draw more, about 1 s left', 'draw ']);
  });

  it('is a line every ten seconds in a pipe, and has no estimate before anything is done', () => {
    const { lines, line } = watched(false);
    line.estimate(0, 4000, () => 'begun');
    line.estimate(0.5, 9000, () => 'too soon');
    line.estimate(0.5, 15_000, () => 'half');
    expect(lines).toEqual(['err begun\n', 'err half, about 14 s left\n']);
  });

  it('goes on by itself while parts of a job run elsewhere, and ends', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    const { lines, terminal } = watched(true);
    const line = new ProgressLine(terminal, performance.now()).keepGoing('the first rows');
    vi.advanceTimersByTime(3_000);
    expect(lines).toEqual(['draw the first rows, 2 s so far', 'draw the first rows, 3 s so far']);
    line.estimate(0.75, performance.now(), () => '3 of 4 rows');
    vi.advanceTimersByTime(3_000);
    expect(lines.at(-1)).toBe('draw 3 of 4 rows, about 2 s left');
    line.end();
    vi.advanceTimersByTime(3_000);
    expect(lines.at(-1)).toBe('draw ');
    vi.useRealTimers();
  });

  it.each([
    [400, '0 s'],
    [89_000, '89 s'],
    [600_000, '10 min'],
    [7_200_000, '2.0 h'],
  ])('says %d ms as people do', (ms, text) => expect(timeText(ms)).toBe(text));
});

import { describe, expect, it } from 'vitest';
import { coloured, wantsColour } from './colour.js';

describe('colours', () => {
  it.each([
    ['a terminal', true, {}, true],
    ['a pipe', false, {}, false],
    ['NO_COLOR', true, { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR, which does not count', true, { NO_COLOR: '' }, true],
    ['a terminal that has none', true, { TERM: 'dumb' }, false],
    ['FORCE_COLOR', false, { FORCE_COLOR: '1' }, true],
    ['both', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('%s', (_, isTerminal, environment, wanted) => {
    expect(wantsColour({ isTerminal, environment })).toBe(wanted);
  });

  it('change nothing but the look', () => {
    const text = 'verdict: ANOMALY (pause): host b\nlimited by: a\nnote: few\nplain verdict: no anomaly\n';
    const painted = coloured(text);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken away
    expect(painted.replaceAll(/\u001b\[\d+m/g, '')).toBe(text);
    expect(painted).toContain('\u001b[31mverdict: ANOMALY (pause): host b\u001b[0m\n');
    expect(painted).toContain('plain verdict: no anomaly\n');
  });
});

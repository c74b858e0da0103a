import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitting, horizontalAxis, spacingOf, verticalAxis } from './scale.js';

describe('the vertical axis', () => {
  it.each([
    [200, ['0', '50', '100', '150', '200']],
    [97.3, ['0', '20', '40', '60', '80', '100']],
    [31, ['0', '10', '20', '30', '40']],
    [1, ['0', '0.2', '0.4', '0.6', '0.8', '1']],
    [2.3e6, ['0', '0.5M', '1M', '1.5M', '2M', '2.5M']],
    [0, ['0', '0.2', '0.4', '0.6', '0.8', '1']],
    [Number.NaN, ['0', '0.2', '0.4', '0.6', '0.8', '1']],
  ])('has round ticks up to %d', (most, labels) => {
    expect(verticalAxis(most).ticks.map(([, label]) => label)).toEqual(labels);
  });

  it('begins at 0 and holds what it is of', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (most) => {
        const { at, ticks } = verticalAxis(most);
        expect(at(0)).toBe(0);
        expect(at(most)).toBeLessThanOrEqual(100.0001);
        expect(at(most)).toBeGreaterThan(50);
        expect(ticks.length).toBeGreaterThanOrEqual(3);
      }),
    );
  });
});

describe('the horizontal axis', () => {
  it('spaces numbers by size or logarithm, and words evenly', () => {
    expect(spacingOf([1, 16, 256])).toBe('log');
    expect(spacingOf([1024, 2048, 4096])).toBe('linear');
    expect(spacingOf([0, 16, 256])).toBe('linear');
    expect(spacingOf(['RC', 'UD'])).toBe('even');
    expect(spacingOf([7, 7])).toBe('even');
    const values = [1, 16, 256];
    expect(values.map(horizontalAxis(values, 'log', values).at)).toEqual([0, 50, 100]);
    const words = ['RC', 'UC', 'UD'];
    expect(words.map(horizontalAxis(words, 'even', words).at)).toEqual([0, 50, 100]);
  });

  it('begins at 0 unless its ticks are given', () => {
    expect(horizontalAxis([50, 100], 'linear').at(50)).toBe(50);
    expect(horizontalAxis([50, 100], 'linear', [50, 100]).at(50)).toBe(0);
  });
});

describe('labels of a horizontal axis', () => {
  const shown = (most: number, unit: string) =>
    fitting(horizontalAxis([0, most], 'linear'), ([, label]) => `${label}${unit}`).map(([, label]) => label);

  it('are all there where they have room', () => {
    expect(shown(1280, ' µs')).toEqual(['0', '200', '400', '600', '800', '1000', '1200']);
    expect(shown(2348, ' µs')).toEqual(['0', '500', '1000', '1500', '2000']);
    expect(shown(1.41, '')).toEqual(['0', '0.2', '0.4', '0.6', '0.8', '1', '1.2', '1.4']);
  });

  it('keep the last one, and leave out those that would touch it or each other', () => {
    const axis = horizontalAxis([1, 2 ** 22], 'log', [1, 2, 4, 2 ** 21, 2 ** 22]);
    expect(fitting(axis, ([, label]) => `${label} qps`).map(([value]) => value)).toEqual([1, 2 ** 22]);
  });
});

import { expect, it } from 'vitest';
import { nearest } from './nearest.js';

it.each([
  ['perff', ['perf', 'srnic'], 'perf'],
  ['--subsystem', ['--subsystems', '--set'], '--subsystems'],
  ['-R', ['-r', '-s'], '-r'],
  ['--foo', ['--tos', '--top'], undefined],
  ['ab', ['cd'], undefined],
])('of %s and %j means %s', (given, known, meant) => {
  expect(nearest(given, known)).toBe(meant);
});

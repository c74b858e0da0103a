import { expect, it } from 'vitest';
import { KelpieError } from '../../error.js';
import { errorOf, type Failure, failureOf } from './failure.js';

const there = (error: unknown) => errorOf(structuredClone(failureOf(error)) satisfies Failure);

it('an error that crosses from one thread to another keeps its code, its text and its field', () => {
  const error = new KelpieError('LINK_OPEN_FAILED', 'the socket cannot be opened', { field: 'address' });
  const again = there(error);
  expect(again).toBeInstanceOf(KelpieError);
  expect(again).toMatchObject({ code: error.code, message: error.message, field: 'address' });
  expect(again.stack).toBe(error.stack);
});

it('an error of another kind stays one of another kind', () => {
  expect(there(new TypeError('x'))).not.toBeInstanceOf(KelpieError);
  expect(there(new TypeError('x')).message).toBe('x');
  expect(there('thrown as text').message).toBe('thrown as text');
});

import { KelpieError } from '../error.js';
import { combine } from './combination.js';
import { harmonic } from './harmonic.js';
import { hwTc, hwTcStrict } from './hw-tc.js';
import { justitia, justitiaRelaxed } from './justitia/index.js';
import { none } from './none.js';
import { perf } from './perf/index.js';
import type { Scheme } from './scheme.js';
import { srIov } from './sr-iov.js';

/** Every scheme by itself. */
export const schemes: readonly Scheme[] = [
  none,
  srIov,
  hwTc,
  hwTcStrict,
  justitia,
  justitiaRelaxed,
  perf,
  harmonic,
];

/**
 * The scheme of this name; several joined by `+` are used together.
 *
 * @example
 * findScheme('sr-iov+hw-tc').name; // 'sr-iov+hw-tc'
 */
export function findScheme(name: string): Scheme {
  const parts = name.split('+').map((each) => findOne(each, name));
  if (parts.length === 1) return parts[0];
  if (new Set(parts).size < parts.length || parts.includes(none))
    throw new KelpieError('BAD_SCHEME', 'a combination names each scheme once, and not none', {
      field: 'scheme',
      given: name,
      allowed: 'such as sr-iov+hw-tc',
    });
  return combine(parts);
}

function findOne(name: string, given: string): Scheme {
  const found = schemes.find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new KelpieError('UNKNOWN_SCHEME', 'there is no such isolation scheme', {
    field: 'scheme',
    given,
    allowed: `${schemes.map((each) => each.name).join(', ')}, or several joined by +`,
  });
}

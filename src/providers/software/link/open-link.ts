import { KelpieError } from '../../../error.js';
import type { Link } from '../../../link/index.js';
import { DgramLink } from './dgram-link.js';
import { loadLibc } from './libc.js';
import { completeLinkOptions, type LinkKind, type LinkOptions } from './link-options.js';
import { UdpLink } from './udp-link.js';

/** The environment variable that chooses where the program does not. */
const VARIABLE = 'KELPIE_LINK';

/**
 * Opens a link over UDP: the best that this machine has, or the one that is asked for by `kind` or by the environment
 * variable KELPIE_LINK (`libc`, `dgram`).
 *
 * @example
 * const link = await openUdpLink({ address: '127.0.0.1' });
 * console.log(link.abilities.limits);
 */
export async function openUdpLink(options: LinkOptions, kind?: LinkKind): Promise<Link> {
  const complete = completeLinkOptions(options);
  const wanted = kind ?? kindFromEnvironment();
  if (wanted === 'dgram') return DgramLink.open(complete, 'it was asked for');
  const libc = await loadLibc();
  if (typeof libc !== 'string') return new UdpLink(libc, complete);
  if (wanted === 'libc')
    throw new KelpieError('LINK_UNAVAILABLE', libc, { field: 'link', given: wanted, allowed: 'auto, dgram' });
  return DgramLink.open(complete, libc);
}

function kindFromEnvironment(): LinkKind {
  const given = process.env[VARIABLE] ?? 'auto';
  if (given === 'auto' || given === 'libc' || given === 'dgram') return given;
  throw new KelpieError('LINK_UNAVAILABLE', 'there is no such link', {
    field: VARIABLE,
    given,
    allowed: 'auto, libc, dgram',
  });
}

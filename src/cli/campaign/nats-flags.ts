import type { NatsPlace } from '../../node/nats/place.js';
import type { OptionSpec, OptionsOf } from '../option.js';

/** The flags that name a NATS server and how to be let in, as its own tools have them. */
export const natsFlags = [
  {
    flags: '--nats <urls>',
    description: 'servers of NATS with JetStream, separated by commas: nats://HOST:4222',
  },
  {
    flags: '--context <file>',
    description: 'a context of the nats command, which names servers and credentials',
  },
  { flags: '--creds <file>', description: 'credentials of a user, as nsc writes them' },
  { flags: '--nkey <file>', description: 'the seed of an NKey' },
  { flags: '--tlsca <file>', description: 'certificates of authorities that are trusted' },
  { flags: '--tlscert <file>', description: 'certificate of this client' },
  { flags: '--tlskey <file>', description: 'key of this client' },
  { flags: '--prefix <name>', description: 'what streams and subjects begin with', default: 'kelpie' },
] as const satisfies readonly OptionSpec[];

/** What the flags say; null where no server is named. */
export function natsPlace(options: OptionsOf<typeof natsFlags>): NatsPlace | null {
  const { nats, context, creds, nkey, tlsca, tlscert, tlskey, prefix } = options;
  if (nats === undefined && context === undefined) return null;
  return {
    urls: nats?.split(',').map((url) => url.trim()) ?? [],
    context,
    creds,
    nkey,
    tlsca,
    tlscert,
    tlskey,
    prefix,
  };
}

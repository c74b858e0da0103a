import type { NatsPlace } from '../../node/nats/place.js';
import type { OptionSpec, OptionsOf } from '../option.js';

/** The flags that name a NATS server and how to be let in, as its own tools have them. */
export const natsFlags = [
  {
    flags: '--nats <urls>',
    description: 'NATS servers with JetStream, separated by commas: nats://HOST:4222',
  },
  {
    flags: '--context <file>',
    description: 'a context file of the nats command, with servers and credentials',
  },
  { flags: '--creds <file>', description: 'user credentials, as nsc writes them' },
  { flags: '--nkey <file>', description: 'an NKey seed' },
  { flags: '--tlsca <file>', description: 'certificates of trusted authorities' },
  { flags: '--tlscert <file>', description: 'client certificate' },
  { flags: '--tlskey <file>', description: 'client key' },
  { flags: '--prefix <name>', description: 'prefix of streams and subjects', default: 'kelpie' },
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

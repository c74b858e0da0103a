import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { Kvm } from '@nats-io/kv';
import type { Objm } from '@nats-io/obj';
import type { NatsConnection } from '@nats-io/transport-node';
import { KelpieError } from '../../error.js';
import { connectionOptions, type NatsPlace, showPlace } from './place.js';

/** A connection with JetStream on it. */
export interface Nats {
  readonly connection: NatsConnection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly values: Kvm;
  readonly objects: Objm;
  readonly prefix: string;
}

/** A connection that is silent for two of these is dead, and made anew. */
const PING_MS = 10_000;
const RECONNECT_MS = 500;
const CONNECT_MS = 5000;

/** How a connection is opened. */
interface OpenNatsOptions {
  /** What the connection is called on the server. */
  readonly name: string;
  /** Told when the connection is lost and when it is back. */
  readonly onStatus?: (text: string) => void;
}

/** Connects; it comes back by itself for as long as it is open. */
export async function openNats(place: NatsPlace, { name, onStatus }: OpenNatsOptions): Promise<Nats> {
  const { transport, jetstream, kv, obj } = await loadNats();
  const options = connectionOptions(place, transport);
  let connection: NatsConnection;
  try {
    connection = await transport.connect({
      ...options,
      ...{ name, maxReconnectAttempts: -1, reconnectTimeWait: RECONNECT_MS, pingInterval: PING_MS },
      ...{ timeout: CONNECT_MS },
    });
  } catch (cause) {
    throw refused(place, cause);
  }
  void (async () => {
    for await (const { type } of connection.status())
      if (type === 'disconnect' || type === 'reconnect')
        onStatus?.(type === 'reconnect' ? 'connected again' : 'the connection is lost');
  })();
  try {
    const manager = await jetstream.jetstreamManager(connection);
    const client = jetstream.jetstream(connection);
    return {
      ...{ connection, client, manager, prefix: place.prefix },
      ...{ values: new kv.Kvm(client), objects: new obj.Objm(client) },
    };
  } catch (cause) {
    await connection.close();
    throw new KelpieError('CANNOT_RUN', `JetStream is not available: ${(cause as Error).message}`, {
      ...{
        field: '--nats',
        given: showPlace(place),
        allowed: 'a server with JetStream: nats-server -js',
        cause,
      },
    });
  }
}

/** Codes of Node for a server that is not there, or not yet. */
const AWAY = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
];
/** Codes of a certificate of the server that is not trusted, expired, or another's. */
const CERTIFICATE =
  /^(CERT_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF|UNABLE_TO_(GET_ISSUER|VERIFY)|ERR_TLS_CERT_ALTNAME|INVALID_CA|HOSTNAME_MISMATCH)/;

/** What the client says where TLS is asked of a server that has none. */
const NO_TLS = "server does not support 'tls'";

/** Why there is no connection, and what to do: by names and codes, since messages may quote what the client was given. */
function refused(place: NatsPlace, cause: unknown): KelpieError {
  const { name, code, cause: inner } = { name: 'an error', ...described(cause) };
  const why = code ?? described(inner).code ?? name;
  const refuse = (problem: string, allowed: string, field = '--nats') =>
    new KelpieError('NATS_REFUSED', problem, { ...{ field, given: showPlace(place), allowed } });
  if (CERTIFICATE.test(why))
    return refuse(
      `the certificate of the server is not trusted: ${why}`,
      'the authority that signed it in --tlsca, and a name of the server that it was made for',
      '--tlsca',
    );
  if (/^ERR_(OSSL|SSL|TLS)/.test(why))
    return refuse(
      `no TLS with the server: ${why}`,
      'certificates and keys in PEM: --tlsca of its authority, --tlscert and --tlskey of ours where it asks for them',
      '--tlsca',
    );
  if (name === 'AuthorizationError' || name === 'UserAuthenticationExpiredError')
    return refuse(
      `the server does not let us in: ${name}`,
      'a user that it knows: --creds, --nkey, --context, or USER:PASSWORD@ in the address',
    );
  if (cause instanceof Error && cause.message === NO_TLS)
    return refuse(
      'the server has no TLS',
      'nats://HOST:PORT without --tlsca and --tlscert, or a server with TLS',
    );
  // A server that is not there, or does not answer in time, may come; one that refuses us will not change its mind.
  const isAway = name === 'ConnectionError' || name === 'TimeoutError' || AWAY.includes(why);
  // One that wants a certificate of ours says nothing where there is none.
  const hint =
    why === 'TimeoutError' ? '; one that asks for our certificate needs --tlscert and --tlskey' : '';
  return new KelpieError(isAway ? 'NATS_AWAY' : 'NATS_REFUSED', `no connection to NATS: ${why}`, {
    ...{
      field: '--nats',
      given: showPlace(place),
      allowed: `a running server that accepts these credentials${hint}`,
    },
  });
}

function described(error: unknown): { name?: string; code?: string; cause?: unknown } {
  if (!(error instanceof Error)) return {};
  const { name, cause, code } = error as Error & { code?: unknown };
  return { name, cause, ...(typeof code === 'string' ? { code } : {}) };
}

/** The client's packages are installed by those who want them. */
async function loadNats() {
  try {
    const [transport, jetstream, kv, obj] = await Promise.all([
      import('@nats-io/transport-node'),
      import('@nats-io/jetstream'),
      import('@nats-io/kv'),
      import('@nats-io/obj'),
    ]);
    return { transport, jetstream, kv, obj };
  } catch (cause) {
    throw new KelpieError('CANNOT_RUN', 'the NATS client is not installed', {
      field: '--nats',
      allowed:
        'installed: npm install @nats-io/transport-node@3 @nats-io/jetstream@3 @nats-io/kv@3 @nats-io/obj@3',
      cause,
    });
  }
}

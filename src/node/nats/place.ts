import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Authenticator, NodeConnectionOptions } from '@nats-io/transport-node';
import { KelpieError } from '../../error.js';
import { readTextFile } from '../text-file.js';

/** Servers of NATS and the files that let us in, as its own tools have them. */
export interface NatsPlace {
  readonly urls: readonly string[];
  /** A context of the nats command: its name or its file. */
  readonly context?: string | undefined;
  readonly creds?: string | undefined;
  readonly nkey?: string | undefined;
  readonly tlsca?: string | undefined;
  readonly tlscert?: string | undefined;
  readonly tlskey?: string | undefined;
  /** What streams and subjects begin with. */
  readonly prefix: string;
}

/** What a context of the nats command may say that we read. */
const CONTEXT_FIELDS = ['url', 'token', 'user', 'password', 'creds', 'nkey', 'cert', 'key', 'ca'] as const;
type Context = Partial<Record<(typeof CONTEXT_FIELDS)[number], string>>;

const DEFAULT_PORT = '4222';
const SCHEMES = ['nats:', 'tls:'];
/** A token of a subject and a part of a stream's name. */
const PREFIX = /^[a-z][a-z0-9-]{0,30}$/;

/** What makes authenticators out of the contents of files: the client has them. */
export interface Authenticators {
  credsAuthenticator(creds: Uint8Array): Authenticator;
  nkeyAuthenticator(seed: Uint8Array): Authenticator;
}

/** What the client needs to connect. Secrets come from files and go nowhere else. */
export function connectionOptions(place: NatsPlace, make: Authenticators): NodeConnectionOptions {
  requirePrefix(place.prefix);
  const context = place.context === undefined ? {} : readContext(place.context);
  const urls = place.urls.length > 0 ? place.urls : (context.url?.split(',') ?? []);
  const servers = urls.map((url) => parseUrl(url.trim()));
  if (servers.length === 0)
    throw new KelpieError('BAD_FLAG', 'no server is named', {
      ...{ field: '--nats', allowed: 'nats://HOST:PORT, several separated by commas' },
    });
  const user = servers.find((each) => each.user !== '')?.user || context.user;
  const pass = servers.find((each) => each.pass !== '')?.pass || context.password;
  const creds = place.creds ?? context.creds;
  const nkey = place.nkey ?? context.nkey;
  const [ca, cert, key] = [
    place.tlsca ?? context.ca,
    place.tlscert ?? context.cert,
    place.tlskey ?? context.key,
  ];
  if ((cert === undefined) !== (key === undefined))
    throw new KelpieError('BAD_FLAG', 'a certificate needs its key', {
      ...{ field: '--tlscert', allowed: '--tlscert and --tlskey' },
    });
  for (const [field, file] of [
    ['--tlsca', ca],
    ['--tlscert', cert],
    ['--tlskey', key],
  ] as const)
    if (file !== undefined) readSecret(field, file);
  const isTls = servers.some(({ tls }) => tls) || ca !== undefined || cert !== undefined;
  const authenticators = [
    ...(creds === undefined
      ? []
      : [
          usable(
            '--creds',
            creds,
            'a file of credentials as nsc writes them',
            make.credsAuthenticator(readSecret('--creds', creds)),
          ),
        ]),
    ...(nkey === undefined
      ? []
      : [
          usable(
            '--nkey',
            nkey,
            'a file with an NKey seed, SU…',
            make.nkeyAuthenticator(seedIn(readSecret('--nkey', nkey))),
          ),
        ]),
  ];
  return {
    servers: servers.map(({ host }) => host),
    ...(user === undefined ? {} : { user }),
    ...(pass === undefined ? {} : { pass }),
    ...(context.token === undefined ? {} : { token: context.token }),
    ...(authenticators.length === 0 ? {} : { authenticator: authenticators }),
    ...(isTls
      ? {
          tls: {
            ...(ca === undefined ? {} : { caFile: ca }),
            ...(cert === undefined ? {} : { certFile: cert, keyFile: key! }),
          },
        }
      : {}),
  };
}

/** Has a key sign something: what is wrong with its file is said before a server is asked, without what is in it. */
function usable<Made extends (nonce?: string) => unknown>(
  field: string,
  file: string,
  allowed: string,
  authenticator: Made,
): Made {
  try {
    authenticator('nonce');
    return authenticator;
  } catch {
    throw new KelpieError(UNREADABLE, 'there is no usable key in this file', { field, given: file, allowed });
  }
}

/** The seed in a file, which may have lines around it as those of nsc have, and a line's end after it. */
function seedIn(file: Uint8Array): Uint8Array {
  const [seed] = /\bS[A-Z2-7]{57}\b/.exec(new TextDecoder().decode(file)) ?? [''];
  return new TextEncoder().encode(seed);
}

/** The servers as messages name them: without users and passwords. */
export function showPlace({ urls, context }: NatsPlace): string {
  if (urls.length === 0) return `the context ${context}`;
  return urls.map((url) => (URL.canParse(url) ? new URL(url).host : 'a server')).join(', ');
}

function requirePrefix(prefix: string): void {
  if (PREFIX.test(prefix)) return;
  throw new KelpieError('BAD_FLAG', 'not a valid prefix', {
    ...{
      field: '--prefix',
      given: prefix,
      allowed: 'a lower-case letter, then letters, digits and hyphens, up to 31',
    },
  });
}

function parseUrl(text: string): { host: string; tls: boolean; user: string; pass: string } {
  const given = text.includes('://') ? text : `nats://${text}`;
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url === null || !SCHEMES.includes(url.protocol) || url.hostname === '')
    // It may have a password in it, so it is not repeated.
    throw new KelpieError('BAD_FLAG', 'not a server address', {
      ...{ field: '--nats', allowed: 'nats://HOST:PORT or tls://HOST:PORT' },
    });
  return {
    host: `${url.hostname}:${url.port || DEFAULT_PORT}`,
    tls: url.protocol === 'tls:',
    user: decodeURIComponent(url.username),
    pass: decodeURIComponent(url.password),
  };
}

/** A context by its file, or by its name among those that the nats command keeps. */
function readContext(given: string): Context {
  const file =
    isAbsolute(given) || /[./]/.test(given)
      ? given
      : join(
          process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'),
          'nats',
          'context',
          `${given}.json`,
        );
  const text = new TextDecoder().decode(readSecret('--context', file));
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // The parser's message would quote the file.
    throw unreadable('--context', file, 'a context that nats context save wrote');
  }
  if (typeof parsed !== 'object' || parsed === null) throw unreadable('--context', file, 'a JSON object');
  const fields = parsed as Record<string, unknown>;
  return Object.fromEntries(
    CONTEXT_FIELDS.flatMap((name) => {
      const value = fields[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    }),
  );
}

function readSecret(field: string, file: string): Uint8Array {
  return new TextEncoder().encode(
    readTextFile(file, { field, code: UNREADABLE, allowed: 'a readable file' }),
  );
}

function unreadable(field: string, file: string, allowed: string): KelpieError {
  return new KelpieError(UNREADABLE, 'not a context file', { field, given: file, allowed });
}

const UNREADABLE = 'NATS_UNREADABLE';

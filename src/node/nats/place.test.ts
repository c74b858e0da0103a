import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Authenticators, connectionOptions, type NatsPlace, showPlace } from './place.js';

// Goal: whoever has files of NATS is let in with them, and nothing secret is ever in a message.

const folder = mkdtempSync(join(tmpdir(), 'kelpie-nats-'));
afterAll(() => rmSync(folder, { recursive: true }));
const SECRET = 's3cret';
const file = (name: string, text = SECRET): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const make: Authenticators = {
  credsAuthenticator: (creds: Uint8Array) =>
    Object.assign(() => ({}), { creds: new TextDecoder().decode(creds) }),
  nkeyAuthenticator: (seed: Uint8Array) =>
    Object.assign(() => ({}), { seed: new TextDecoder().decode(seed) }),
} as unknown as Authenticators;
const options = (place: Partial<NatsPlace>) =>
  connectionOptions({ urls: ['nats://queue'], prefix: 'kelpie', ...place }, make);

describe('a place of NATS', () => {
  it('is read from addresses, files and contexts', () => {
    expect(options({ urls: ['nats://a:b%40c@queue', 'other:4333'] })).toEqual({
      ...{ servers: ['queue:4222', 'other:4333'], user: 'a', pass: 'b@c' },
    });
    expect(options({ urls: ['tls://queue'] })).toMatchObject({ tls: {} });
    const [ca, cert, key] = ['ca', 'cert', 'key'].map((name) => file(`${name}.pem`));
    expect(options({ tlsca: ca, tlscert: cert, tlskey: key })).toMatchObject({
      tls: { caFile: ca, certFile: cert, keyFile: key },
    });
    // Other tools leave a line's end, or put lines around it.
    const seed = `SU${'A'.repeat(56)}`;
    const nkey = file('w.nk', `-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`);
    const made = options({ creds: file('w.creds'), nkey }).authenticator as unknown as object[];
    expect(made.map((each) => ({ ...each }))).toEqual([{ creds: SECRET }, { seed }]);
    const context = file(
      'fleet.json',
      JSON.stringify({ url: 'nats://one,nats://two:1', user: 'u', password: SECRET }),
    );
    expect(options({ urls: [], context })).toEqual({
      servers: ['one:4222', 'two:1'],
      user: 'u',
      pass: SECRET,
    });
  });

  it.each([
    [{ urls: [`http://u:${SECRET}@queue`] }, 'BAD_FLAG'],
    [{ urls: [`nats://u:${SECRET}@`] }, 'BAD_FLAG'],
    [{ urls: [] }, 'BAD_FLAG'],
    [{ prefix: 'a.b' }, 'BAD_FLAG'],
    [{ tlscert: file('alone.pem') }, 'BAD_FLAG'],
    [{ creds: join(folder, 'none') }, 'NATS_UNREADABLE'],
    [{ urls: [], context: file('broken.json', `{"password": "${SECRET}"`) }, 'NATS_UNREADABLE'],
    [{ urls: [], context: file('list.json', `["${SECRET}"]`) }, 'BAD_FLAG'],
  ])('is refused without its secrets: %#', (place, code) => {
    let error: unknown;
    try {
      options(place);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code });
    expect(JSON.stringify([error, (error as Error).message, (error as Error).stack])).not.toContain(SECRET);
  });

  it('is shown without users and passwords', () => {
    const urls = [`nats://u:${SECRET}@queue:4222`, `not ${SECRET}`];
    expect(showPlace({ urls, prefix: 'kelpie' })).toBe('queue:4222, a server');
  });
});

it('the client of NATS is loaded when it is asked for alone', () => {
  const files = readdirSync('src/node/nats').filter((name) => !name.endsWith('.test.ts'));
  const loaded = files.filter((name) =>
    /^(import|export) (?!type )[^;]*from '@nats-io/m.test(readFileSync(join('src/node/nats', name), 'utf8')),
  );
  expect(loaded).toEqual([]);
});

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nkeys } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeCredentials } from './testing/credentials.js';
import { type Begun, Crew } from './testing/crew.js';
import { TestServer, WHY_NO_SERVER } from './testing/nats-server.js';

// Goal: TLS, NKeys and credentials work as NATS has them; whoever is not let in hears why and what to do; and nothing secret
// is printed, kept or served. Method: a real server, with an authority and keys that are made here.

const LIMIT_MS = 120_000;
const WHY_NOT =
  WHY_NO_SERVER ?? (spawnSync('openssl', ['version']).status === 0 ? null : 'openssl is not installed');
const TASKS = 'name: quick\njob: rehearsal\ntasks: 3\ndraws: 10\nfailing: [1]\ntries: 1\n';

describe.skipIf(WHY_NOT !== null)(`being let in ${WHY_NOT ?? ''}`, () => {
  let crew: Crew;
  const servers: TestServer[] = [];
  beforeAll(async () => {
    crew = await Crew.open();
  }, LIMIT_MS);
  afterEach(async () => {
    crew.kill();
    for (const server of servers.splice(0)) await server.kill();
  });
  afterAll(() => crew.close());

  const openssl = (...flags: string[]) => {
    const { status, stderr } = spawnSync('openssl', flags, { cwd: crew.folder });
    expect(status, String(stderr)).toBe(0);
  };
  const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  /** An authority, and a certificate of it with its key. */
  const authority = (name: string) =>
    openssl(
      'req',
      '-x509',
      ...CURVE,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
    );
  const certificate = (name: string, by: string) => {
    crew.file(`${name}.ext`, 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
    openssl('req', ...CURVE, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    openssl(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial'],
      ...['-out', `${name}.pem`, '-extfile', `${name}.ext`],
    );
  };
  const path = (name: string) => join(crew.folder, name);
  const open = async (name: string, configuration: string) => {
    const server = await TestServer.open(path(name), ['-c', crew.file(`${name}.conf`, configuration)]);
    servers.push(server);
    return server;
  };
  const tls = (more = '') =>
    `tls { cert_file: "${path('server.pem')}", key_file: "${path('server.key')}"${more} }\n`;
  /** A campaign with a worker, its status, report, page and metrics: all that was said, kept and served. */
  const wholeCampaign = async (name: string, flags: readonly string[]): Promise<string> => {
    const serve = ['--serve', '127.0.0.1:0'];
    const worker = crew.begin(['worker', ...flags, '--cores', '1', '--name', 'w', ...serve]);
    const campaign = crew.file('quick.yaml', TASKS);
    const place = [...flags, '--folder', path(`${name}-kept`)];
    const ran = crew.begin(['campaign', 'run', campaign, ...place, ...serve]);
    const served: string[] = [];
    const serves = async ({ err, ended }: Begun) => {
      const over = ended.then(() => true);
      while (!/http:\/\/\S+/.test(err()) && !(await Promise.race([over, sleep(20, false)])));
      const [address] = /http:\/\/[\d.:]+\//.exec(err()) ?? [];
      for (const page of ['metrics', 'progress'])
        served.push(
          await fetch(`${address}${page}`).then(
            (answer) => answer.text(),
            () => '',
          ),
        );
    };
    await Promise.all([serves(worker), serves(ran)]);
    expect(await ran.ended, ran.err()).toBe(1);
    expect(ran.out()).toContain('3 tasks, 2 measured, 0 refused, 1 given up');
    const looks = [['status'], ['status', '1', '--json'], ['report', '1', '--json']];
    const typed = await Promise.all(
      looks.map((each) => crew.program.typed(['campaign', ...each, ...place], LIMIT_MS)),
    );
    worker.child.kill('SIGTERM');
    expect(await worker.ended, worker.err()).toBe(0);
    const kept = readdirSync(path(`${name}-kept`), { recursive: true, encoding: 'utf8' })
      .map((each) => join(path(`${name}-kept`), each))
      .filter((each) => statSync(each).isFile())
      .map((each) => readFileSync(each, 'latin1'));
    expect(served.join()).toContain('kelpie_worker_threads');
    return [worker, ran]
      .flatMap((each) => [each.out(), each.err()])
      .concat(
        typed.flatMap(({ out, err }) => [out, err]),
        served,
        kept,
      )
      .join('\n');
  };
  /** What a controller and a worker say who are not let in; both end. */
  const refusals = async (flags: readonly string[], exit = 3): Promise<readonly string[]> =>
    Promise.all(
      [
        ['campaign', 'status', ...flags, '--json'],
        ['worker', ...flags],
      ].map(async (argv) => {
        const { code, out, err } = await crew.program.typed(argv, LIMIT_MS);
        expect(code, out + err).toBe(exit);
        return out + err;
      }),
    );
  /** Neither of a secret nor of what identifies it is anything said. */
  const expectSilence = (text: string, secrets: readonly string[]) => {
    for (const secret of secrets) expect(text.includes(secret)).toBe(false);
  };

  it(
    'TLS both ways with an NKey: works, and is refused with what to do where authority, certificate or key are others',
    async () => {
      for (const name of ['ours', 'theirs']) authority(name);
      for (const name of ['server', 'client']) certificate(name, 'ours');
      const [user, stranger] = [nkeys.createUser(), nkeys.createUser()];
      const seeds = [user, stranger].map((each) => new TextDecoder().decode(each.getSeed()));
      // As nk writes it, with a line's end, and as nsc does, with lines around it.
      const own = crew.file('user.nk', `${seeds[0]}\n`);
      const decorated = `-----BEGIN USER NKEY SEED-----\n${seeds[0]}\n------END USER NKEY SEED------\n`;
      const other = crew.file('stranger.nk', seeds[1]);
      const server = await open(
        'tls',
        `${tls(`, ca_file: "${path('ours.pem')}", verify: true`)}authorization { users: [ { nkey: ${user.getPublicKey()} } ] }\n`,
      );
      const at = ['--nats', `tls://localhost:${server.port}`];
      const ca = ['--tlsca', path('ours.pem')];
      const certified = ['--tlscert', path('client.pem'), '--tlskey', path('client.key')];
      const said = [
        await wholeCampaign('tls', [...at, ...ca, ...certified, '--nkey', own]),
        await wholeCampaign('nsc', [...at, ...ca, ...certified, '--nkey', crew.file('nsc.nk', decorated)]),
      ];
      const wrong = async (flags: readonly string[], ...words: readonly string[]) => {
        for (const text of await refusals(flags, words.includes('NATS_UNREADABLE') ? 2 : 3)) {
          for (const word of words) expect(text).toContain(word);
          said.push(text);
        }
      };
      const keyed = [...certified, '--nkey', own];
      await wrong([...at, ...keyed, '--tlsca', path('theirs.pem')], 'NATS_REFUSED', 'not trusted', '--tlsca');
      await wrong([...at, ...keyed], 'NATS_REFUSED', 'not trusted', '--tlsca');
      await wrong(
        [...at, ...ca, ...certified, '--nkey', other],
        'NATS_REFUSED',
        'AuthorizationError',
        '--nkey',
      );
      await wrong([...at, ...ca, ...certified], 'NATS_REFUSED', 'AuthorizationError', '--creds');
      const broken = crew.file('broken.nk', seeds[0].slice(0, -1));
      await wrong([...at, ...ca, ...certified, '--nkey', broken], 'NATS_UNREADABLE', 'an NKey seed');
      await wrong([...at, ...ca, ...certified, '--creds', own], 'NATS_UNREADABLE', 'nsc');
      const [pem] = readFileSync(path('client.key'), 'utf8').split('\n').slice(1);
      expectSilence(said.join(), [...seeds, seeds[0].slice(0, -1), pem, user.getPublicKey()]);
    },
    LIMIT_MS,
  );

  it(
    'credentials of an operator, and a password: work, and wrong ones are refused',
    async () => {
      const made = makeCredentials();
      const operated = await open('operated', made.configuration);
      const good = crew.file('good.creds', made.credentials);
      const bad = crew.file('bad.creds', made.strangers);
      const said = [await wholeCampaign('creds', ['--nats', operated.url, '--creds', good])];
      for (const text of await refusals(['--nats', operated.url, '--creds', bad])) {
        expect(text).toContain('NATS_REFUSED');
        said.push(text);
      }
      const password = 'open-s3same';
      const guarded = await open('guarded', `authorization { user: ali, password: "${password}" }\n`);
      const at = (word: string) => ['--nats', `nats://ali:${word}@127.0.0.1:${guarded.port}`];
      said.push(await wholeCampaign('password', at(password)));
      for (const text of await refusals(at(`${password}-not`))) {
        expect(text).toContain('the server does not let us in');
        said.push(text);
      }
      // One that asks for TLS gets no answer in the clear.
      for (const text of await refusals([...at(password), '--tlscert', good, '--tlskey', good]))
        expect(text).toContain('the server has no TLS');
      expectSilence(said.join(), [password, ...made.secrets]);
    },
    LIMIT_MS,
  );
});

import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MemoryStore } from '../../jobs/index.js';
import { Crew, catalogueOf, Desk, isLast, type JobEvent } from '../../laboratory/index.js';
import { WorkersHere } from '../../laboratory/testing/hire-here.js';
import { Apart } from '../testing/apart.js';
import { Gate } from './gate.js';
import { LabServer } from './lab-server.js';

// Goal: the server answers its own page and nobody else, whatever comes stays a name or becomes an error with a code, and
// what it was asked for goes on when browsers leave and is kept when it is ended itself.

const TOKEN = 'abcdefghijklmnopqrstuvwx';
const HOSTILE = `<img src=x onerror="alert(1)">&'"</script><script>alert(2)</script>`;
const WORKLOAD = 'qps: 2\nsizes: [4096]\nmeasure: { minNs: 60000, maxNs: 100000 }\n';
const RUN = { job: 'run', subsystem: 'perf', workload: WORKLOAD, seed: 1 };
const HUNT = { job: 'hunt', subsystem: 'collie-f-as-tested', budget: '14', seed: 1 };

let desk: Desk;
let server: LabServer;
beforeAll(async () => {
  desk = new Desk({
    ...{ catalogue: catalogueOf(1), crew: new Crew(1, new WorkersHere().hire), store: new MemoryStore() },
    nowMs: () => Date.now(),
  });
  const files = new Map([['/', { type: 'text/html', body: Buffer.from('<p>the page</p>') }]]);
  server = await LabServer.open({ desk, files, token: TOKEN, port: 0, more: { campaigns: async () => [] } });
});
afterAll(async () => {
  await desk.close();
  await server.close();
});

interface Reply {
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Asks as any program could, with whatever it says of itself. */
function ask(
  path: string,
  { method = 'GET', headers = {}, body = '', token = TOKEN as string | null } = {},
): Promise<Reply> {
  return new Promise((done, failed) => {
    const asked = request(
      {
        ...{ host: '127.0.0.1', port: server.port, path, method },
        headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
      },
      (response) => {
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () =>
          done({ status: response.statusCode!, headers: response.headers, body: text }),
        );
      },
    );
    asked.on('error', failed);
    asked.end(body);
  });
}

const post = (path: string, value: unknown, headers = {}) =>
  ask(path, {
    ...{ method: 'POST', body: typeof value === 'string' ? value : JSON.stringify(value) },
    headers: { 'content-type': 'application/json', ...headers },
  });

const start = async (job: object, manner = 'kept'): Promise<string> => {
  const { body, status } = await post('/api/jobs', { request: job, manner });
  expect(status, body).toBe(200);
  return (JSON.parse(body) as { id: string }).id;
};

const eventsIn = (body: string) =>
  body.split('\n').flatMap((line) => {
    return line.startsWith('data: ')
      ? [JSON.parse(line.slice(6)) as { event: JobEvent; number: number }]
      : [];
  });

describe('who may ask', () => {
  const gate = new Gate(4791, TOKEN);
  const own = { host: '127.0.0.1:4791', authorization: `Bearer ${TOKEN}` };
  it.each([
    ['its own page', { ...own, origin: 'http://127.0.0.1:4791', 'sec-fetch-site': 'same-origin' }, null],
    [
      'its own page by another of its names',
      { ...own, host: 'localhost:4791', origin: 'http://localhost:4791' },
      null,
    ],
    ['a program of this machine', own, null],
    ['a name that somebody leads here', { ...own, host: 'evil.example:4791' }, 'BAD_HOST'],
    ['the same without a port', { ...own, host: 'evil.example' }, 'BAD_HOST'],
    ['another port', { ...own, host: '127.0.0.1:80' }, 'BAD_HOST'],
    ['nobody by name', { authorization: own.authorization }, 'BAD_HOST'],
    ['a page of somebody else', { ...own, origin: 'https://evil.example' }, 'BAD_ORIGIN'],
    ['a page of another port', { ...own, origin: 'http://127.0.0.1:8080' }, 'BAD_ORIGIN'],
    ['a page without an origin, as a file or a frame', { ...own, origin: 'null' }, 'BAD_ORIGIN'],
    ['another site', { ...own, 'sec-fetch-site': 'cross-site' }, 'BAD_ORIGIN'],
    ['the same site, which other ports are', { ...own, 'sec-fetch-site': 'same-site' }, 'BAD_ORIGIN'],
    ['nobody with a token', { host: own.host }, 'BAD_TOKEN'],
    ['another token', { ...own, authorization: `Bearer ${TOKEN.slice(1)}x` }, 'BAD_TOKEN'],
    ['a part of the token', { ...own, authorization: `Bearer ${TOKEN.slice(0, -1)}` }, 'BAD_TOKEN'],
    ['another kind of login', { ...own, authorization: `Basic ${TOKEN}` }, 'BAD_TOKEN'],
  ])('%s', (_, headers, code) => {
    expect(gate.refuseCall({ headers })?.code ?? null).toBe(code);
  });

  it('nothing of the laboratory is answered without the token, whatever is asked', async () => {
    for (const path of ['catalogue', 'jobs', 'jobs/1/result', 'jobs/1/events', 'campaigns', 'none']) {
      expect(await ask(`/api/${path}`, { token: null })).toMatchObject({ status: 401 });
      expect((await ask(`/api/${path}`, { headers: { origin: 'http://evil.example' } })).status).toBe(403);
    }
    const begun = await ask('/api/jobs', {
      ...{ method: 'POST', token: null, body: JSON.stringify({ request: RUN, manner: 'kept' }) },
      headers: { 'content-type': 'application/json' },
    });
    expect(begun.status).toBe(401);
    expect(JSON.parse((await ask('/api/jobs')).body)).toEqual([]);
  });

  it('the page comes by our own name alone, and lets nothing else in or round it', async () => {
    const page = await ask('/', { token: null });
    expect([page.status, page.body]).toEqual([200, '<p>the page</p>']);
    expect(page.headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(page.headers['content-security-policy']).not.toMatch(/unsafe|https?:/);
    expect(page.headers).not.toHaveProperty('access-control-allow-origin');
    expect((await ask('/', { headers: { host: 'evil.example' } })).status).toBe(403);
    // A page of somebody else asks first whether it may: it may not.
    const asked = await ask('/api/jobs', {
      ...{ method: 'OPTIONS', token: null },
      headers: { origin: 'http://evil.example', 'access-control-request-headers': 'authorization' },
    });
    expect(asked.status).toBe(403);
  });
});

describe('whatever comes', () => {
  it.each([
    ['/../../etc/passwd', 404],
    ['/%2e%2e/%2e%2e/etc/passwd', 404],
    ['/__proto__', 404],
    ['//etc/passwd', 404],
    ['/api/__proto__', 404],
    ['/api/constructor', 404],
    ['/api/jobs/..%2f1/result', 404],
    ['/api/jobs/1/events?from=-1', 400],
    ['/api/jobs/1/events?from=x', 400],
  ])('%s is no page', async (path, status) => {
    expect((await ask(path)).status).toBe(status);
  });

  it.each([
    ['no JSON', '{', 'BAD_REQUEST'],
    ['no object', '7', 'BAD_REQUEST'],
    ['no request', '{}', 'BAD_REQUEST'],
    ['no manner', { request: RUN }, 'BAD_REQUEST'],
    ['an unknown job', { request: { job: HOSTILE, seed: 1 }, manner: 'kept' }, 'BAD_REQUEST'],
    [
      'an unknown subsystem',
      { request: { ...RUN, subsystem: HOSTILE }, manner: 'kept' },
      'PROFILE_NOT_FOUND',
    ],
    [
      'a bad workload',
      { request: { ...RUN, workload: `qps: ${HOSTILE}` }, manner: 'kept' },
      'WORKLOAD_INVALID',
    ],
    [
      'a name of the prototype',
      { request: { ...RUN, subsystem: '__proto__' }, manner: 'kept' },
      'PROFILE_NOT_FOUND',
    ],
  ])('%s is an error with a code', async (_, body, code) => {
    const { status, body: text, headers } = await post('/api/jobs', body);
    expect([status, (JSON.parse(text) as { code: string }).code]).toEqual([400, code]);
    expect(headers['content-type']).toBe('application/json');
  });

  it('a form of somebody else, and more than anybody writes by hand, are refused', async () => {
    const form = await post('/api/jobs', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' });
    expect(form.status).toBe(415);
    expect((await post('/api/jobs', 'x'.repeat(2 << 20)).catch(() => ({ status: 413 }))).status).toBe(413);
    expect((await ask('/api/jobs', { method: 'DELETE' })).status).toBe(405);
  });

  it('hostile names are kept and given back as they are, as JSON that no browser takes for a page', async () => {
    const id = await start({ ...RUN, workload: `name: ${JSON.stringify(HOSTILE)}\n${WORKLOAD}` }, 'passing');
    const { body } = await ask(`/api/jobs/${id}/events`);
    expect(eventsIn(body).at(-1)?.event).toMatchObject({
      result: { measurement: { workload: { name: HOSTILE } } },
    });
    const kept = await post(`/api/jobs/${id}/keep`, { name: HOSTILE });
    const number = (JSON.parse(kept.body) as { id: string }).id;
    const jobs = await ask('/api/jobs');
    expect(JSON.parse(jobs.body)).toMatchObject([{ id: number, name: HOSTILE }]);
    expect([jobs.headers['content-type'], jobs.headers['x-content-type-options']]).toEqual([
      'application/json',
      'nosniff',
    ]);
    expect((await post(`/api/jobs/${number}/forget`, {})).status).toBe(200);
    expect((await ask(`/api/jobs/${number}/result`)).body).toBe('null');
  });
});

describe('a job', () => {
  it('goes on while its browser is away, and whoever comes back hears the rest and nothing twice', async () => {
    const id = await start(HUNT);
    // The browser leaves after the fourth event.
    const first = await new Promise<{ event: JobEvent; number: number }[]>((done) => {
      const heard: { event: JobEvent; number: number }[] = [];
      const asked = request(
        {
          ...{ host: '127.0.0.1', port: server.port, path: `/api/jobs/${id}/events` },
          headers: { authorization: `Bearer ${TOKEN}` },
        },
        (response) => {
          let rest = '';
          response.on('data', (part: Buffer) => {
            const lines = (rest + part).split('\n\n');
            rest = lines.pop()!;
            heard.push(...eventsIn(lines.join('\n')));
            if (heard.length >= 4) {
              asked.destroy();
              done(heard.slice(0, 4));
            }
          });
          response.on('error', () => {});
        },
      );
      asked.on('error', () => {});
      asked.end();
    });
    const from = first.at(-1)!.number + 1;
    const { body } = await ask(`/api/jobs/${id}/events?from=${from}`);
    const rest = eventsIn(body);
    expect([...first, ...rest].map(({ number }) => number)).toEqual(
      [...first, ...rest].map((_, index) => index),
    );
    expect(isLast(rest.at(-1)!.event)).toBe(true);
    expect(rest.at(-1)!.event).toMatchObject({
      kind: 'result',
      result: { job: 'hunt', answer: { partial: false } },
    });
    // Long after its end it is there.
    expect(JSON.parse((await ask(`/api/jobs/${id}/result`)).body)).toMatchObject({ job: 'hunt' });
  });

  it('is ended by who asks for it, and tells what it has', async () => {
    const id = await start({ ...HUNT, budget: '600' });
    expect((await post(`/api/jobs/${id}/cancel`, {})).status).toBe(200);
    const { body } = await ask(`/api/jobs/${id}/events`);
    expect(eventsIn(body).at(-1)?.event).toMatchObject({
      kind: 'result',
      result: { answer: { partial: true } },
    });
    expect((await post('/api/jobs/999/cancel', {})).status).toBe(404);
  });
});

describe('kelpie serve in a process of its own', () => {
  const root = mkdtempSync(join(tmpdir(), 'kelpie-serve-'));
  let apart: Apart;
  beforeAll(async () => {
    apart = await Apart.build();
  }, 60_000);
  afterAll(() => {
    apart?.remove();
    rmSync(root, { recursive: true, force: true });
  });
  const running: { kill(signal: 'SIGKILL'): unknown }[] = [];
  afterEach(() => {
    for (const child of running.splice(0)) child.kill('SIGKILL');
  });

  async function begin() {
    const flags = [
      '--folder',
      join(root, 'lab'),
      '--hunts',
      join(root, 'hunts'),
      '--campaigns',
      join(root, 'none'),
    ];
    const child = apart.begin(['serve', '--port', '0', '--workers', '2', '--json', ...flags]);
    running.push(child);
    let err = '';
    child.stderr.on('data', (text) => {
      err += text;
    });
    const line = await new Promise<string>((done, failed) => {
      child.stdout.once('data', (text) => done(String(text)));
      child.once('exit', () => failed(new Error(err)));
    });
    const { url, port, error } = JSON.parse(line) as { url: string; port: number; error?: { code: string } };
    if (error !== undefined) throw new Error(error.code);
    const token = /#token=([\w-]+)$/.exec(url)![1];
    const api = async (path: string, body?: object) => {
      const response = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      });
      return response;
    };
    const ended = new Promise<{ code: number | null; err: string }>((done) => {
      child.once('close', (code) => done({ code, err }));
    });
    return { child, api, ended };
  }

  it('Ctrl-C in the middle of a hunt loses nothing: the next server goes on with it', async () => {
    const first = await begin();
    // No machine is through with it before the test is.
    const job = { ...HUNT, budget: '100000' };
    const { id } = (await (await first.api('jobs', { request: job, manner: 'kept' })).json()) as {
      id: string;
    };
    await heardFrom(await first.api(`jobs/${id}/events`), (tried) => tried.length >= 5);
    // Another server would get in its way.
    await expect(begin()).rejects.toThrow('FOLDER_TAKEN');
    first.child.kill('SIGINT');
    const { code, err } = await first.ended;
    expect(code, err).toBe(0);
    expect(err).toContain('kelpie hunt --resume 1');
    const next = await begin();
    const [kept] = (await (await next.api('jobs')).json()) as { state: string; partial: boolean }[];
    expect(kept).toMatchObject({ id, state: 'done', partial: true, hunt: 1 });
    type Kept = { answer: { experiments: number; partial: boolean } };
    const part = (await (await next.api(`jobs/${id}/result`)).json()) as Kept;
    expect(part.answer.experiments).toBeGreaterThanOrEqual(5);
    expect((await next.api(`jobs/${id}/resume`, {})).status).toBe(200);
    // What it had tried before is there again, in order, and more comes behind it.
    const more = part.answer.experiments + 3;
    const tried = await heardFrom(await next.api(`jobs/${id}/events`), ({ length }) => length >= more);
    expect(tried).toEqual(tried.map((_, index) => index));
    expect((await next.api(`jobs/${id}/cancel`, {})).status).toBe(200);
    const events = eventsIn(await (await next.api(`jobs/${id}/events`)).text());
    const last = events.at(-1)!.event as Extract<JobEvent, { kind: 'result' }>;
    expect((last.result as unknown as Kept).answer.experiments).toBeGreaterThanOrEqual(more);
    next.child.kill('SIGINT');
    expect((await next.ended).code).toBe(0);
  }, 120_000);
});

/** Reads a stream of a hunt until the numbers of the points that it tried are enough; then it is left. */
async function heardFrom(
  { body }: Response,
  isEnough: (tried: readonly number[]) => boolean,
): Promise<readonly number[]> {
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
  let heard = '';
  for (;;) {
    const whole = heard.slice(0, heard.lastIndexOf('\n\n') + 1);
    const tried = eventsIn(whole).flatMap(({ event }) =>
      event.kind === 'experiment' ? [event.record.index] : [],
    );
    if (isEnough(tried)) {
      await reader.cancel();
      return tried;
    }
    const { done, value } = await reader.read();
    if (done) throw new Error('the hunt ended');
    heard += value;
  }
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KelpieError } from '../../error.js';
import { type Desk, isLast, type JobRequest } from '../../laboratory/index.js';
import { Gate } from './gate.js';
import { PAGE_POLICY, type PageFile } from './page-files.js';

/** What a server serves. */
export interface LabServerOptions {
  readonly desk: Desk;
  readonly files: ReadonlyMap<string, PageFile>;
  readonly token: string;
  /** 0: any that is free. */
  readonly port: number;
  /** What else the page can ask for, by the name behind `/api/`. */
  readonly more?: Readonly<Record<string, () => Promise<unknown>>>;
}

/** Workloads and fabrics are written by hand. */
const MOST_BODY_BYTES = 1 << 20;
/** Jobs that are watched at a time: each holds a connection open. */
const MOST_STREAMS = 256;
/** A line now and then, so that nobody takes the stream for dead, and one whose browser left is noticed. */
const KEEP_ALIVE_MS = 15_000;
/** Somebody who reads so slowly is cut off; a page comes back and goes on behind what it heard. */
const MOST_UNREAD_BYTES = 64 << 20;
const REQUEST_TIMEOUT_MS = 10_000;
const STATUS: Readonly<Record<string, number>> = { NO_JOB: 404, NO_RESULT: 404, BUSY: 429 };

const WORDS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has that port, perhaps another kelpie serve',
  EACCES: 'that port needs more rights',
};

const HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

/** The laboratory behind HTTP, for the browsers of this machine. */
export class LabServer {
  readonly port: number;
  private readonly server: Server;

  private constructor(server: Server) {
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** Listens on 127.0.0.1. */
  static async open(options: LabServerOptions): Promise<LabServer> {
    const server = createServer();
    server.requestTimeout = REQUEST_TIMEOUT_MS;
    server.headersTimeout = REQUEST_TIMEOUT_MS;
    await new Promise<void>((done, failed) => {
      server.once('error', (cause: NodeJS.ErrnoException) =>
        failed(
          new KelpieError(
            'CANNOT_RUN',
            `nothing can be served here: ${WORDS[cause.code ?? ''] ?? cause.code}`,
            {
              ...{ field: '--port', given: options.port, cause },
              allowed: 'a port of 127.0.0.1 that is free; 0 for any',
            },
          ),
        ),
      );
      server.listen(options.port, '127.0.0.1', done);
    });
    const opened = new LabServer(server);
    const desk = new Counter(options, new Gate(opened.port, options.token));
    server.on('request', (request, response) => void desk.answer(request, response));
    return opened;
  }

  /** The page's address, without the token. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}

/** Answers requests. */
class Counter {
  private readonly options: LabServerOptions;
  private readonly gate: Gate;
  private streams = 0;

  constructor(options: LabServerOptions, gate: Gate) {
    this.options = options;
    this.gate = gate;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    try {
      const given = request.url ?? '';
      if (!URL.canParse(given, 'http://host'))
        return refuse(response, 400, 'BAD_ADDRESS', 'this is not an address of the page');
      const { pathname, searchParams } = new URL(given, 'http://host');
      if (pathname.startsWith('/api/'))
        await this.call(request, response, pathname.slice('/api/'.length), searchParams);
      else this.file(request, response, pathname);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else if (error instanceof KelpieError)
        refuse(response, STATUS[error.code] ?? 400, error.code, error.message);
      else refuse(response, 500, 'FAULT', 'this is a bug in Kelpie');
    }
  }

  private file(request: IncomingMessage, response: ServerResponse, path: string): void {
    const refused = this.gate.refusePage(request);
    if (refused !== null) return refuse(response, refused.status, refused.code, refused.message);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(response, 405, 'METHOD', 'GET or HEAD');
    const file = this.options.files.get(path);
    if (file === undefined) return refuse(response, 404, 'NOT_FOUND', 'there is no such page');
    response.writeHead(200, { ...HEADERS, 'content-type': file.type, 'content-length': file.body.length });
    response.end(request.method === 'HEAD' ? undefined : file.body);
  }

  private async call(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    const refused = this.gate.refuseCall(request);
    if (refused !== null) return refuse(response, refused.status, refused.code, refused.message);
    if (request.method === 'GET') return this.read(request, response, path, query);
    if (request.method !== 'POST') return refuse(response, 405, 'METHOD', 'GET or POST');
    // What a page of somebody else may send without being asked is none of these.
    if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
      return refuse(response, 415, 'CONTENT_TYPE', 'application/json');
    const body = await bodyOf(request);
    if (body === null) {
      response.setHeader('connection', 'close');
      return refuse(response, 413, 'TOO_LARGE', `a body has at most ${MOST_BODY_BYTES} bytes`);
    }
    return this.change(response, path, body);
  }

  private async read(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    const { desk, more = {} } = this.options;
    if (path === 'catalogue') return reply(response, await desk.catalogue());
    if (path === 'jobs') return reply(response, await desk.jobs());
    if (Object.hasOwn(more, path)) return reply(response, await more[path]());
    const [, id, what] = /^jobs\/(\w{1,20})\/(result|events)$/.exec(path) ?? [];
    if (what === 'result') return reply(response, await desk.result(id));
    if (what === 'events') return this.stream(request, response, id, Number(query.get('from') ?? 0));
    refuse(response, 404, 'NOT_FOUND', 'there is nothing to read here');
  }

  private async change(response: ServerResponse, path: string, body: object): Promise<void> {
    const { desk } = this.options;
    if (path === 'jobs') {
      const { request, manner } = body as { request: JobRequest; manner: unknown };
      if (manner !== 'kept' && manner !== 'passing' && manner !== 'idle')
        throw new KelpieError('BAD_REQUEST', 'there is no such view', {
          ...{ field: 'manner', given: manner, allowed: 'kept, passing, idle' },
        });
      return reply(response, { id: await desk.start(request, manner) });
    }
    const [, id, what] = /^jobs\/(\w{1,20})\/(cancel|resume|keep|forget)$/.exec(path) ?? [];
    if (what === undefined) return refuse(response, 404, 'NOT_FOUND', 'there is nothing to change here');
    if (what === 'keep') return reply(response, { id: await desk.keep(id, (body as { name: string }).name) });
    await (what === 'cancel' ? desk.cancel(id) : what === 'resume' ? desk.resume(id) : desk.forget(id));
    reply(response, {});
  }

  /** What happens to a job, from an event on, until its last one. The job goes on when the browser leaves. */
  private stream(request: IncomingMessage, response: ServerResponse, id: string, from: number): void {
    if (!Number.isSafeInteger(from) || from < 0)
      return refuse(response, 400, 'BAD_REQUEST', 'from is a number of an event');
    if (this.streams >= MOST_STREAMS)
      return refuse(response, 429, 'BUSY', `${MOST_STREAMS} jobs are watched already`);
    this.streams++;
    response.writeHead(200, { ...HEADERS, 'content-type': 'text/event-stream' });
    // The page waits for the head before it believes in the stream.
    response.flushHeaders();
    const send = (text: string) => {
      if (response.writableLength > MOST_UNREAD_BYTES) response.destroy();
      else response.write(text);
    };
    const timer = setInterval(() => send(': \n\n'), KEEP_ALIVE_MS);
    timer.unref();
    const unwatch = this.options.desk.watch(
      id,
      (event, number) => {
        send(`data: ${JSON.stringify({ event, number })}\n\n`);
        if (isLast(event)) response.end();
      },
      from,
    );
    response.on('close', () => {
      this.streams--;
      clearInterval(timer);
      unwatch();
    });
    request.resume();
  }
}

function reply(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { ...HEADERS, 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'application/json' });
  response.end(`${JSON.stringify({ code, message })}\n`);
}

/** The body of a request as JSON; null as soon as it is too long. */
async function bodyOf(request: IncomingMessage): Promise<object | null> {
  if (Number(request.headers['content-length'] ?? 0) > MOST_BODY_BYTES) return null;
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_BODY_BYTES) return null;
    parts.push(part);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below.
  }
  throw new KelpieError('BAD_REQUEST', 'not JSON', { field: 'body', allowed: 'an object' });
}

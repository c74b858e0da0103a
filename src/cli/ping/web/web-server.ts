import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KelpieError } from '../../../error.js';

/** What a request gets. */
export interface Answer {
  readonly status?: number;
  readonly type: string;
  readonly body: string;
  /** What its page may load, where that is not what the server's own pages may. */
  readonly policy?: string;
}

/** What a server knows: answers by path, for GET and for POST with a bounded body. */
export interface WebRoutes {
  readonly get: Readonly<Record<string, (query: URLSearchParams, nonce: string) => Answer>>;
  readonly post?: Readonly<Record<string, (body: string) => Answer>>;
  readonly maxBodyBytes?: number;
}

/** Browsers that listen at a time: each holds a connection open. */
const MAX_LISTENERS = 64;
/** A line now and then, so that nobody between takes the stream for dead. */
const KEEP_ALIVE_MS = 20_000;
const MAX_UNREAD_BYTES = 64 * 1024;
const REQUEST_TIMEOUT_MS = 10_000;

/** A server for the pages: its own content alone, nothing from files, no cookies, no scripts but its own. */
export class WebServer {
  readonly port: number;
  private readonly server: Server;
  private readonly listeners: Set<ServerResponse>;
  private readonly timer: NodeJS.Timeout;

  private constructor(server: Server, listeners: Set<ServerResponse>) {
    this.server = server;
    this.listeners = listeners;
    this.port = (server.address() as AddressInfo).port;
    this.timer = setInterval(() => this.send(': \n\n'), KEEP_ALIVE_MS);
    this.timer.unref();
  }

  /** Listens at `ADDRESS:PORT`; port 0 is any that is free. */
  static async open(flag: string, place: string, routes: WebRoutes): Promise<WebServer> {
    const { address, port } = placeOf(flag, place);
    const nonce = randomBytes(16).toString('base64');
    const listeners = new Set<ServerResponse>();
    const server = createServer(
      (request, response) => void answer(request, response, routes, nonce, listeners),
    );
    server.requestTimeout = REQUEST_TIMEOUT_MS;
    server.headersTimeout = REQUEST_TIMEOUT_MS;
    await new Promise<void>((done, failed) => {
      server.once('error', (cause: NodeJS.ErrnoException) =>
        failed(
          new KelpieError('CANNOT_RUN', `nothing can be served here: ${cause.code}`, {
            ...{ field: flag, given: place, cause },
            allowed: 'an address of this machine with a port that is free',
          }),
        ),
      );
      server.listen(port, address, done);
    });
    return new WebServer(server, listeners);
  }

  /** What to open in a browser. */
  get url(): string {
    const { address, family, port } = this.server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`;
  }

  /** Tells every page that there is something new. */
  changed(): void {
    this.send('data: changed\n\n');
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    for (const listener of this.listeners) listener.end();
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private send(text: string): void {
    for (const listener of this.listeners) {
      // Somebody who does not read is no listener.
      if (listener.writableLength > MAX_UNREAD_BYTES) listener.destroy();
      else listener.write(text);
    }
  }
}

/** An address and a port from a flag. */
export function placeOf(flag: string, given: string): { address: string; port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:.]+)\]|([\w.-]*)):(\d{1,5})$/i.exec(given) ?? [];
  const port = Number(digits);
  if (digits !== undefined && port <= 65535) return { address: bracketed ?? (plain || '127.0.0.1'), port };
  throw new KelpieError('BAD_FLAG', 'not an address to serve at', {
    ...{ field: flag, given },
    allowed: 'ADDRESS:PORT, such as 127.0.0.1:8080, [::1]:8080 or :8080 for this machine alone',
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  routes: WebRoutes,
  nonce: string,
  listeners: Set<ServerResponse>,
): Promise<void> {
  response.on('error', () => {});
  const headers = {
    'content-security-policy': `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  };
  const reply = ({ status = 200, type, body, policy }: Answer) => {
    response.writeHead(status, {
      ...headers,
      'content-type': `${type}; charset=utf-8`,
      ...(policy === undefined ? {} : { 'content-security-policy': policy }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  };
  const refuse = (status: number, code: string, message: string) =>
    reply({ status, type: 'application/json', body: `${JSON.stringify({ error: code, message })}\n` });
  try {
    const given = request.url ?? '';
    if (!URL.canParse(given, 'http://host'))
      return refuse(400, 'BAD_ADDRESS', 'this is not an address of the page');
    const { pathname: path, searchParams } = new URL(given, 'http://host');
    if (request.method === 'POST') {
      const handler = Object.hasOwn(routes.post ?? {}, path) ? routes.post![path] : undefined;
      if (handler === undefined) return refuse(404, 'NOT_FOUND', 'there is nothing to post here');
      // What a page of somebody else may send without being asked is none of these.
      if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
        return refuse(415, 'CONTENT_TYPE', 'application/json');
      const body = await bodyOf(request, routes.maxBodyBytes ?? 0);
      if (body === null) {
        response.setHeader('connection', 'close');
        return refuse(413, 'TOO_LARGE', `a body has at most ${routes.maxBodyBytes} bytes`);
      }
      return reply(handler(body));
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return refuse(405, 'METHOD', 'GET, HEAD or POST');
    if (path === '/events') {
      if (listeners.size >= MAX_LISTENERS)
        return refuse(503, 'BUSY', `${MAX_LISTENERS} pages listen already`);
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' });
      response.write('retry: 1000\n\n');
      listeners.add(response);
      response.on('close', () => listeners.delete(response));
      return;
    }
    if (!Object.hasOwn(routes.get, path)) return refuse(404, 'NOT_FOUND', 'there is no such page');
    reply(routes.get[path](searchParams, nonce));
  } catch (error) {
    if (response.headersSent) response.destroy();
    else if (error instanceof KelpieError) refuse(400, error.code, error.message);
    else refuse(500, 'FAULT', 'this is a bug in Kelpie');
  }
}

/** The body of a request; null as soon as it is too long. */
async function bodyOf(request: IncomingMessage, maxBytes: number): Promise<string | null> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return null;
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

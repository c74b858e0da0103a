import { createSocket } from 'node:dgram';
import { connect, createServer, isIPv6, type Server, type Socket } from 'node:net';
import { KelpieError } from '../../error.js';
import type { ByteChannel } from '../../services/index.js';
import { ROCE_PORT } from '../../wire/index.js';

/** How long a client tries while nobody listens yet. */
const PATIENCE_MS = 5000;
const RETRY_MS = 100;
/** What a client needs. */
export const SAME_PROGRAM = 'the same program listening there (perftest: -R on both sides or on neither)';
/** What the system says of a name without an address. */
const UNKNOWN_NAME: ReadonlySet<string> = new Set(['ENOTFOUND', 'EAI_NONAME', 'EAI_AGAIN']);
/** Bytes that nobody has read yet. No exchange says so much without an answer; the longest, of srq, is 13 KB. */
const MOST_BUFFERED_BYTES = 64 * 1024;

/** A TCP connection as a channel of bytes. */
export class TcpChannel implements ByteChannel {
  private readonly socket: Socket;
  private chunks: Uint8Array[] = [];
  private buffered = 0;
  private ended = false;
  private failure: Error | null = null;
  private wake: () => void = () => {};
  private readonly gone: Promise<void>;
  /** Done when the first bytes have come; never where none do. */
  readonly spoken: Promise<void>;

  constructor(socket: Socket) {
    this.socket = socket;
    this.gone = new Promise((resolve) => {
      for (const event of ['end', 'close', 'error']) socket.once(event, () => resolve());
    });
    let speak = (): void => {};
    this.spoken = new Promise((resolve) => {
      speak = resolve;
    });
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.chunks.push(chunk);
      this.buffered += chunk.length;
      if (this.buffered > MOST_BUFFERED_BYTES) socket.destroy(new Error('more bytes than any exchange has'));
      speak();
      this.wake();
    });
    socket.on('error', (error) => {
      this.failure = error;
      this.wake();
    });
    socket.on('close', () => {
      this.ended = true;
      this.wake();
    });
    socket.on('end', () => {
      this.ended = true;
      this.wake();
    });
  }

  /** This side's address. */
  get localAddress(): string {
    return this.socket.localAddress ?? '';
  }

  async read(bytes: number): Promise<Uint8Array> {
    while (this.buffered < bytes) {
      if (this.ended || this.failure !== null)
        throw new KelpieError('CANNOT_RUN', 'the peer hung up in the middle of the exchange', {
          field: 'peer',
          given: this.failure?.message ?? 'end of stream',
          allowed: `${bytes} more bytes`,
          cause: this.failure ?? undefined,
        });
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    const joined = Buffer.concat(this.chunks);
    this.chunks = [joined.subarray(bytes)];
    this.buffered -= bytes;
    return Uint8Array.from(joined.subarray(0, bytes));
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  hungUp(): Promise<void> {
    return this.gone;
  }

  async close(): Promise<void> {
    this.socket.destroySoon();
  }

  /** From now on it ends with the signal, whoever waits for what; returns itself. */
  endWith(signal: AbortSignal): this {
    const drop = () => this.drop();
    signal.addEventListener('abort', drop, { once: true });
    this.socket.once('close', () => signal.removeEventListener('abort', drop));
    return this;
  }

  /** Ends it at once: nothing that was said matters. */
  drop(): void {
    this.socket.destroy();
  }
}

/** The address that this machine would send from. Nothing is sent. */
export async function ownAddressTowards(address: string): Promise<string> {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.connect(ROCE_PORT, address, resolve);
    });
    return socket.address().address;
  } finally {
    socket.close();
  }
}

/** Connects to a program that listens, or is about to; `say` is told, a line, where nobody listens yet. */
export async function connectTcp(
  host: string,
  port: number,
  signal: AbortSignal,
  say: (line: string) => void = () => {},
): Promise<TcpChannel> {
  const deadline = performance.now() + PATIENCE_MS;
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    try {
      return new TcpChannel(await attempt(host, port)).endWith(signal);
    } catch (cause) {
      const unknown = UNKNOWN_NAME.has((cause as NodeJS.ErrnoException).code ?? '');
      if (unknown)
        throw new KelpieError('CANNOT_RUN', 'there is no host with this name', {
          ...{ field: 'server', given: host, allowed: 'an address, or a name that has one', cause },
        });
      if (performance.now() >= deadline)
        throw new KelpieError('CANNOT_RUN', 'nothing accepts the connection', {
          field: 'server',
          given: `${host} port ${port}`,
          allowed: SAME_PROGRAM,
          cause,
        });
      if (tries === 1)
        say(`nothing listens at ${host}, TCP port ${port}, yet: trying for ${PATIENCE_MS / 1000} s\n`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

function attempt(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/**
 * Hangs up on whoever connects to a port where nobody is expected, and tells of the first; returns how to stop. Where the
 * port is taken, whoever has it answers.
 */
export function turnAwayTcp(port: number, onClient: () => void): () => void {
  const server = createServer((socket) => socket.destroy());
  server.once('connection', onClient);
  server.on('error', () => {});
  server.listen({ port });
  return () => server.close();
}

/** Clients that have spoken and wait for their turn; more are turned away. */
const MOST_WAITING = 16;
/** Connections on which nobody has spoken yet; the oldest makes room. */
const MOST_SILENT = 16;
/** How long a client may take until it speaks. */
const SILENT_MS = 5000;

/** How a program listens. */
export interface ListenOptions {
  /** Told the port when clients can connect. */
  onListening?: (port: number) => void;
  /** One address of this machine; all of them unless set. */
  address?: string;
  /** The server speaks first: then whoever connects has its turn, and need not have said anything. */
  speaksFirst?: boolean;
}

/** Waits for one client. */
export async function acceptTcp(
  port: number,
  signal: AbortSignal,
  options: ListenOptions = {},
): Promise<TcpChannel> {
  for await (const channel of acceptEachTcp(port, signal, options)) return channel;
  throw signal.reason;
}

/** Clients one after the other, until the signal. Who connects and says nothing keeps nobody waiting. */
export async function* acceptEachTcp(
  port: number,
  signal: AbortSignal,
  { onListening = () => {}, address, speaksFirst = false }: ListenOptions = {},
): AsyncGenerator<TcpChannel, void, undefined> {
  const server: Server = createServer();
  const silent = new Set<TcpChannel>();
  const waiting: TcpChannel[] = [];
  let failure: unknown = null;
  let wake: () => void = () => {};
  const stop = (reason: unknown) => {
    failure = reason;
    wake();
  };
  signal.addEventListener('abort', () => stop(signal.reason), { once: true });
  server.once('error', (cause) =>
    stop(
      new KelpieError('CANNOT_RUN', 'cannot listen on this port', {
        field: '--port',
        given: port,
        allowed: 'a free port',
        cause,
      }),
    ),
  );
  const forget = (channel: TcpChannel) => {
    if (silent.delete(channel)) channel.drop();
  };
  const queue = (channel: TcpChannel) => {
    if (waiting.length >= MOST_WAITING) {
      channel.drop();
      return;
    }
    waiting.push(channel);
    wake();
  };
  server.on('connection', (socket) => {
    const channel = new TcpChannel(socket);
    if (speaksFirst) {
      queue(channel);
      return;
    }
    const [oldest] = silent;
    if (oldest !== undefined && silent.size >= MOST_SILENT) forget(oldest);
    silent.add(channel);
    const timer = setTimeout(forget, SILENT_MS, channel);
    void channel.spoken.then(() => {
      clearTimeout(timer);
      if (silent.delete(channel)) queue(channel);
    });
    void channel.hungUp().then(() => {
      clearTimeout(timer);
      forget(channel);
    });
  });
  server.listen({ port, ...(address === undefined ? {} : { host: address }) }, () =>
    onListening((server.address() as { port: number }).port),
  );
  try {
    for (;;) {
      signal.throwIfAborted();
      if (failure !== null) throw failure;
      const next = waiting.shift();
      if (next !== undefined) yield next.endWith(signal);
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    server.close();
    for (const channel of silent) forget(channel);
    for (const channel of waiting) channel.drop();
  }
}

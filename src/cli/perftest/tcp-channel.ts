import { createSocket } from 'node:dgram';
import { connect, createServer, isIPv6, type Server, type Socket } from 'node:net';
import { KelpieError } from '../../error.js';
import type { ByteChannel } from '../../services/index.js';
import { ROCE_PORT } from '../../wire/index.js';

/** How long a client tries while nobody listens yet. */
const PATIENCE_MS = 5000;
const RETRY_MS = 100;

/** A TCP connection as a channel of bytes. */
export class TcpChannel implements ByteChannel {
  private readonly socket: Socket;
  private chunks: Uint8Array[] = [];
  private buffered = 0;
  private ended = false;
  private failure: Error | null = null;
  private wake: () => void = () => {};
  private readonly gone: Promise<void>;

  constructor(socket: Socket) {
    this.socket = socket;
    this.gone = new Promise((resolve) => {
      for (const event of ['end', 'close', 'error']) socket.once(event, () => resolve());
    });
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.chunks.push(chunk);
      this.buffered += chunk.length;
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

/** Connects to a program that listens, or is about to. */
export async function connectTcp(host: string, port: number, signal: AbortSignal): Promise<TcpChannel> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    signal.throwIfAborted();
    try {
      return new TcpChannel(await attempt(host, port));
    } catch (cause) {
      if (performance.now() >= deadline)
        throw new KelpieError('CANNOT_RUN', 'nothing accepts the connection', {
          field: 'server',
          given: `${host} port ${port}`,
          allowed: 'the same program listening there (perftest: -R on both sides or on neither)',
          cause,
        });
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

/** Connections that wait for their turn; more are turned away. */
const MOST_WAITING = 16;

/** Waits for one connection; `onListening` is told the port. */
export async function acceptTcp(
  port: number,
  signal: AbortSignal,
  onListening: (port: number) => void = () => {},
): Promise<TcpChannel> {
  for await (const channel of acceptEachTcp(port, signal, onListening)) return channel;
  throw signal.reason;
}

/** Connections one after the other, until the signal. */
export async function* acceptEachTcp(
  port: number,
  signal: AbortSignal,
  onListening: (port: number) => void = () => {},
  address?: string,
): AsyncGenerator<TcpChannel, void, undefined> {
  const server: Server = createServer();
  server.maxConnections = MOST_WAITING;
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
  server.on('connection', (socket) => {
    waiting.push(new TcpChannel(socket));
    wake();
  });
  server.listen({ port, ...(address === undefined ? {} : { host: address }) }, () =>
    onListening((server.address() as { port: number }).port),
  );
  try {
    for (;;) {
      signal.throwIfAborted();
      if (failure !== null) throw failure;
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    server.close();
    for (const channel of waiting) await channel.close();
  }
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { type AddressInfo, createServer, connect as dial, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Why tests that need a server are skipped; null where there is one. */
export const WHY_NO_SERVER =
  spawnSync('nats-server', ['--version']).status === 0 ? null : 'nats-server is not installed';

/** What is kept of what a server says. */
const MOST_SAID = 2000;

/** A server of NATS with its store in a folder: it can be killed and comes back with what it had. */
export class TestServer {
  readonly port: number;
  private readonly flags: readonly string[];
  private process: ChildProcess | null = null;

  private constructor(port: number, flags: readonly string[]) {
    this.port = port;
    this.flags = flags;
  }

  static async open(folder: string, flags: readonly string[] = []): Promise<TestServer> {
    const port = await freePort();
    const server = new TestServer(port, [
      '-js',
      '-sd',
      folder,
      '-a',
      '127.0.0.1',
      '-p',
      String(port),
      ...flags,
    ]);
    await server.begin();
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  async begin(): Promise<void> {
    const process = spawn('nats-server', this.flags, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.process = process;
    let said = '';
    process.stderr.on('data', (text) => {
      said = (said + text).slice(-MOST_SAID);
    });
    for (let tries = 0; tries < 100; tries++) {
      if (await answers(this.port)) return;
      await sleep(50);
    }
    throw new Error(`nats-server does not answer: ${said}`);
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    const { process } = this;
    this.process = null;
    if (process === null) return;
    const ended = new Promise((done) => process.once('exit', done));
    process.kill('SIGKILL');
    await ended;
  }
}

/** A place between a client and a server whose connections can be cut. */
export class TestProxy {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  private isCut = false;

  private constructor(server: Server) {
    this.server = server;
  }

  static async open(to: number): Promise<TestProxy> {
    const server = createServer();
    const proxy = new TestProxy(server);
    server.on('connection', (socket) => {
      if (proxy.isCut) {
        socket.destroy();
        return;
      }
      const other = dial(to, '127.0.0.1');
      for (const [one, peer] of [
        [socket, other],
        [other, socket],
      ]) {
        proxy.sockets.add(one);
        one.on('error', () => {});
        one.on('close', () => {
          proxy.sockets.delete(one);
          peer.destroy();
        });
        one.pipe(peer);
      }
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return proxy;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isCut = false;
  }

  close(): void {
    this.cut();
    this.server.close();
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = dial(port, '127.0.0.1');
    socket.once('data', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}

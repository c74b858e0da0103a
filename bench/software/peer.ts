import { createSocket } from 'node:dgram';
import { on, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import type { LinkKind } from '../../src/providers/software/index.js';
import { pingPong } from './ping-pong.js';
import { type RdmaAddress, RdmaEnd } from './rdma-end.js';

/** What the measuring process asks of its peer. */
export type Order =
  | { kind: 'rdma'; link: LinkKind; address: string; peer: RdmaAddress }
  | { kind: 'pong'; count: number }
  | { kind: 'check'; bytes: number }
  | { kind: 'cpu' }
  | { kind: 'tcp' }
  | { kind: 'udp' }
  | { kind: 'quit' };

/** Processor time of this process so far, in microseconds. */
export function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** The peer process: does what it is told, and tells when it is done. */
export async function servePeer(): Promise<void> {
  let end: RdmaEnd | null = null;
  let peer: RdmaAddress | null = null;
  // Whoever measures may fail: nobody else would end this process.
  process.on('disconnect', () => process.exit(0));
  const reply = (message: unknown) => process.send?.(message);
  // One that arrives while another is served waits its turn.
  for await (const [order] of on(process, 'message') as AsyncIterable<[Order]>) {
    switch (order.kind) {
      case 'rdma':
        await end?.close();
        end = await RdmaEnd.open(order.address, order.link);
        end.connect(order.peer);
        peer = order.peer;
        reply(end.address);
        break;
      case 'pong':
        end?.memory.fill(0, 0, 128);
        reply('ready');
        if (end !== null && peer !== null) await pingPong(end, peer, order.count, false);
        reply('done');
        break;
      case 'check':
        reply(end?.memory.subarray(0, order.bytes).reduce((sum, byte) => (sum * 31 + byte) >>> 0, 7));
        break;
      case 'cpu':
        reply(cpuUs());
        break;
      case 'tcp':
        reply(await serveTcp());
        break;
      case 'udp':
        reply(await serveUdp());
        break;
      case 'quit':
        await end?.close();
        process.exit(0);
    }
  }
}

/** Counts what arrives and answers a byte for every 64 KiB; echoes what is shorter than a KiB. */
async function serveTcp(): Promise<number> {
  const server = createServer((socket: Socket) => {
    socket.setNoDelay(true);
    let received = 0;
    let answered = 0;
    socket.on('data', (bytes) => {
      if (bytes.length < 1024 && received === 0) {
        socket.write(bytes);
        return;
      }
      received += bytes.length;
      const due = Math.floor(received / 65536) - answered;
      answered += due;
      if (due > 0) socket.write(Buffer.alloc(due));
    });
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return (server.address() as AddressInfo).port;
}

/** Echoes datagrams that are shorter than a KiB, and the first eight bytes of every sixteenth of the others. */
async function serveUdp(): Promise<number> {
  const socket = createSocket('udp4');
  let count = 0;
  socket.on('message', (bytes, from) => {
    if (bytes.length < 1024) socket.send(bytes, from.port, from.address);
    else if (++count % 16 === 0) socket.send(Buffer.alloc(8), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.setRecvBufferSize(4 << 20);
  return socket.address().port;
}

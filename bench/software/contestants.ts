import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { emptyWorkCompletion } from '../../src/verbs/index.js';
import { pingPong, SMALL_BYTES } from './ping-pong.js';
import type { RdmaAddress, RdmaEnd } from './rdma-end.js';

/** Bytes of a large message. */
export const MESSAGE_BYTES = 65536;
/** Messages under way, as perftest has them. */
const DEPTH = 128;

/** WRITEs of 64 KiB for this long; returns Gb/s of those that were acknowledged. */
export async function writeGbps(end: RdmaEnd, peer: RdmaAddress, durationMs: number): Promise<number> {
  const { qp, cq, mr, context, channel } = end;
  const slots = Array.from({ length: DEPTH }, emptyWorkCompletion);
  const request = {
    opcode: 'RDMA_WRITE' as const,
    wrId: 1,
    sgList: [{ addr: mr.addr, length: MESSAGE_BYTES, lkey: mr.lkey }],
    remoteAddr: peer.addr,
    rkey: peer.rkey,
    signaled: true,
  };
  let posted = 0;
  let done = 0;
  const startMs = performance.now();
  while (performance.now() - startMs < durationMs) {
    while (posted - done < DEPTH) {
      qp.postSend(request);
      posted++;
    }
    const found = cq.pollInto(slots);
    for (let index = 0; index < found; index++) {
      if (slots[index].status !== 'SUCCESS') throw new Error(`RC WRITE: ${slots[index].status}`);
    }
    done += found;
    if (found > 0) continue;
    // Completions between the last look and the request would raise no event: hence one more look.
    cq.reqNotify();
    const late = cq.pollInto(slots);
    done += late;
    if (late === 0) await channel.getCqEvent();
    else channel.tryGetCqEvent();
  }
  const rate = gbps(done * MESSAGE_BYTES, performance.now() - startMs);
  while (done < posted) {
    done += cq.pollInto(slots);
    await context.clock.sleep(0);
  }
  return rate;
}

/** Half round trips of 64-byte WRITEs, in microseconds. */
export async function writeLatencyUs(end: RdmaEnd, peer: RdmaAddress, count: number): Promise<number> {
  end.memory.fill(0, 0, 2 * SMALL_BYTES);
  return median(await pingPong(end, peer, count, true));
}

/** A TCP stream in writes of 64 KiB; returns Gb/s of what the peer says that it has read. */
export async function tcpGbps(port: number, durationMs: number): Promise<number> {
  const socket = await openTcp(port);
  const message = Buffer.alloc(MESSAGE_BYTES);
  let done = 0;
  let posted = 0;
  socket.on('data', (bytes) => {
    done += bytes.length;
  });
  const startMs = performance.now();
  while (performance.now() - startMs < durationMs) {
    while (posted - done < DEPTH) {
      socket.write(message);
      posted++;
    }
    await new Promise(setImmediate);
  }
  const rate = gbps(done * MESSAGE_BYTES, performance.now() - startMs);
  socket.destroy();
  return rate;
}

/** Half round trips of 64 bytes over TCP, in microseconds. */
export async function tcpLatencyUs(port: number, count: number): Promise<number> {
  const socket = await openTcp(port);
  const message = Buffer.alloc(SMALL_BYTES);
  const halfTrips = new Float64Array(count);
  for (let round = 0; round < count; round++) {
    const startMs = performance.now();
    socket.write(message);
    await once(socket, 'data');
    halfTrips[round] = ((performance.now() - startMs) / 2) * 1000;
  }
  socket.destroy();
  return median(halfTrips);
}

/** Datagrams of 4096 bytes, as many under way as the WRITEs have; returns Gb/s of those that the peer counted. */
export async function udpGbps(port: number, durationMs: number): Promise<number> {
  const socket = await openUdp();
  const message = Buffer.alloc(4096);
  const window = (DEPTH * MESSAGE_BYTES) / 4096;
  let done = 0;
  let posted = 0;
  let heardMs = performance.now();
  socket.on('message', () => {
    done += 16;
    heardMs = performance.now();
  });
  const startMs = performance.now();
  while (performance.now() - startMs < durationMs) {
    // What was lost is never heard of: the window opens again after a while.
    if (performance.now() - heardMs > 50) posted = done;
    for (let burst = 0; burst < 32 && posted - done < window; burst++) {
      socket.send(message, port, '127.0.0.1');
      posted++;
    }
    await new Promise(setImmediate);
  }
  const rate = gbps(done * 4096, performance.now() - startMs);
  socket.close();
  return rate;
}

/** Half round trips of 64 bytes over UDP, in microseconds. */
export async function udpLatencyUs(port: number, count: number): Promise<number> {
  const socket = await openUdp();
  const message = Buffer.alloc(SMALL_BYTES);
  const halfTrips = new Float64Array(count);
  for (let round = 0; round < count; round++) {
    const startMs = performance.now();
    socket.send(message, port, '127.0.0.1');
    await once(socket, 'message');
    halfTrips[round] = ((performance.now() - startMs) / 2) * 1000;
  }
  socket.close();
  return median(halfTrips);
}

async function openTcp(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.setNoDelay(true);
  return socket;
}

async function openUdp(): Promise<UdpSocket> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  socket.setRecvBufferSize(4 << 20);
  return socket;
}

function gbps(bytes: number, milliseconds: number): number {
  return (bytes * 8) / (milliseconds * 1e6);
}

function median(values: Float64Array): number {
  return values.sort()[values.length >> 1];
}

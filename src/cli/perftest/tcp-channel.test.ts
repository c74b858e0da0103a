import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { acceptTcp, type ListenOptions } from './tcp-channel.js';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A client that says something, or nothing. */
async function client(port: number, words?: string): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  sockets.push(socket);
  socket.on('error', () => {});
  await new Promise<void>((resolve) => {
    socket.once('connect', () => resolve());
  });
  if (words !== undefined) socket.write(words);
  return socket;
}

async function listening(options: Omit<ListenOptions, 'onListening' | 'address'> = {}) {
  let tell: (port: number) => void = () => {};
  const port = new Promise<number>((resolve) => {
    tell = resolve;
  });
  const { signal } = new AbortController();
  const channel = acceptTcp(0, signal, { ...options, onListening: tell, address: '127.0.0.1' });
  return { channel, port: await port };
}

const text = (bytes: Uint8Array) => String.fromCharCode(...bytes);

describe('a server of one client', () => {
  it('takes the first that speaks, however many connected before and said nothing', async () => {
    const { channel, port } = await listening();
    const silent: Socket[] = [];
    for (let index = 0; index < 40; index++) silent.push(await client(port));
    await client(port, 'hello');
    const taken = await channel;
    expect(text(await taken.read(5))).toBe('hello');
    // The others are let go.
    await Promise.all(silent.map((each) => each.closed || new Promise((done) => each.once('close', done))));
    await taken.close();
  });

  it('speaks first where that is the custom', async () => {
    const { channel, port } = await listening({ speaksFirst: true });
    const socket = await client(port);
    const taken = await channel;
    await taken.write(new TextEncoder().encode('hi'));
    const heard = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    expect(heard.toString()).toBe('hi');
    await taken.close();
  });

  it('does not keep what nobody asked for', async () => {
    const { channel, port } = await listening();
    const socket = await client(port, 'x');
    const taken = await channel;
    const closed = new Promise((done) => socket.once('close', done));
    socket.write(Buffer.alloc(10_000_000));
    await closed;
    await expect(taken.read(10_000_000)).rejects.toMatchObject({
      code: 'CANNOT_RUN',
      given: 'more bytes than any exchange has',
    });
  });
});

import { describe, expect, it } from 'vitest';
import { DatagramBatch, IdentificationBasis } from '../../../link/index.js';
import { gidFromIpv4 } from '../../../wire/index.js';
import { parseEndpoint } from './ip-endpoint.js';
import type { Libc } from './libc.js';
import { EAGAIN, EINTR, EINVAL } from './socket-constants.js';
import { UdpSender } from './udp-sender.js';
import type { UdpSocket } from './udp-socket.js';

const SOCKET = { fd: 3, segmentation: true } as UdpSocket;
const OTHER = new Uint32Array(gidFromIpv4(0x7f000002).slice().buffer);

/** A C library whose sendmmsg gives the next of these answers: messages sent, or a negative errno. */
function scripted(answers: number[]): { libc: Libc; asked: number[] } {
  const asked: number[] = [];
  let errno = 0;
  const libc = {
    addressOf: () => 4096,
    errno: () => errno,
    sendmmsg: (_fd: number, _messages: Uint8Array, count: number) => {
      asked.push(count);
      const answer = answers.shift() ?? count;
      errno = answer < 0 ? -answer : 0;
      return answer < 0 ? -1 : Math.min(answer, count);
    },
  } as unknown as Libc;
  return { libc, asked };
}

function batchOf(lengths: readonly number[]): DatagramBatch {
  const batch = new DatagramBatch(256, new Uint8Array(1 << 20));
  for (const bytes of lengths) batch.commit(batch.open(bytes) + bytes, OTHER, 0);
  return batch;
}

function senderOf(libc: Libc): UdpSender {
  return new UdpSender(libc, SOCKET, parseEndpoint('127.0.0.1'), 4791, new IdentificationBasis());
}

// Goal: every datagram is taken once, whatever the system answers. Method: a system call that is played.
describe('UdpSender', () => {
  it('sends runs of equal datagrams as one message, a shorter last included', () => {
    const { libc, asked } = scripted([]);
    const sender = senderOf(libc);
    const batch = batchOf([100, 100, 100, 60, 60, 100, 4112, 4112]);
    expect(sender.send(batch, 0)).toBe(8);
    // 100 100 100 60 | 60 | 100 | 4112 4112
    expect(asked).toEqual([4]);
    expect(sender.datagrams).toBe(8);
  });

  it('makes no run longer than an IP packet or than 64 segments', () => {
    const { libc, asked } = scripted([]);
    senderOf(libc).send(batchOf(new Array(30).fill(4112)), 0);
    senderOf(libc).send(batchOf(new Array(130).fill(64)), 0);
    expect(asked).toEqual([2, 3]);
  });

  it('stops where the system is full, and leaves what waits as it was', () => {
    const { libc } = scripted([1, -EAGAIN]);
    const sender = senderOf(libc);
    const batch = batchOf([100, 100, 80, 80, 80]);
    const before = batch.bytes.slice();
    expect(sender.send(batch, 0)).toBe(3);
    expect(sender.datagrams).toBe(3);
    // The run that did not leave has its own ICRCs again; the one that left was numbered by its segments.
    expect(batch.bytes.slice(batch.offset[3], batch.end[4])).toEqual(
      before.slice(batch.offset[3], batch.end[4]),
    );
    expect(batch.bytes.slice(batch.offset[1], batch.end[1])).not.toEqual(
      before.slice(batch.offset[1], batch.end[1]),
    );
    expect(sender.send(batch, 3)).toBe(5);
    expect(sender.datagrams).toBe(5);
  });

  it('goes on after an interruption', () => {
    const { libc } = scripted([-EINTR]);
    expect(senderOf(libc).send(batchOf([64]), 0)).toBe(1);
  });

  it('gives up segmentation where the system refuses a run', () => {
    const { libc, asked } = scripted([-EINVAL]);
    const sender = senderOf(libc);
    expect(sender.send(batchOf([64, 64, 64]), 0)).toBe(3);
    expect(asked).toEqual([1, 3]);
    expect(sender.errors).toBe(0);
  });

  it('loses a datagram that the system refuses for good, and no other', () => {
    const { libc } = scripted([-EINVAL]);
    const sender = senderOf(libc);
    expect(sender.send(batchOf([64, 80]), 0)).toBe(2);
    expect(sender.errors).toBe(1);
    expect(sender.datagrams).toBe(1);
  });
});

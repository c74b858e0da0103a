import type { EventEmitter } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import {
  DatagramBatch,
  IcrcFlow,
  IdentificationBasis,
  type Link,
  SENT_FRAGMENT_WORD,
} from '../../../link/index.js';
import { crc32Update, formatGidShort, readIcrc, writeIcrc } from '../../../wire/index.js';
import { loopbackAddress } from '../loopback-address.js';
import type { DgramLink } from './dgram-link.js';
import { loadLibc } from './libc.js';
import type { LinkKind } from './link-options.js';
import { openUdpLink } from './open-link.js';

const opened: Link[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((link) => link.close()));
});

async function open(index: number, kind: LinkKind, options = {}): Promise<Link> {
  const link = await openUdpLink({ address: loopbackAddress(index), ...options }, kind);
  opened.push(link);
  return link;
}

interface Arrival {
  bytes: Uint8Array;
  address: Uint8Array;
  sourcePort: number;
  trafficClass: number;
  fragmentWord: number;
}

/** Notes what a link receives; `until` waits for this many datagrams. */
function listen(link: Link): { arrivals: Arrival[]; until(count: number): Promise<void> } {
  const arrivals: Arrival[] = [];
  let wake: (() => void) | null = null;
  link.start({
    received(batch) {
      for (let index = 0; index < batch.count; index++) {
        arrivals.push({
          bytes: batch.bytes.slice(batch.offset[index], batch.end[index]),
          address: batch.addressBytes.slice(16 * index, 16 * index + 16),
          sourcePort: batch.sourcePort[index],
          trafficClass: batch.trafficClass[index],
          fragmentWord: batch.fragmentWord[index],
        });
      }
      wake?.();
    },
    writable() {},
    failed(error) {
      throw error;
    },
  });
  const until = async (count: number) => {
    while (arrivals.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { arrivals, until };
}

function add(batch: DatagramBatch, to: Link, bytes: number, fill: number, trafficClass = 0): number {
  const at = batch.open(bytes);
  batch.bytes.fill(fill, at, at + bytes);
  const index = batch.commit(at + bytes, new Uint32Array(to.gids[0].slice().buffer), 0);
  batch.trafficClass[index] = trafficClass;
  return index;
}

// Goal: whatever carries datagrams carries them whole, in order and with what IP says of them. Method: the same script
// over both kinds of sockets, with runs that segmentation offload takes as one and lengths that break them.
const kinds: LinkKind[] = typeof (await loadLibc()) === 'string' ? ['dgram'] : ['libc', 'dgram'];
describe.each(kinds)('a link over UDP, %s', (kind) => {
  it('carries datagrams whole, in order, with the address and port of the sender', async () => {
    const [left, right] = [await open(11, kind), await open(12, kind)];
    left.start({ received() {}, writable() {}, failed() {} });
    const { arrivals, until } = listen(right);
    const lengths = [64, 64, 64, 20, 4112, 4112, 4112, 4112, 100, 4128, 4112, 16];
    const batch = left.createBatch(64, 1 << 16);
    lengths.forEach((bytes, index) => {
      add(batch, right, bytes, index + 1);
    });
    expect(left.send(batch, 0)).toBe(lengths.length);
    await until(lengths.length);
    expect(arrivals.map(({ bytes }) => bytes.length)).toEqual(lengths);
    arrivals.forEach(({ bytes, address, sourcePort }, index) => {
      // Behind the first of a run the last four bytes, where an ICRC stands, may have been changed on purpose.
      expect(bytes.subarray(0, -4).every((byte) => byte === index + 1)).toBe(true);
      expect(address).toEqual(left.gids[0]);
      expect(sourcePort).toBe(left.sourcePort);
    });
    expect(left.counters()).toMatchObject({ link_tx_datagrams: lengths.length, link_tx_errors: 0 });
    expect(right.counters()).toMatchObject({ link_rx_datagrams: lengths.length });
  });

  it('has what it was given when it returns, long datagrams and then short ones', async () => {
    const [left, right] = [await open(11, kind), await open(12, kind)];
    left.start({ received() {}, writable() {}, failed() {} });
    const { arrivals, until } = listen(right);
    const batch = left.createBatch(64, 1 << 16);
    const lengths = [4000, 60, 900, 60];
    for (const [round, bytes] of lengths.entries()) {
      batch.clear();
      for (let count = 0; count < 8; count++) add(batch, right, bytes, round + 1);
      expect(left.send(batch, 0)).toBe(8);
      batch.bytes.fill(0xee);
      await until(8 * (round + 1));
    }
    expect(arrivals.map(({ bytes }) => bytes.length)).toEqual(
      lengths.flatMap((bytes) => Array(8).fill(bytes)),
    );
    arrivals.forEach(({ bytes }, index) => {
      expect(bytes.subarray(0, -4).every((byte) => byte === Math.floor(index / 8) + 1)).toBe(true);
    });
  });

  it('carries the traffic class where it says so', async () => {
    const [left, right] = [await open(11, kind), await open(12, kind)];
    left.start({ received() {}, writable() {}, failed() {} });
    const { arrivals, until } = listen(right);
    const batch = left.createBatch(64, 1 << 16);
    for (const trafficClass of [0, 2, 2, 3, 0x6a]) add(batch, right, 64, 1, trafficClass);
    left.send(batch, 0);
    await until(5);
    const seen = arrivals.map(({ trafficClass }) => trafficClass);
    expect(seen).toEqual(
      right.abilities.ecnRead && left.abilities.ecnSet ? [0, 2, 2, 3, 0x6a] : [0, 0, 0, 0, 0],
    );
  });

  it('lets ICRCs hold with the identification that it says, runs included', async () => {
    const [left, right] = [await open(11, kind), await open(12, kind)];
    left.start({ received() {}, writable() {}, failed() {} });
    const { arrivals, until } = listen(right);
    const flow = new IcrcFlow(left.port, crc32Update);
    flow.set(left.gids[0], right.gids[0], left.sourcePort);
    const batch = left.createBatch(64, 1 << 16);
    for (const bytes of [64, 4112, 4112, 4112, 512]) {
      const index = add(batch, right, bytes, bytes);
      const icrcAt = batch.end[index] - 4;
      writeIcrc(batch.bytes, icrcAt, flow.icrcOf(batch.bytes, batch.offset[index], icrcAt));
    }
    left.send(batch, 0);
    await until(5);
    const identifications = new IdentificationBasis();
    for (const { bytes, fragmentWord } of arrivals) {
      const end = bytes.length - 4;
      const difference = (flow.icrcOf(bytes, 0, end) ^ readIcrc(bytes, end)) >>> 0;
      expect(identifications.effect(fragmentWord ^ SENT_FRAGMENT_WORD, bytes.length)).toBe(difference);
    }
  });

  it('counts what cannot be sent, and goes on', async () => {
    const [left, right] = [await open(11, kind), await open(12, kind)];
    left.start({ received() {}, writable() {}, failed() {} });
    const { arrivals, until } = listen(right);
    const batch = left.createBatch(64, 1 << 16);
    const index = add(batch, right, 64, 1);
    batch.addressBytes.fill(0xfd, 16 * index, 16 * index + 16);
    add(batch, right, 64, 2);
    expect(left.send(batch, 0)).toBe(2);
    await until(1);
    expect(arrivals[0].bytes[0]).toBe(2);
    expect(left.counters()['link_tx_errors']).toBe(1);
  });

  it('takes batches that it did not make', async () => {
    const [left, right] = [await open(11, kind), await open(12, kind)];
    left.start({ received() {}, writable() {}, failed() {} });
    const { arrivals, until } = listen(right);
    const memory = new Uint8Array(4096);
    const batch = new DatagramBatch(4, memory.subarray(1000, 2000));
    add(batch, right, 48, 9);
    left.send(batch, 0);
    await until(1);
    expect(arrivals[0].bytes).toEqual(new Uint8Array(48).fill(9));
  });

  it('is refused on an address in use, on a foreign address and on text that is none', async () => {
    await open(11, kind);
    for (const [address, code] of [
      [loopbackAddress(11), 'LINK_OPEN_FAILED'],
      ['203.0.113.77', 'LINK_OPEN_FAILED'],
      ['127.0.0.999', 'LINK_BAD_ADDRESS'],
      ['0.0.0.0', 'LINK_BAD_ADDRESS'],
      ['224.0.0.1', 'LINK_BAD_ADDRESS'],
      ['255.255.255.255', 'LINK_BAD_ADDRESS'],
      ['::', 'LINK_BAD_ADDRESS'],
      ['ff02::1', 'LINK_BAD_ADDRESS'],
      ['fe80::1%nowhere', 'LINK_BAD_ADDRESS'],
    ])
      await expect(openUdpLink({ address }, kind)).rejects.toMatchObject({ code, field: 'address' });
    const options = { address: loopbackAddress(12), port: 70000 };
    await expect(openUdpLink(options, kind)).rejects.toMatchObject({ code: 'LINK_OPTION_OUT_OF_RANGE' });
  });

  it('is silent when closed', async () => {
    const [left, right] = [await open(11, kind), await open(12, kind)];
    const { arrivals } = listen(right);
    left.start({ received() {}, writable() {}, failed() {} });
    const batch = left.createBatch(4, 4096);
    add(batch, right, 64, 1);
    await right.close();
    await right.close();
    left.send(batch, 0);
    await left.close();
    expect(left.send(batch, 0)).toBe(1);
    expect(left.poll()).toBe(false);
    await new Promise(setImmediate);
    expect(arrivals).toEqual([]);
  });
});

it('hears whoever sends from a link-local address on an interface that has none itself', async () => {
  const link = (await openUdpLink({ address: loopbackAddress(13) }, 'dgram')) as DgramLink;
  const heard: string[] = [];
  const received = ({ addressBytes }: DatagramBatch) => heard.push(formatGidShort(addressBytes.slice(0, 16)));
  link.start({ received, writable() {}, failed() {} });
  const { socket } = link as unknown as { socket: EventEmitter };
  socket.emit('message', new Uint8Array(64), { address: 'fe80::1%gone', port: 4791 });
  expect(heard).toEqual(['fe80::1']);
  await link.close();
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { write24 } from '../../wire/bytes/bytes.js';
import { crc32Update } from '../../wire/bytes/crc32.js';
import { OPCODE, parseGid, parseMac, verifyIcrc, writeIcrc } from '../../wire/index.js';
import type { DatagramBatch } from '../datagram-batch.js';
import { IcrcFlow } from '../icrc-flow.js';
import { EthernetLink, type FrameCarrier } from './ethernet-link.js';

const MACS = ['02:00:00:00:77:01', '02:00:00:00:77:02'].map(parseMac);
const ADDRESSES = [
  ['::ffff:10.77.0.1', 'fd77::1'],
  ['::ffff:10.77.0.2', 'fd77::2'],
];

/** Two stations on one cable, and what they hear. */
function cable() {
  const tasks: (() => void)[] = [];
  const frames: Uint8Array[] = [];
  const cut = [false];
  const arrived: { side: number; psn: number; row: number; source: string; trafficClass: number }[] = [];
  const stations: EthernetLink[] = MACS.map((mac, side) => {
    const port: FrameCarrier = {
      sendFrame: (frame) => {
        frames.push(frame.slice());
        if (!cut[0]) stations[1 - side].onFrame(frame.slice());
      },
      hasRoom: () => true,
      close: async () => {},
    };
    const gids = ADDRESSES[side].map(parseGid);
    return new EthernetLink(port, { name: 'cable', mac, gids, mtuBytes: 4500 }, (_delay, task) =>
      tasks.push(task),
    );
  });
  for (const [side, station] of stations.entries()) {
    station.start({
      received: (batch) => {
        const at = batch.offset[0];
        arrived.push({
          side,
          psn: batch.bytes[at + 11],
          row: batch.gidIndex[0],
          source: [...batch.addressBytes.subarray(0, 16)].join('.'),
          trafficClass: batch.trafficClass[0],
        });
      },
      writable: () => {},
      failed: () => {},
    });
  }
  const tick = () => {
    for (const task of tasks.splice(0)) task();
  };
  return { stations, frames, arrived, cut, tick };
}

function send(link: EthernetLink, row: number, peer: string, psn: number, trafficClass = 0): DatagramBatch {
  const batch = link.createBatch(1, 256);
  const at = batch.open(64);
  const { bytes } = batch;
  bytes[at] = OPCODE.RC_SEND_ONLY;
  bytes[at + 2] = 0xff;
  bytes[at + 3] = 0xff;
  write24(bytes, at + 5, 0x12);
  write24(bytes, at + 9, psn);
  const flow = new IcrcFlow(link.port, crc32Update);
  flow.set(link.gids[row], parseGid(peer), link.sourcePort);
  writeIcrc(bytes, at + 16, flow.icrcOf(bytes, at, at + 16));
  const index = batch.commit(at + 20, new Uint32Array(parseGid(peer).slice().buffer), 0);
  batch.gidIndex[index] = row;
  batch.trafficClass[index] = trafficClass;
  expect(link.send(batch, 0)).toBe(1);
  return batch;
}

describe('a station on an Ethernet', () => {
  it('resolves its peer, over both versions of IP, and loses nothing meanwhile', () => {
    const { stations, frames, arrived } = cable();
    send(stations[0], 0, '::ffff:10.77.0.2', 7, 0x6a);
    send(stations[0], 1, 'fd77::2', 8);
    send(stations[1], 1, 'fd77::1', 9);
    expect(arrived.map(({ side, psn, row, trafficClass }) => [side, psn, row, trafficClass])).toEqual([
      [1, 7, 0, 0x6a],
      [1, 8, 1, 0],
      [0, 9, 1, 0],
    ]);
    // ARP and its reply, the datagram; solicitation and advertisement, two datagrams, with no question from the peer.
    expect(frames).toHaveLength(7);
    const datagrams = frames.filter(({ length }) => length === 62 || length === 82);
    expect(datagrams.map(verifyIcrc)).toEqual([null, null, null]);
  });

  it('asks again, and gives up in the end', () => {
    const { stations, frames, cut, tick } = cable();
    cut[0] = true;
    send(stations[0], 0, '::ffff:10.77.0.2', 1);
    for (let turn = 0; turn < 8; turn++) tick();
    expect(frames).toHaveLength(5);
    expect(stations[0].counters()).toMatchObject({ link_tx_errors: 1 });
  });

  it('hears nothing that is not for it', () => {
    const { stations, frames, arrived, cut } = cable();
    send(stations[0], 0, '::ffff:10.77.0.2', 1);
    const frame = frames[frames.length - 1];
    cut[0] = true;
    const before = arrived.length;
    const foreign = frame.slice();
    foreign[5] = 0x99;
    stations[1].onFrame(foreign);
    const elsewhere = frame.slice();
    elsewhere[33] = 9;
    stations[1].onFrame(elsewhere);
    expect(arrived).toHaveLength(before);
    stations[1].onFrame(frame);
    expect(arrived).toHaveLength(before + 1);
  });

  it('takes any frame without an exception', () => {
    const { stations, frames, cut } = cable();
    send(stations[0], 0, '::ffff:10.77.0.2', 1);
    send(stations[0], 1, 'fd77::2', 1);
    cut[0] = true;
    const samples = frames.slice();
    fc.assert(
      fc.property(
        fc.nat(samples.length - 1),
        fc.array(fc.tuple(fc.nat(80), fc.nat(255)), { maxLength: 5 }),
        fc.nat(100),
        (sample, flips, length) => {
          const frame = samples[sample].slice(0, length > 60 ? undefined : length);
          for (const [at, value] of flips) frame[at] = value;
          stations[1].onFrame(frame);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

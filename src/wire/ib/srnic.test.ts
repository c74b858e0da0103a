import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ETHERNET_BYTES } from '../ip/ethernet.js';
import { IPV4_BYTES } from '../ip/ipv4.js';
import { UDP_BYTES } from '../ip/udp.js';
import { BTH_BYTES } from './bth.js';
import { ICRC_BYTES } from './icrc.js';
import {
  emitSrnicSend,
  emitSrnicWrite,
  parseSrnicSend,
  parseSrnicWrite,
  SRNIC_SEND_BYTES,
  SRNIC_WRITE_BYTES,
  type SrnicSend,
  SrnicSendView,
  type SrnicWrite,
  SrnicWriteView,
} from './srnic.js';

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

function sendBytes(meaning: SrnicSend): Uint8Array {
  const bytes = new Uint8Array(SRNIC_SEND_BYTES).fill(0xee);
  expect(emitSrnicSend(meaning, bytes, 0)).toBe(SRNIC_SEND_BYTES);
  return bytes;
}

function writeBytes(meaning: SrnicWrite): Uint8Array {
  const bytes = new Uint8Array(SRNIC_WRITE_BYTES).fill(0xee);
  expect(emitSrnicWrite(meaning, bytes, 0)).toBe(SRNIC_WRITE_BYTES);
  return bytes;
}

function parsedSend(bytes: Uint8Array): unknown {
  const view = new SrnicSendView();
  return view.wrap(bytes, 0, bytes.length) ?? parseSrnicSend(view);
}

function parsedWrite(bytes: Uint8Array): unknown {
  const view = new SrnicWriteView();
  return view.wrap(bytes, 0, bytes.length) ?? parseSrnicWrite(view);
}

const bits = (width: number) => fc.integer({ min: 0, max: 2 ** width - 1 });
const sequence = { msn: bits(24), ssn: bits(16), psnOffset: bits(24) };
const WRITE: SrnicWrite = {
  msn: 0x123456,
  ssn: 0x789a,
  psnOffset: 0xbcdef0,
  virtualAddress: 0xffff_7f00_1122_3344n,
  remoteKey: 0x5566_7788,
};

describe("SRNIC's extended headers", () => {
  it('have the sizes and the cost that SRNIC §4.4.1 gives', () => {
    const plain = ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES + BTH_BYTES + ICRC_BYTES;
    expect(plain).toBe(58);
    expect(plain + SRNIC_SEND_BYTES).toBe(66);
    expect(plain + SRNIC_WRITE_BYTES).toBe(78);
    const goodput = (headerBytes: number) => 1024 / (1024 + headerBytes);
    const loss = (headerBytes: number) => 100 * (1 - goodput(headerBytes) / goodput(plain));
    expect(loss(66).toFixed(1)).toBe('0.7');
    expect(loss(78).toFixed(1)).toBe('1.8');
  });

  it('lay out their fields as documented', () => {
    const { msn, ssn, psnOffset } = WRITE;
    expect(hex(sendBytes({ msn, ssn, psnOffset }))).toBe('123456789abcdef0');
    expect(hex(writeBytes(WRITE))).toBe('123456789abcdef0ffff7f001122334455667788');
  });

  it('parse back all that can be built', () => {
    fc.assert(
      fc.property(fc.record(sequence), (meaning) => {
        expect(parsedSend(sendBytes(meaning))).toEqual(meaning);
      }),
    );
    const any = fc.record({
      ...sequence,
      virtualAddress: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      remoteKey: bits(32),
    });
    fc.assert(
      fc.property(any, (meaning) => {
        expect(parsedWrite(writeBytes(meaning))).toEqual(meaning);
      }),
    );
  });

  it('are refused where bytes are missing', () => {
    expect(parsedSend(new Uint8Array(7))).toMatchObject({ header: 'srnic-send', reason: 'truncated' });
    expect(parsedWrite(new Uint8Array(19))).toMatchObject({ header: 'srnic-write', reason: 'truncated' });
  });

  it('throw for what does not fit', () => {
    const bytes = new Uint8Array(20);
    expect(() => emitSrnicSend({ ...WRITE, msn: 2 ** 24 }, bytes, 0)).toThrowError(/srnic-send.msn/);
    expect(() => emitSrnicSend({ ...WRITE, ssn: 2 ** 16 }, bytes, 0)).toThrowError(/srnic-send.ssn/);
    expect(() => emitSrnicWrite({ ...WRITE, psnOffset: -1 }, bytes, 0)).toThrowError(/psnOffset/);
    expect(() => emitSrnicWrite({ ...WRITE, virtualAddress: 2n ** 64n }, bytes, 0)).toThrowError(
      /virtualAddress/,
    );
    expect(() => emitSrnicWrite({ ...WRITE, remoteKey: 2 ** 32 }, bytes, 0)).toThrowError(/remoteKey/);
    expect(() => emitSrnicWrite(WRITE, bytes, 1)).toThrowError(/room/);
  });
});

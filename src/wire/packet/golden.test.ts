import { describe, expect, it } from 'vitest';
import { refusal } from '../bytes/refusal.js';
import type { View } from '../bytes/view.js';
import { AethView, CREDIT_COUNTS, creditCode, emitAeth, parseAeth, RNR_TIMER_NS } from '../ib/aeth.js';
import { AtomicAckEthView, parseAtomicAckEth } from '../ib/atomic-ack-eth.js';
import { AtomicEthView, parseAtomicEth } from '../ib/atomic-eth.js';
import { BthView, emitBth, parseBth } from '../ib/bth.js';
import { CnpView, emitCnp, parseCnp } from '../ib/cnp.js';
import { DethView, parseDeth } from '../ib/deth.js';
import { GrhView, parseGrh } from '../ib/grh.js';
import { IethView, parseIeth } from '../ib/ieth.js';
import { ImmediateView, parseImmediate } from '../ib/immediate.js';
import { parseReth, RethView } from '../ib/reth.js';
import { parseMac } from '../ip/address.js';
import { EthernetView, emitEthernet, parseEthernet } from '../ip/ethernet.js';
import { emitIpv4, Ipv4View, parseIpv4 } from '../ip/ipv4.js';
import { Ipv6View, parseIpv6 } from '../ip/ipv6.js';
import { parseUdp, UdpView } from '../ip/udp.js';
import {
  CNP_FRAME,
  fromHex,
  ROCE_V1_ACK,
  ROCE_V1_WRITE,
  toHex,
  UC_SEND_IPV4_FRAME,
} from './golden.test.data.js';

/** Wraps a view around hexadecimal bytes. */
function over<V extends View>(view: V, hex: string): V {
  const bytes = fromHex(hex);
  expect(view.wrap(bytes, 0, bytes.length)).toBeNull();
  return view;
}

describe('ethernet', () => {
  it('reads a tagged header: priority 5, drop eligible, VLAN 100', () => {
    const hex = '0200000000020200000000018100b0640800';
    const meaning = {
      destination: parseMac('02:00:00:00:00:02'),
      source: parseMac('02:00:00:00:00:01'),
      tag: { priority: 5, dropEligible: true, vlan: 100 },
      etherType: 0x0800,
    };
    expect(parseEthernet(over(new EthernetView(), hex))).toEqual(meaning);
    const bytes = new Uint8Array(18);
    emitEthernet(meaning, bytes, 0);
    expect(toHex(bytes)).toBe(hex);
  });

  it('refuses a second tag, a length instead of a type, and a tag cut off', () => {
    expect(parseEthernet(over(new EthernetView(), '02000000000202000000000181000064810000640800'))).toBe(
      refusal('ethernet', 'unsupported'),
    );
    expect(parseEthernet(over(new EthernetView(), '02000000000202000000000105ff'))).toBe(
      refusal('ethernet', 'bad-field'),
    );
    expect(new EthernetView().wrap(fromHex('0200000000020200000000018100b06408'), 0, 17)).toBe(
      refusal('ethernet', 'truncated'),
    );
  });
});

describe('ipv4', () => {
  // The worked example of Wikipedia's article 'Internet checksum', which ends at 0xb861.
  const HEADER = '4500 0073 0000 4000 4011 b861 c0a80001 c0a800c7';
  const MEANING = {
    version: 4 as const,
    source: 0xc0a80001,
    destination: 0xc0a800c7,
    dscp: 0,
    ecn: 0,
    identification: 0,
    dontFragment: true,
    timeToLive: 64,
    protocol: 17,
    payloadBytes: 0x73 - 20,
  };

  function read(header: string) {
    const bytes = new Uint8Array(200);
    bytes.set(fromHex(header));
    const view = new Ipv4View();
    return view.wrap(bytes, 0, 200) ?? parseIpv4(view);
  }

  it('reads and writes the textbook header', () => {
    expect(read(HEADER)).toEqual(MEANING);
    const bytes = new Uint8Array(20);
    emitIpv4(MEANING, bytes, 0);
    expect(toHex(bytes)).toBe(toHex(fromHex(HEADER)));
  });

  it.each([
    ['bad-checksum', '4500 0073 0000 4000 4011 b862 c0a80001 c0a800c7'],
    ['bad-version', '6500 0073 0000 4000 4011 b861 c0a80001 c0a800c7'],
    ['unsupported', '4600 0073 0000 4000 4011 b761 c0a80001 c0a800c7'],
    ['bad-length', '4400 0073 0000 4000 4011 b961 c0a80001 c0a800c7'],
    ['bad-length', '4500 0013 0000 4000 4011 b8c1 c0a80001 c0a800c7'],
    ['oversized', '4500 00c9 0000 4000 4011 b80b c0a80001 c0a800c7'],
    ['fragmented', '4500 0073 0000 2000 4011 d861 c0a80001 c0a800c7'],
    ['fragmented', '4500 0073 0000 0001 4011 f860 c0a80001 c0a800c7'],
    ['reserved-bits', '4500 0073 0000 8000 4011 7861 c0a80001 c0a800c7'],
  ] as const)('refuses %s: %s', (reason, header) => {
    expect(read(header)).toBe(refusal('ipv4', reason));
  });
});

describe('ipv6', () => {
  const HEADER = '6e21face 0000 11 ff 20220000000000000000000000001023 20230000000000000000000000001024';

  it('reads traffic class and flow label from their shared word', () => {
    expect(parseIpv6(over(new Ipv6View(), HEADER))).toMatchObject({
      dscp: 226 >> 2,
      ecn: 226 & 3,
      flowLabel: 0x1face,
      hopLimit: 255,
      nextHeader: 17,
      payloadBytes: 0,
    });
  });

  it('refuses another version and a payload longer than the window', () => {
    expect(new Ipv6View().wrap(fromHex(HEADER.replace('6e', '5e')), 0, 40)).toBe(
      refusal('ipv6', 'bad-version'),
    );
    expect(new Ipv6View().wrap(fromHex(HEADER.replace('0000 11', '0001 11')), 0, 40)).toBe(
      refusal('ipv6', 'oversized'),
    );
  });
});

describe('udp', () => {
  it('reads the header of the UC SEND', () => {
    const frame = fromHex(UC_SEND_IPV4_FRAME);
    const view = new UdpView();
    expect(view.wrap(frame, 34, frame.length)).toBeNull();
    expect(parseUdp(view)).toEqual({
      sourcePort: 49152,
      destinationPort: 4791,
      payloadBytes: 36,
      checksum: 0xaca2,
    });
  });

  it('sends a sum of zero as ones, and takes a checksum of zero as none', () => {
    const bytes = fromHex('0000 0000 0008 0000');
    const view = new UdpView();
    expect(view.wrap(bytes, 0, 8)).toBeNull();
    // The words add up to 8; a pseudo header of 0xfff7 makes all ones, whose complement is zero.
    view.seal(0xfff7);
    expect(view.checksum).toBe(0xffff);
    expect(view.verify(0xfff7)).toBeNull();
    expect(view.verify(0xfff6)).toBe(refusal('udp', 'bad-checksum'));
    view.checksum = 0;
    expect(view.verify(0xfff6)).toBeNull();
  });

  it('refuses a length below its own header or past the window', () => {
    expect(new UdpView().wrap(fromHex('0000000000070000'), 0, 8)).toBe(refusal('udp', 'bad-length'));
    expect(new UdpView().wrap(fromHex('0000000000090000'), 0, 8)).toBe(refusal('udp', 'oversized'));
  });
});

describe('bth', () => {
  const MEANING = {
    opcode: 0x0a,
    solicitedEvent: false,
    migrationRequest: true,
    padBytes: 3,
    partitionKey: 0xffff,
    fecn: false,
    becn: false,
    destinationQp: 0x10a,
    ackRequest: true,
    psn: 0xa788bc,
  };

  it('reads the BTH of the RoCEv1 WRITE capture', () => {
    const bytes = fromHex(ROCE_V1_WRITE);
    const view = new BthView();
    expect(view.wrap(bytes, 40, bytes.length)).toBeNull();
    expect(parseBth(view)).toEqual(MEANING);
    const written = new Uint8Array(12);
    emitBth(MEANING, written, 0);
    expect(toHex(written)).toBe(toHex(bytes.subarray(40, 52)));
  });

  it('puts each flag at its bit', () => {
    const flags = { solicitedEvent: 0x80_0000, migrationRequest: 0x40_0000, padBytes: 0x30_0000 };
    const clear = { ...MEANING, migrationRequest: false, padBytes: 0, ackRequest: false };
    const bytes = new Uint8Array(12);
    for (const [name, bit] of Object.entries(flags)) {
      emitBth({ ...clear, [name]: name === 'padBytes' ? 3 : true }, bytes, 0);
      expect(bytes[1]).toBe(bit >> 16);
    }
    emitBth({ ...clear, fecn: true }, bytes, 0);
    expect(bytes[4]).toBe(0x80);
    emitBth({ ...clear, becn: true }, bytes, 0);
    expect(bytes[4]).toBe(0x40);
    emitBth({ ...clear, ackRequest: true }, bytes, 0);
    expect(bytes[8]).toBe(0x80);
  });

  it('refuses a transport version and opcodes it does not know, and ignores reserved bits', () => {
    const read = (hex: string) => parseBth(over(new BthView(), hex));
    expect(read('0a71ffff0000010a80a788bc')).toBe(refusal('bth', 'bad-version'));
    expect(read('4070ffff0000010a80a788bc')).toBe(refusal('bth', 'unknown-opcode'));
    expect(read('0a70ffff3f00010affa788bc')).toEqual(MEANING);
  });
});

describe('extended headers', () => {
  it('reads the RETH and AETH of the RoCEv1 captures', () => {
    const write = fromHex(ROCE_V1_WRITE);
    const reth = new RethView();
    expect(reth.wrap(write, 52, 68)).toBeNull();
    expect(parseReth(reth)).toEqual({ virtualAddress: 0x55d4_c072_6000n, remoteKey: 0x47b3, dmaBytes: 5 });
    const ack = fromHex(ROCE_V1_ACK);
    const aeth = new AethView();
    expect(aeth.wrap(ack, 52, 56)).toBeNull();
    expect(parseAeth(aeth)).toEqual({ kind: 'ack', creditCode: 0, msn: 5 });
  });

  it('reads addresses of all 64 bits, whole and as words', () => {
    const reth = new RethView();
    expect(reth.wrap(fromHex('ffff888134567800 00000001 00000002'), 0, 16)).toBeNull();
    expect(reth.virtualAddress).toBe(0xffff_8881_3456_7800n);
    expect([reth.virtualAddressHigh, reth.virtualAddressLow]).toEqual([0xffff_8881, 0x3456_7800]);
    reth.virtualAddressHigh = 0x8000_0000;
    reth.virtualAddressLow = 0xffff_ffff;
    expect(reth.virtualAddress).toBe(0x8000_0000_ffff_ffffn);
    const atomicEth = new AtomicEthView();
    expect(atomicEth.wrap(new Uint8Array(28).fill(0xff), 0, 28)).toBeNull();
    expect(atomicEth.virtualAddress).toBe(2n ** 64n - 1n);
  });

  it('reads the fields of the others at their place', () => {
    expect(parseDeth(over(new DethView(), '80010000 00 000001'))).toEqual({
      queueKey: 0x80010000,
      sourceQp: 1,
    });
    expect(
      parseAtomicEth(
        over(new AtomicEthView(), '0000000000001008 00000007 fffffffffffffffe 0123456789abcdef'),
      ),
    ).toEqual({
      virtualAddress: 0x1008n,
      remoteKey: 7,
      swapOrAdd: 0xffff_ffff_ffff_fffen,
      compare: 0x0123_4567_89ab_cdefn,
    });
    expect(parseAtomicAckEth(over(new AtomicAckEthView(), '8000000000000001'))).toEqual({
      original: 0x8000_0000_0000_0001n,
    });
    expect(parseImmediate(over(new ImmediateView(), 'deadbeef'))).toEqual({ value: 0xdeadbeef });
    expect(parseIeth(over(new IethView(), '00000123'))).toEqual({ remoteKey: 0x123 });
  });
});

describe('aeth', () => {
  it.each([
    ['1f000001', { kind: 'ack', creditCode: 31, msn: 1 }],
    ['2e000002', { kind: 'rnr-nak', timerCode: 14, msn: 2 }],
    ['60000003', { kind: 'nak', code: 0, msn: 3 }],
    ['64ffffff', { kind: 'nak', code: 4, msn: 0xffffff }],
  ] as const)('reads and writes %s', (hex, meaning) => {
    expect(parseAeth(over(new AethView(), hex))).toEqual(meaning);
    const bytes = new Uint8Array(4);
    emitAeth(meaning, bytes, 0);
    expect(toHex(bytes)).toBe(hex);
  });

  it('refuses reserved kinds and codes', () => {
    expect(parseAeth(over(new AethView(), '40000000'))).toBe(refusal('aeth', 'unknown-kind'));
    expect(parseAeth(over(new AethView(), '80000000'))).toBe(refusal('aeth', 'unknown-kind'));
    expect(parseAeth(over(new AethView(), '65000000'))).toBe(refusal('aeth', 'bad-field'));
  });

  it('has the timers and credits of the specification', () => {
    expect(RNR_TIMER_NS).toHaveLength(32);
    expect([0, 1, 12, 14, 25, 31].map((code) => RNR_TIMER_NS[code])).toEqual([
      655_360_000, 10_000, 640_000, 1_280_000, 61_440_000, 491_520_000,
    ]);
    expect(CREDIT_COUNTS).toHaveLength(31);
    expect([0, 5, 30].map((code) => CREDIT_COUNTS[code])).toEqual([0, 6, 32768]);
    expect([0, 5, 7, 8, 40000].map(creditCode)).toEqual([0, 4, 5, 6, 30]);
  });
});

describe('cnp', () => {
  it('reads and writes the CNP of a ConnectX-4 Lx', () => {
    const frame = fromHex(CNP_FRAME);
    const view = new CnpView();
    expect(view.wrap(frame, 42, frame.length - 4)).toBeNull();
    expect(parseCnp(view)).toEqual({ destinationQp: 0x118, partitionKey: 0xffff });
    const bytes = new Uint8Array(28);
    emitCnp({ destinationQp: 0x118, partitionKey: 0xffff }, bytes, 0);
    expect(toHex(bytes)).toBe(toHex(frame.subarray(42, 70)));
  });

  it('refuses another opcode and a missing BECN', () => {
    const frame = fromHex(CNP_FRAME);
    frame[46] = 0;
    const view = new CnpView();
    expect(view.wrap(frame, 42, 70)).toBeNull();
    expect(parseCnp(view)).toBe(refusal('cnp', 'bad-field'));
    frame[42] = 0x04;
    expect(view.wrap(frame, 42, 70)).toBe(refusal('cnp', 'unknown-opcode'));
  });
});

describe('grh', () => {
  it('reads the GRH of the RoCEv1 capture', () => {
    const grh = parseGrh(over(new GrhView(), toHex(fromHex(ROCE_V1_ACK).subarray(0, 40))));
    expect(grh).toMatchObject({
      trafficClass: 2,
      flowLabel: 0,
      payloadBytes: 20,
      nextHeader: 0x1b,
      hopLimit: 64,
    });
    expect(toHex((grh as { sourceGid: Uint8Array }).sourceGid)).toBe('00000000000000000000ffff0f000002');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Refusal, refusal } from '../bytes/refusal.js';
import type { View } from '../bytes/view.js';
import { AETH_BYTES, AethView, emitAeth, parseAeth } from '../ib/aeth.js';
import {
  ATOMIC_ACK_ETH_BYTES,
  AtomicAckEthView,
  emitAtomicAckEth,
  parseAtomicAckEth,
} from '../ib/atomic-ack-eth.js';
import { ATOMIC_ETH_BYTES, AtomicEthView, emitAtomicEth, parseAtomicEth } from '../ib/atomic-eth.js';
import { BTH_BYTES, BthView, emitBth, parseBth } from '../ib/bth.js';
import { CNP_BYTES, CnpView, emitCnp, parseCnp } from '../ib/cnp.js';
import { DETH_BYTES, DethView, emitDeth, parseDeth } from '../ib/deth.js';
import { emitGrh, GRH_BYTES, GrhView, parseGrh } from '../ib/grh.js';
import { emitIeth, IETH_BYTES, IethView, parseIeth } from '../ib/ieth.js';
import { emitImmediate, IMMEDIATE_BYTES, ImmediateView, parseImmediate } from '../ib/immediate.js';
import { emitReth, parseReth, RETH_BYTES, RethView } from '../ib/reth.js';
import { ETHERNET_BYTES, EthernetView, emitEthernet, parseEthernet } from '../ip/ethernet.js';
import { emitIpv4, IPV4_BYTES, Ipv4View, parseIpv4 } from '../ip/ipv4.js';
import { emitIpv6, IPV6_BYTES, Ipv6View, parseIpv6 } from '../ip/ipv6.js';
import { emitUdp, parseUdp, UDP_BYTES, UdpView } from '../ip/udp.js';
import * as arbitrary from '../testing/arbitrary.test.data.js';

const OFFSET = 5;
const ROOM = new Uint8Array(OFFSET + 40 + 0xffff + 3);

/** States for one header that whatever can be emitted parses back, and that one byte less is refused. */
function roundTrip<V extends View, Meaning>(
  name: string,
  smallest: number,
  view: V,
  parse: (view: V) => Meaning | Refusal,
  emit: (meaning: Meaning, bytes: Uint8Array, offset: number) => number,
  meanings: fc.Arbitrary<Meaning>,
  payloadBytes: (meaning: Meaning) => number = () => 0,
): void {
  describe(name, () => {
    it('parses back what was emitted', () => {
      fc.assert(
        fc.property(meanings, fc.nat({ max: 255 }), (meaning, rubbish) => {
          ROOM.fill(rubbish, 0, 80);
          const size = emit(meaning, ROOM, OFFSET);
          expect(size).toBeGreaterThanOrEqual(smallest);
          expect(ROOM[OFFSET - 1]).toBe(rubbish);
          expect(ROOM[OFFSET + size]).toBe(rubbish);
          expect(view.wrap(ROOM, OFFSET, OFFSET + size + payloadBytes(meaning))).toBeNull();
          expect(parse(view)).toEqual(meaning);
        }),
      );
    });

    it('refuses every shorter run of bytes and reads nothing from it', () => {
      const bytes = new Uint8Array(smallest).fill(0xff);
      for (let size = 0; size < smallest; size += 1) {
        expect(view.wrap(bytes, 0, size)).toBe(refusal(name, 'truncated'));
        expect(view.wrap(bytes.subarray(0, size), 0, smallest)).toBe(refusal(name, 'truncated'));
      }
      expect(view.wrap(bytes, -1, smallest - 1)).toBe(refusal(name, 'truncated'));
    });

    it('says where a buffer is too small to write to', () => {
      const [meaning] = fc.sample(meanings, { numRuns: 1, seed: 1 });
      expect(() => emit(meaning, new Uint8Array(smallest - 1), 0)).toThrowError(
        expect.objectContaining({ code: 'WIRE_NO_ROOM' }),
      );
    });
  });
}

const payloadOf = (meaning: { payloadBytes: number }) => meaning.payloadBytes;

roundTrip('ethernet', ETHERNET_BYTES, new EthernetView(), parseEthernet, emitEthernet, arbitrary.ethernet);
roundTrip('ipv4', IPV4_BYTES, new Ipv4View(), parseIpv4, emitIpv4, arbitrary.ipv4, payloadOf);
roundTrip('ipv6', IPV6_BYTES, new Ipv6View(), parseIpv6, emitIpv6, arbitrary.ipv6, payloadOf);
roundTrip('udp', UDP_BYTES, new UdpView(), parseUdp, emitUdp, arbitrary.udp, payloadOf);
roundTrip('bth', BTH_BYTES, new BthView(), parseBth, emitBth, arbitrary.bth);
roundTrip('deth', DETH_BYTES, new DethView(), parseDeth, emitDeth, arbitrary.deth);
roundTrip('reth', RETH_BYTES, new RethView(), parseReth, emitReth, arbitrary.reth);
roundTrip('aeth', AETH_BYTES, new AethView(), parseAeth, emitAeth, arbitrary.aeth);
roundTrip(
  'atomicEth',
  ATOMIC_ETH_BYTES,
  new AtomicEthView(),
  parseAtomicEth,
  emitAtomicEth,
  arbitrary.atomicEth,
);
roundTrip(
  'atomicAckEth',
  ATOMIC_ACK_ETH_BYTES,
  new AtomicAckEthView(),
  parseAtomicAckEth,
  emitAtomicAckEth,
  arbitrary.atomicAckEth,
);
roundTrip(
  'immediate',
  IMMEDIATE_BYTES,
  new ImmediateView(),
  parseImmediate,
  emitImmediate,
  arbitrary.immediate,
);
roundTrip('ieth', IETH_BYTES, new IethView(), parseIeth, emitIeth, arbitrary.ieth);
roundTrip('cnp', CNP_BYTES, new CnpView(), parseCnp, emitCnp, arbitrary.cnp);
roundTrip('grh', GRH_BYTES, new GrhView(), parseGrh, emitGrh, arbitrary.grh);

describe('values that do not fit', () => {
  const room = new Uint8Array(64);
  const deth = { queueKey: 0, sourceQp: 0 };
  const reth = { virtualAddress: 0n, remoteKey: 0, dmaBytes: 0 };
  const cases: readonly [string, () => void][] = [
    ['deth.sourceQp', () => emitDeth({ ...deth, sourceQp: 0x100_0000 }, room, 0)],
    ['deth.queueKey', () => emitDeth({ ...deth, queueKey: -1 }, room, 0)],
    ['reth.virtualAddress', () => emitReth({ ...reth, virtualAddress: 2n ** 64n }, room, 0)],
    ['reth.dmaBytes', () => emitReth({ ...reth, dmaBytes: 1.5 }, room, 0)],
    ['reth.remoteKey', () => emitReth({ ...reth, remoteKey: Number.NaN }, room, 0)],
    ['aeth.code', () => emitAeth({ kind: 'nak', code: 5, msn: 0 }, room, 0)],
    ['aeth.creditCode', () => emitAeth({ kind: 'ack', creditCode: 32, msn: 0 }, room, 0)],
    ['aeth.timerCode', () => emitAeth({ kind: 'rnr-nak', timerCode: 32, msn: 0 }, room, 0)],
    ['atomicAckEth.original', () => emitAtomicAckEth({ original: 2n ** 64n }, room, 0)],
    ['atomicAckEth.original', () => emitAtomicAckEth({ original: -1n }, room, 0)],
    [
      'ethernet.etherType',
      () => emitEthernet({ destination: 0, source: 0, tag: null, etherType: 0x8100 }, room, 0),
    ],
    [
      'ethernet.etherType',
      () => emitEthernet({ destination: 0, source: 0, tag: null, etherType: 0x5ff }, room, 0),
    ],
    [
      'udp.payloadBytes',
      () => emitUdp({ sourcePort: 0, destinationPort: 0, payloadBytes: 65528, checksum: 0 }, room, 0),
    ],
  ];
  it.each(cases)('%s is named', (field, act) => {
    expect(act).toThrowError(expect.objectContaining({ code: 'WIRE_FIELD_OUT_OF_RANGE', field }));
  });
});

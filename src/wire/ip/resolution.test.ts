import { describe, expect, it } from 'vitest';
import { refusal } from '../bytes/refusal.js';
import { fromHex, toHex } from '../packet/golden.test.data.js';
import { formatIpv6Address, parseIpv4Address, parseIpv6Address, parseMac } from './address.js';
import { ArpView, emitArp, parseArp } from './arp.js';
import {
  emitNeighbour,
  multicastMac,
  NEIGHBOUR_BYTES,
  NeighbourView,
  parseNeighbour,
  solicitedNodeAddress,
} from './neighbour.js';

describe('arp', () => {
  // RFC 826's fields in order: Ethernet, IPv4, lengths 6 and 4, request, sender, target.
  const hex = '00010800060400010200000077020a4d00020000000000000a4d0001';
  const meaning = {
    operation: 'request',
    senderMac: parseMac('02:00:00:00:77:02'),
    senderAddress: parseIpv4Address('10.77.0.2'),
    targetMac: 0,
    targetAddress: parseIpv4Address('10.77.0.1'),
  } as const;

  it('reads and writes a request', () => {
    const view = new ArpView();
    expect(view.wrap(fromHex(hex), 0, 28)).toBeNull();
    expect(parseArp(view)).toEqual(meaning);
    const bytes = new Uint8Array(28);
    expect(emitArp(meaning, bytes, 0)).toBe(28);
    expect(toHex(bytes)).toBe(hex);
  });

  it('refuses other networks, other operations and what is cut off', () => {
    const wrap = (text: string) => new ArpView().wrap(fromHex(text), 0, text.length / 2);
    expect(wrap(hex.replace(/^0001/, '0006'))).toBe(refusal('arp', 'unsupported'));
    expect(wrap(hex.replace('06040001', '06040003'))).toBe(refusal('arp', 'unknown-kind'));
    expect(wrap(hex.slice(0, -2))).toBe(refusal('arp', 'truncated'));
  });
});

describe('a neighbour message', () => {
  const message = {
    kind: 'solicitation',
    source: parseIpv6Address('fd77::1'),
    destination: solicitedNodeAddress(parseIpv6Address('fd77::2')),
    target: parseIpv6Address('fd77::2'),
    mac: parseMac('02:00:00:00:77:01'),
  } as const;

  function emitted(): Uint8Array {
    const bytes = new Uint8Array(NEIGHBOUR_BYTES);
    expect(emitNeighbour(message, bytes, 0)).toBe(NEIGHBOUR_BYTES);
    return bytes;
  }

  it('is written with the checksum that the kernel expects', () => {
    // Checked by hand with RFC 1071 over pseudo header and message.
    const bytes = emitted();
    const view = new NeighbourView();
    expect(view.wrap(bytes, 0, bytes.length)).toBeNull();
    expect(parseNeighbour(view)).toEqual(message);
    expect(toHex(bytes.subarray(40, 42))).toBe('8700');
  });

  it('is refused with another hop limit, a wrong checksum or an option of no length', () => {
    const changed = (at: number, value: number) => {
      const bytes = emitted();
      bytes[at] = value;
      return new NeighbourView().wrap(bytes, 0, bytes.length);
    };
    expect(changed(7, 64)).toBe(refusal('neighbour', 'bad-field'));
    expect(changed(60, 1)).toBe(refusal('neighbour', 'bad-checksum'));
    expect(changed(6, 17)).toBe(refusal('neighbour', 'wrong-protocol'));
    const bytes = emitted();
    bytes[65] = 0;
    bytes[42] = 0;
    bytes[43] = 0;
    const view = new NeighbourView();
    // The checksum of the changed message, so that the option is what is wrong.
    const sum = emitted();
    const folded = ((sum[42] << 8) | sum[43]) + 1;
    bytes[42] = folded >>> 8;
    bytes[43] = folded;
    expect(view.wrap(bytes, 0, bytes.length)).toBeNull();
    expect(parseNeighbour(view)).toBe(refusal('neighbour', 'bad-length'));
  });

  it('goes to the group of its target', () => {
    const group = solicitedNodeAddress(parseIpv6Address('fd77::12:3456'));
    expect(formatIpv6Address(group)).toBe('ff02::1:ff12:3456');
    expect(multicastMac(group)).toBe(parseMac('33:33:ff:12:34:56'));
  });
});

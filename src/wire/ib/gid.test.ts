import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusal } from '../bytes/refusal.js';
import {
  formatIpv4Address,
  formatIpv6Address,
  formatMac,
  parseIpv4Address,
  parseIpv6Address,
  parseMac,
} from '../ip/address.js';
import { ipv4, ipv6 } from '../testing/arbitrary.test.data.js';
import {
  formatGid,
  formatGidShort,
  gidFromIpv4,
  gidFromMac,
  gidKind,
  gidToIpv4,
  parseGid,
  sameGid,
} from './gid.js';
import { emitReceivedGrh, parseReceivedGrh } from './grh.js';

const sixteen = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe('addresses', () => {
  it('read what they write', () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 48 - 1 }), (mac) => {
        expect(parseMac(formatMac(mac))).toBe(mac);
      }),
    );
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 32 - 1 }), (ip) => {
        expect(parseIpv4Address(formatIpv4Address(ip))).toBe(ip);
      }),
    );
    fc.assert(
      fc.property(sixteen, (ip) => {
        expect(parseIpv6Address(formatIpv6Address(ip))).toEqual(ip);
      }),
    );
    // Random bytes seldom hold a run of zeros, so masks make them.
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 0, 1), { minLength: 16, maxLength: 16 }), (few) => {
        const ip = Uint8Array.from(few);
        expect(parseIpv6Address(formatIpv6Address(ip))).toEqual(ip);
      }),
    );
  });

  // RFC 5952 §4 and RFC 4291 §2.2.
  it.each([
    ['2001:0db8:0000:0000:0001:0000:0000:0001', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['FE80::1', 'fe80::1'],
    ['1::', '1::'],
    ['::ffff:129.144.52.38', '::ffff:129.144.52.38'],
    ['::13.1.68.3', '::d01:4403'],
  ])('%s is %s', (text, canonical) => {
    expect(formatIpv6Address(parseIpv6Address(text))).toBe(canonical);
  });

  it.each([
    '',
    ':',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1::2::3',
    '12345::',
    'g::',
    '1.2.3.4',
    '1.2.3.4::',
    '::1.2.3.256',
    '1:2:3:4:5:6:7::8',
    ':1:2:3:4:5:6:7',
  ])('refuses %j', (text) => {
    expect(() => parseIpv6Address(text)).toThrowError(expect.objectContaining({ code: 'WIRE_BAD_ADDRESS' }));
  });

  it('refuses other MAC and IPv4 forms', () => {
    for (const text of ['02:00:00:00:00', '02-00-00-00-00-01', '0g:00:00:00:00:01']) {
      expect(() => parseMac(text)).toThrowError(expect.objectContaining({ field: 'mac' }));
    }
    for (const text of ['1.2.3', '1.2.3.256', '1.2.3.4.5', 'a.b.c.d']) {
      expect(() => parseIpv4Address(text)).toThrowError(expect.objectContaining({ field: 'ipv4' }));
    }
  });
});

describe('gid', () => {
  it('maps IPv4 addresses', () => {
    const gid = gidFromIpv4(parseIpv4Address('10.77.0.2'));
    expect(formatGid(gid)).toBe('0000:0000:0000:0000:0000:ffff:0a4d:0002');
    expect(formatGidShort(gid)).toBe('::ffff:10.77.0.2');
    expect(gidToIpv4(gid)).toBe(0x0a4d0002);
    expect(gidKind(gid)).toBe('ipv4-mapped');
    expect(sameGid(parseGid(formatGid(gid)), gid)).toBe(true);
  });

  // RFC 4291 appendix A: 34:56:78:9a:bc:de gives 36-56-78-ff-fe-9a-bc-de.
  it('makes the link-local GID of a MAC address', () => {
    const gid = gidFromMac(parseMac('34:56:78:9a:bc:de'));
    expect(formatGid(gid)).toBe('fe80:0000:0000:0000:3656:78ff:fe9a:bcde');
    expect(gidKind(gid)).toBe('link-local');
    expect(gidToIpv4(gid)).toBeNull();
  });

  it('tells the other kinds apart', () => {
    expect(gidKind(parseGid('::'))).toBe('unset');
    expect(gidKind(parseGid('fd77::2'))).toBe('ipv6');
    expect(sameGid(parseGid('fd77::2'), parseGid('fd77::3'))).toBe(false);
    expect(() => gidKind(new Uint8Array(4))).toThrowError(expect.objectContaining({ field: 'gid' }));
  });
});

describe('the 40 bytes before a UD payload', () => {
  const bytes = new Uint8Array(44);

  it('hold IPv4 in their last half and read back, whatever the first half holds', () => {
    fc.assert(
      fc.property(ipv4, fc.uint8Array({ minLength: 20, maxLength: 20 }), (ip, rubbish) => {
        expect(emitReceivedGrh(ip, bytes, 2)).toBe(40);
        expect(bytes.subarray(2, 22).every((byte) => byte === 0)).toBe(true);
        bytes.set(rubbish, 2);
        expect(parseReceivedGrh(bytes, 2, 42)).toEqual(ip);
      }),
    );
  });

  it('hold IPv6 whole', () => {
    fc.assert(
      fc.property(ipv6, (ip) => {
        emitReceivedGrh(ip, bytes, 2);
        expect(parseReceivedGrh(bytes, 2, 42)).toEqual(ip);
      }),
    );
  });

  it('are refused where they hold neither or are too few', () => {
    expect(parseReceivedGrh(new Uint8Array(40), 0, 40)).toBe(refusal('grh', 'bad-version'));
    expect(parseReceivedGrh(new Uint8Array(40), 0, 39)).toBe(refusal('grh', 'truncated'));
  });
});

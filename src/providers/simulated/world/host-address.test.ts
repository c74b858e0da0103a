import { describe, expect, it } from 'vitest';
import { parseGid } from '../../../wire/index.js';
import { ipv4Of, writeIpv4 } from './host-address.js';

describe('the address of a host', () => {
  it('is valid and its own for as many hosts as a world can have', () => {
    const texts = Array.from({ length: 4096 }, (_, host) => ipv4Of(host));
    expect(new Set(texts).size).toBe(4096);
    expect([texts[0], texts[254], texts[255], texts[4095]]).toEqual([
      '10.0.0.1',
      '10.0.0.255',
      '10.0.1.0',
      '10.0.16.0',
    ]);
    for (const [host, text] of texts.entries()) {
      const header = new Uint8Array(8);
      writeIpv4(header, 2, host);
      expect([...header.subarray(2, 6)]).toEqual([...parseGid(`::ffff:${text}`).subarray(12)]);
    }
  });
});

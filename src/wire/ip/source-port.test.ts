import fc from 'fast-check';
import { expect, it } from 'vitest';
import { roceSourcePort } from './udp.js';

it('gives flows source ports of the dynamic range, the same for both ends', () => {
  const qpn = fc.integer({ min: 0, max: 0xffffff });
  fc.assert(
    fc.property(qpn, qpn, (own, peer) => {
      const port = roceSourcePort(own, peer);
      expect(port).toBeGreaterThanOrEqual(0xc000);
      expect(port).toBeLessThanOrEqual(0xffff);
      expect(roceSourcePort(peer, own)).toBe(port);
    }),
  );
});

it('joins the numbers as Linux does', () => {
  expect(roceSourcePort(0x11, 0x22)).toBe(0xc242);
  // 0xffffff squared is 0xfffffe000001: 0x00001 ^ 0xfffe0 ^ 0xff folds to 0xfff1e, and that to 0x3f1e ^ 0x3f.
  expect(roceSourcePort(0xffffff, 0xffffff)).toBe(0xc000 | 0x3f21);
});

it('spreads queue pairs that were made one after the other', () => {
  const ports = new Set(Array.from({ length: 1000 }, (_, index) => roceSourcePort(17 + index, 17 + index)));
  expect(ports.size).toBeGreaterThan(900);
});

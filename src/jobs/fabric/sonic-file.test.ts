import { describe, expect, it } from 'vitest';
import { AZURE_LISTING } from '../../models/fabric/index.js';
import { readSonicBuffers } from './sonic-file.js';

/** Appendix A of the paper in SONiC's words. */
const listing = {
  BUFFER_POOL: {
    ingress_pool: { size: '18000000', type: 'ingress', mode: 'dynamic', xoff: '6000000' },
    egress_lossy_pool: { size: '14000000', type: 'egress', mode: 'dynamic' },
    egress_lossless_pool: { size: '24000000', type: 'egress', mode: 'static' },
  },
  BUFFER_PROFILE: {
    ingress_lossless_profile: {
      pool: '[BUFFER_POOL|ingress_pool]',
      size: '1248',
      dynamic_th: '-3',
      xoff: '96928',
      xon: '1248',
      xon_offset: '2496',
    },
    egress_lossless_profile: { pool: 'egress_lossless_pool', size: '0', static_th: '24000000' },
    egress_lossy_profile: { pool: 'egress_lossy_pool', size: '1664', dynamic_th: '-1' },
  },
};

function changed(change: (copy: typeof listing) => void): string {
  const copy = structuredClone(listing);
  change(copy);
  return JSON.stringify(copy, null, 2);
}

describe("SONiC's buffer configuration", () => {
  it('is read as the paper has it', () => {
    expect(readSonicBuffers('buffers.json', JSON.stringify(listing))).toEqual(AZURE_LISTING);
  });

  it.each([
    [
      (copy: typeof listing) => (copy.BUFFER_POOL.egress_lossy_pool.size = '19000000'),
      /:10:.*egress_lossy_pool.size: lossy packets/,
    ],
    [
      (copy: typeof listing) => (copy.BUFFER_POOL.ingress_pool.xoff = '7000000'),
      /ingress_pool.size: pool and headroom.*25000000.*24000000/,
    ],
    [(copy: typeof listing) => (copy.BUFFER_PROFILE.ingress_lossless_profile.xoff = 'much'), /xoff/],
    [
      (copy: typeof listing) => Reflect.deleteProperty(copy.BUFFER_PROFILE.ingress_lossless_profile, 'xoff'),
      /lossless profile/,
    ],
    [
      (copy: typeof listing) => Reflect.deleteProperty(copy, 'BUFFER_POOL'),
      /BUFFER_POOL: the field is missing/,
    ],
    [(copy: typeof listing) => (copy.BUFFER_POOL.ingress_pool.type = 'egress'), /type 'ingress'/],
    [
      (copy: typeof listing) => (copy.BUFFER_POOL.egress_lossless_pool.size = '-5'),
      /buffers.json:\d+:\d+: BUFFER_POOL.egress_lossless_pool.size: .*'-5'/,
    ],
    [
      (copy: typeof listing) => (copy.BUFFER_PROFILE.ingress_lossless_profile.xon = '-1'),
      /buffers.json:\d+:\d+: BUFFER_PROFILE.ingress_lossless_profile.xon: .*'-1'/,
    ],
    [
      (copy: typeof listing) => (copy.BUFFER_PROFILE.egress_lossless_profile.pool = 'puddle'),
      /buffers.json:\d+:\d+: BUFFER_PROFILE.egress_lossless_profile.pool: there is no such pool, given 'puddle', allowed: ingress_pool/,
    ],
  ])('is refused with line and field: %#', (change, message) => {
    expect(() => readSonicBuffers('buffers.json', changed(change))).toThrow(
      expect.objectContaining({ code: 'FABRIC_FILE', message: expect.stringMatching(message) }),
    );
  });
});

import { describe, expect, it } from 'vitest';
import { AZURE_LISTING, HEADROOM_DEFAULTS, headroomOf } from '../../models/fabric/index.js';
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
    expect(readSonicBuffers('buffers.json', JSON.stringify(listing), 40e9)).toEqual(AZURE_LISTING);
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
    expect(() => readSonicBuffers('buffers.json', changed(change), 40e9)).toThrow(
      expect.objectContaining({ code: 'FABRIC_FILE', message: expect.stringMatching(message) }),
    );
  });

  it('says what a number may be', () => {
    const text = changed((copy) => (copy.BUFFER_POOL.ingress_pool.size = 'much'));
    expect(() => readSonicBuffers('buffers.json', text, 40e9)).toThrow(
      /BUFFER_POOL.ingress_pool.size: .*'much', allowed: 0 to 999999999999 bytes/,
    );
  });
});

/** A `config_db.json` of a switch with ports of several speeds, as `buffermgrd` leaves it. */
const severalSpeeds = {
  BUFFER_POOL: {
    egress_lossless_pool: { size: '16000000', type: 'egress', mode: 'dynamic' },
    egress_lossy_pool: { size: '9000000', type: 'egress', mode: 'dynamic' },
    ingress_lossless_pool: { size: '11000000', type: 'ingress', mode: 'dynamic', xoff: '4194112' },
  },
  BUFFER_PROFILE: {
    egress_lossless_profile: { pool: 'egress_lossless_pool', size: '1518', dynamic_th: '3' },
    egress_lossy_profile: { pool: 'egress_lossy_pool', size: '1518', dynamic_th: '1' },
    ingress_lossy_profile: { pool: 'ingress_lossless_pool', size: '0', dynamic_th: '3' },
    pg_lossless_40000_300m_profile: {
      ...{ pool: 'ingress_lossless_pool', size: '1248', dynamic_th: '-3' },
      ...{ xoff: '56368', xon: '2288', xon_offset: '2288' },
    },
    pg_lossless_100000_300m_profile: {
      ...{ pool: 'ingress_lossless_pool', size: '1248', dynamic_th: '-3' },
      ...{ xoff: '165888', xon: '2288', xon_offset: '2288' },
    },
  },
};

describe("SONiC's files of switches", () => {
  it.each([
    [40e9, 56_368],
    [100e9, 165_888],
    // Nobody made a profile for it: the one with the most headroom.
    [10e9, 165_888],
  ])('have a lossless profile per speed: %d', (nicBps, xoffBytes) => {
    const read = readSonicBuffers('config_db.json', JSON.stringify(severalSpeeds), nicBps);
    expect(read).toMatchObject({
      bufferBytes: 16_000_000,
      egressLossyPoolBytes: 9_000_000,
      lossyApart: false,
      headroomPoolBytes: 4_194_112,
      lossless: { xoffBytes, sizeBytes: 1248 },
      lossy: { alpha: 2 },
    });
  });

  it('may leave the headroom to cable lengths', () => {
    const { BUFFER_POOL, BUFFER_PROFILE } = severalSpeeds;
    const { egress_lossless_profile, egress_lossy_profile, ingress_lossy_profile } = BUFFER_PROFILE;
    const file = {
      CABLE_LENGTH: { AZURE: { Ethernet0: '5m', Ethernet4: '300m' } },
      BUFFER_POOL,
      BUFFER_PROFILE: { egress_lossless_profile, egress_lossy_profile, ingress_lossy_profile },
    };
    const { lossless } = readSonicBuffers('buffers.json', JSON.stringify(file), 100e9);
    const terms = { ...HEADROOM_DEFAULTS, cellBytes: AZURE_LISTING.cellBytes, gbps: 100, metres: 300 };
    expect(lossless).toEqual({ ...AZURE_LISTING.lossless, xoffBytes: headroomOf(terms)!.xoffBytes });
    // Nobody knows how fast a peer of 37 Gb/s answers.
    expect(() => readSonicBuffers('buffers.json', JSON.stringify(file), 37e9)).toThrow(/lossless profile/);
    file.CABLE_LENGTH.AZURE.Ethernet0 = 'far';
    expect(() => readSonicBuffers('buffers.json', JSON.stringify(file), 100e9)).toThrow(
      /CABLE_LENGTH.AZURE.Ethernet0: .*'far', allowed: a length such as '300m'/,
    );
  });

  it('may reserve headroom per queue, and have a pool for lossy packets alone', () => {
    const file = {
      BUFFER_POOL: {
        egress_lossless_pool: { size: '13000000', type: 'egress', mode: 'dynamic' },
        egress_lossy_pool: { size: '4000000', type: 'egress', mode: 'dynamic' },
        ingress_lossy_pool: { size: '4000000', type: 'ingress', mode: 'dynamic' },
        ingress_lossless_pool: { size: '3000000', type: 'ingress', mode: 'dynamic' },
      },
      BUFFER_PROFILE: {
        egress_lossless_profile: { pool: 'egress_lossless_pool', size: '0', dynamic_th: '7' },
        egress_lossy_profile: { pool: 'egress_lossy_pool', size: '4096', dynamic_th: '7' },
        ingress_lossy_profile: { pool: 'ingress_lossy_pool', size: '0', dynamic_th: '3' },
        pg_lossless_100000_40m_profile: {
          ...{ pool: 'ingress_lossless_pool', size: '54272', dynamic_th: '0' },
          ...{ xoff: '35840', xon: '18432' },
        },
      },
    };
    expect(readSonicBuffers('config_db.json', JSON.stringify(file), 100e9)).toMatchObject({
      ingressPoolBytes: 3_000_000,
      headroomPoolBytes: 6_000_000,
      lossyApart: true,
      lossless: { sizeBytes: 18_432, xoffBytes: 35_840, xonBytes: 18_432, alpha: 1 },
    });
  });
});

import { z } from 'zod';
import { AZURE_LISTING, type SonicBufferOptions } from '../../models/fabric/index.js';
import { type DocumentKind, readWith, SourceDocument } from '../../schema/index.js';

const SONIC: DocumentKind = {
  noun: "SONiC's buffer configuration",
  reference: 'docs/fabric.md',
  codes: {
    syntax: 'FABRIC_FILE',
    unknownField: 'FABRIC_FILE',
    missingField: 'FABRIC_FILE',
    badType: 'FABRIC_FILE',
    outOfRange: 'FABRIC_FILE',
  },
};

/** No switch has more memory: twelve digits. */
const MOST_BYTES = 999_999_999_999;

/** SONiC writes numbers as text. */
const whole = z
  .union([z.int(), z.string().regex(/^-?\d{1,12}$/)])
  .transform(Number)
  .describe('a whole number');
const bytes = z
  .union([z.int().min(0).max(MOST_BYTES), z.string().regex(/^\d{1,12}$/)])
  .transform(Number)
  .describe('a number of bytes');

const pool = z
  .looseObject({ size: bytes, type: z.enum(['ingress', 'egress', 'both']), xoff: bytes.optional() })
  .describe('a pool');
const profile = z
  .looseObject({
    pool: z.string(),
    size: bytes,
    dynamic_th: whole.optional(),
    static_th: bytes.optional(),
    xoff: bytes.optional(),
    xon: bytes.optional(),
    xon_offset: bytes.optional(),
  })
  .describe('a profile');
const schema = z.looseObject({
  BUFFER_POOL: z.record(z.string(), pool),
  BUFFER_PROFILE: z.record(z.string(), profile),
});

/** SAI's codes at and beyond these mean nothing and everything. */
const LEAST_CODE = -8;
const MOST_CODE = 7;
const EVERYTHING = 2 ** 20;

/**
 * Reads SONiC's buffer configuration: `BUFFER_POOL` and `BUFFER_PROFILE` as `sonic-cfggen` writes them. The lossless
 * profile is the one with an `xoff`, the lossy one the one with a dynamic threshold on an egress pool, and all memory is
 * the largest egress pool. What contradicts itself is refused.
 */
export function readSonicBuffers(file: string, text: string): SonicBufferOptions {
  const document = SourceDocument.ofText(text, file, SONIC);
  const { BUFFER_POOL: pools, BUFFER_PROFILE: profiles } = readWith(document, schema);
  const missing = (field: string, allowed: string): never => {
    document.report('FABRIC_FILE', [field], { problem: 'none of these fits', allowed });
    document.throwFaults();
    throw new Error('unreachable: a fault was reported');
  };
  const poolOf = (given: string) => given.replace(/^\[BUFFER_POOL\|(.*)\]$/, '$1');
  for (const [name, { pool: given }] of Object.entries(profiles))
    if (!Object.hasOwn(pools, poolOf(given)))
      document.report('FABRIC_FILE', ['BUFFER_PROFILE', name, 'pool'], {
        problem: 'there is no such pool',
        given,
        allowed: Object.keys(pools).join(', '),
      });
  document.throwFaults();
  const ingress = Object.entries(pools).find(([, { type }]) => type !== 'egress');
  const egress = Object.entries(pools).filter(([, { type }]) => type === 'egress');
  const lossless = Object.entries(profiles).find(([, { xoff }]) => xoff !== undefined);
  const lossy = Object.entries(profiles).find(
    ([, { pool: given, dynamic_th: threshold, xoff }]) =>
      xoff === undefined && threshold !== undefined && egress.some(([name]) => name === poolOf(given)),
  );
  if (ingress === undefined) return missing('BUFFER_POOL', "a pool of type 'ingress'");
  if (egress.length === 0) return missing('BUFFER_POOL', "a pool of type 'egress'");
  if (lossless === undefined) return missing('BUFFER_PROFILE', 'a lossless profile, with xoff');
  if (lossy === undefined) return missing('BUFFER_PROFILE', 'a lossy profile: dynamic_th on an egress pool');
  const [ingressName, ingressPool] = ingress;
  const lossyPoolName = poolOf(lossy[1].pool);
  const lossyPool = pools[lossyPoolName];
  const bufferBytes = Math.max(...egress.map(([, { size }]) => size));
  const headroomPoolBytes = ingressPool.xoff ?? Math.max(0, bufferBytes - ingressPool.size);
  const refuse = (path: string[], problem: string, given: unknown, allowed: string) =>
    document.report('FABRIC_FILE', path, { problem, given, allowed });
  if (lossyPool.size > ingressPool.size)
    refuse(
      ['BUFFER_POOL', lossyPoolName, 'size'],
      'lossy packets could take the headroom',
      lossyPool.size,
      `up to the ingress pool's ${ingressPool.size}`,
    );
  if (ingressPool.size + headroomPoolBytes > bufferBytes)
    refuse(
      ['BUFFER_POOL', ingressName, 'size'],
      'pool and headroom are larger than the memory',
      ingressPool.size + headroomPoolBytes,
      `up to ${bufferBytes}`,
    );
  document.throwFaults();
  const [, given] = lossless;
  return {
    ...AZURE_LISTING,
    bufferBytes,
    ingressPoolBytes: ingressPool.size,
    headroomPoolBytes,
    egressLossyPoolBytes: lossyPool.size,
    lossless: {
      sizeBytes: given.size,
      alpha: alphaOf(given.dynamic_th ?? MOST_CODE),
      xoffBytes: given.xoff!,
      xonBytes: given.xon ?? 0,
      xonOffsetBytes: given.xon_offset ?? 0,
    },
    lossy: { sizeBytes: lossy[1].size, alpha: alphaOf(lossy[1].dynamic_th!) },
  };
}

function alphaOf(code: number): number {
  if (code <= LEAST_CODE) return 0;
  return code >= MOST_CODE ? EVERYTHING : 2 ** code;
}

import { z } from 'zod';
import {
  AZURE_LISTING,
  HEADROOM_DEFAULTS,
  headroomOf,
  type SonicBufferOptions,
} from '../../models/fabric/index.js';
import { type DocumentKind, readWith, SourceDocument, withWords } from '../../schema/index.js';

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
const whole = withWords(
  z.union([z.int(), z.string().regex(/^-?\d{1,12}$/)]).transform(Number),
  'a whole number, also as text',
);
const bytes = withWords(
  z.union([z.int().min(0).max(MOST_BYTES), z.string().regex(/^\d{1,12}$/)]).transform(Number),
  `0 to ${MOST_BYTES} bytes, a whole number, also as text`,
);
const metres = withWords(
  z
    .string()
    .regex(/^\d{1,7}m$/)
    .transform((text) => Number(text.slice(0, -1))),
  "a length such as '300m'",
);

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
  CABLE_LENGTH: z.record(z.string(), z.record(z.string(), metres)).optional(),
});
type Tables = z.infer<typeof schema>;
type Profile = z.infer<typeof profile>;

/** SAI's codes at and beyond these mean nothing and everything. */
const LEAST_CODE = -8;
const MOST_CODE = 7;
const EVERYTHING = 2 ** 20;

/**
 * Reads SONiC's buffer configuration: `BUFFER_POOL` and `BUFFER_PROFILE` as `sonic-cfggen` writes them. The lossless
 * profile is the one with an `xoff` for the speed of the NICs, as `buffermgrd` names them; a file that leaves it to
 * `buffermgrd` has cable lengths instead, and `xoff` is computed from the longest. The lossy profile is the one with a
 * dynamic threshold on an egress pool, and all memory is the largest egress pool. Headroom is shared where the pool of
 * the lossless profile has an `xoff`; else it is a part of each queue's own `size`. What contradicts itself is refused.
 */
export function readSonicBuffers(file: string, text: string, nicBps: number): SonicBufferOptions {
  const document = SourceDocument.ofText(text, file, SONIC);
  const tables = readWith(document, schema);
  const { BUFFER_POOL: pools, BUFFER_PROFILE: profiles } = tables;
  const missing = (field: string, allowed: string): never => {
    document.report('FABRIC_FILE', [field], { problem: 'none of these fits', allowed });
    document.throwFaults();
    throw new Error('unreachable: a fault was reported');
  };
  for (const [name, { pool: given }] of Object.entries(profiles))
    if (!Object.hasOwn(pools, poolOf(given)))
      document.report('FABRIC_FILE', ['BUFFER_PROFILE', name, 'pool'], {
        problem: 'there is no such pool',
        given,
        allowed: Object.keys(pools).join(', '),
      });
  document.throwFaults();
  const egress = Object.entries(pools).filter(([, { type }]) => type === 'egress');
  const lossy = lossyProfile(tables);
  const lossless = losslessProfile(profiles, nicBps);
  const ingress = Object.entries(pools).find(
    ([name, { type }]) => type !== 'egress' && (lossless === null || name === poolOf(lossless.pool)),
  );
  if (ingress === undefined) return missing('BUFFER_POOL', "a pool of type 'ingress'");
  if (egress.length === 0) return missing('BUFFER_POOL', "a pool of type 'egress'");
  const given = lossless === null ? computedLimits(tables, nicBps) : limitsOf(lossless, ingress[1].xoff);
  if (given === null) return missing('BUFFER_PROFILE', 'a lossless profile, with xoff; or CABLE_LENGTH');
  if (lossy === null) return missing('BUFFER_PROFILE', 'a lossy profile: dynamic_th on an egress pool');
  const [ingressName, ingressPool] = ingress;
  const lossyPoolName = poolOf(lossy.pool);
  const lossyPool = pools[lossyPoolName];
  const bufferBytes = Math.max(...egress.map(([, { size }]) => size));
  const lossyIngress = lossyIngressPool(tables, ingressName);
  const pooledBytes = ingressPool.size + (lossyIngress?.size ?? 0);
  const headroomPoolBytes = ingressPool.xoff || Math.max(0, bufferBytes - pooledBytes);
  const refuse = (path: string[], problem: string, value: unknown, allowed: string) =>
    document.report('FABRIC_FILE', path, { problem, given: value, allowed });
  const lossyBytes = (lossyIngress ?? ingressPool).size;
  if (lossyPool.size > lossyBytes)
    refuse(
      ['BUFFER_POOL', lossyPoolName, 'size'],
      'lossy packets could take the headroom',
      lossyPool.size,
      `up to the ingress pool's ${lossyBytes}`,
    );
  if (pooledBytes + headroomPoolBytes > bufferBytes)
    refuse(
      ['BUFFER_POOL', ingressName, 'size'],
      'pool and headroom are larger than the memory',
      pooledBytes + headroomPoolBytes,
      `up to ${bufferBytes}`,
    );
  document.throwFaults();
  return {
    ...AZURE_LISTING,
    bufferBytes,
    ingressPoolBytes: ingressPool.size,
    headroomPoolBytes,
    egressLossyPoolBytes: lossyPool.size,
    lossyApart: lossyIngress !== null,
    lossless: given,
    lossy: { sizeBytes: lossy.size, alpha: alphaOf(lossy.dynamic_th!) },
  };
}

/** The pool that a profile names, also in SONiC's older form. */
function poolOf(given: string): string {
  return given.replace(/^\[BUFFER_POOL\|(.*)\]$/, '$1');
}

/** The profile with headroom for a speed, `pg_lossless_SPEED_LENGTH_profile`; the one with the most if none is. */
function losslessProfile(profiles: Tables['BUFFER_PROFILE'], nicBps: number): Profile | null {
  const all = Object.entries(profiles).filter(([, { xoff }]) => xoff !== undefined);
  const fits = all.filter(([name]) => name.startsWith(`pg_lossless_${nicBps / 1e6}_`));
  const [first] = (fits.length > 0 ? fits : all).sort(([, one], [, other]) => other.xoff! - one.xoff!);
  return first?.[1] ?? null;
}

/** A dynamic threshold on an egress pool; where lossless queues have one, too, the names tell them apart. */
function lossyProfile({ BUFFER_POOL: pools, BUFFER_PROFILE: profiles }: Tables): Profile | null {
  const all = Object.entries(profiles).filter(
    ([, { pool: given, dynamic_th: threshold, xoff }]) =>
      xoff === undefined && threshold !== undefined && pools[poolOf(given)].type === 'egress',
  );
  const named = all.find(([name, { pool: given }]) => /lossy/.test(name) && /lossy/.test(given));
  const other = all.find(([name, { pool: given }]) => !/lossless/.test(name) && !/lossless/.test(given));
  return (named ?? other)?.[1] ?? null;
}

/** The ingress pool that lossy packets have to themselves; null if they share that of the lossless ones. */
function lossyIngressPool({ BUFFER_POOL: pools, BUFFER_PROFILE: profiles }: Tables, lossless: string) {
  const names = Object.values(profiles)
    .filter(({ xoff }) => xoff === undefined)
    .map(({ pool: given }) => poolOf(given));
  const name = names.find((each) => each !== lossless && pools[each].type === 'ingress');
  return name === undefined ? null : pools[name];
}

/** The limits of lossless queues. Without shared headroom their `size` has it in it. */
function limitsOf(
  { size, dynamic_th: threshold = MOST_CODE, xoff = 0, xon = 0, xon_offset: offset = 0 }: Profile,
  sharedBytes: number | undefined,
): SonicBufferOptions['lossless'] {
  const isShared = sharedBytes !== undefined && sharedBytes > 0;
  return {
    sizeBytes: isShared ? size : Math.max(0, size - xoff),
    alpha: alphaOf(threshold),
    xoffBytes: xoff,
    xonBytes: xon,
    xonOffsetBytes: offset,
  };
}

/** The listing's limits with the headroom for the longest cable; null without cables or for a speed that nobody knows. */
function computedLimits(
  { CABLE_LENGTH: cables = {} }: Tables,
  nicBps: number,
): SonicBufferOptions['lossless'] | null {
  const lengths = Object.values(cables).flatMap((ports) => Object.values(ports));
  if (lengths.length === 0) return null;
  const cable = { gbps: nicBps / 1e9, metres: Math.max(...lengths) };
  const found = headroomOf({ ...HEADROOM_DEFAULTS, cellBytes: AZURE_LISTING.cellBytes, ...cable });
  return found === null ? null : { ...AZURE_LISTING.lossless, xoffBytes: found.xoffBytes };
}

function alphaOf(code: number): number {
  if (code <= LEAST_CODE) return 0;
  return code >= MOST_CODE ? EVERYTHING : 2 ** code;
}

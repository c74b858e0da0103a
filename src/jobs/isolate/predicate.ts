import { KelpieError } from '../../error.js';

/** What was measured of a victim, alone and beside an attacker, as whoever judges sees it. */
export interface VictimFacts {
  /** Rates on the wire, headers included, as operators read them from ports. */
  aloneGbps: number;
  gbps: number;
  aloneMessagesPerSecond: number;
  messagesPerSecond: number;
  /** What the scheme promises this victim. */
  guaranteeGbps: number;
  alpha: number;
}

/** Whether a victim has what it was promised. */
export type Predicate = (facts: VictimFacts) => boolean;

/** The bandwidth that a victim must at least have: Husky §4, (1 - alpha) x min(alone, guaranteed). */
export function thresholdGbps({ alpha, aloneGbps, guaranteeGbps }: VictimFacts): number {
  return (1 - alpha) * Math.min(aloneGbps, guaranteeGbps);
}

/** Husky's predicate. */
export const huskyHolds: Predicate = (facts) => facts.gbps >= thresholdGbps(facts);

/** Checks a guarantee: one that can be kept, and broken. */
export function requireGuarantee(gbps: number, lineRateGbps: number | null): number {
  if (gbps > 0 && gbps <= (lineRateGbps ?? Number.POSITIVE_INFINITY)) return gbps;
  throw new KelpieError('BAD_GUARANTEE', 'this guarantee cannot be kept, or cannot be broken', {
    field: 'guaranteeGbps',
    given: gbps,
    allowed: `more than 0${lineRateGbps === null ? '' : ` and at most the line rate, ${lineRateGbps} Gb/s`}`,
  });
}

/** Checks a tolerance. */
export function requireAlpha(alpha: number): number {
  if (alpha >= 0 && alpha < 1) return alpha;
  throw new KelpieError('BAD_ALPHA', 'the tolerance is a share', {
    field: 'alpha',
    given: alpha,
    allowed: 'from 0 to less than 1',
  });
}

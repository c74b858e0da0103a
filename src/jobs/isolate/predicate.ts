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

/** Checks a tolerance. */
export function requireAlpha(alpha: number): number {
  if (alpha >= 0 && alpha < 1) return alpha;
  throw new KelpieError('BAD_ALPHA', 'the tolerance is a share', {
    field: 'alpha',
    given: alpha,
    allowed: 'from 0 to less than 1',
  });
}

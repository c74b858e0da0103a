import { KelpieError } from '../../error.js';
import { huskyHolds, type Predicate, type VictimFacts } from '../../jobs/isolate/index.js';

type Metric = (facts: VictimFacts) => number;

/** What a user's own predicate can speak of. */
const METRICS: Readonly<Record<string, Metric>> = {
  gbps: ({ gbps }) => gbps,
  messagesPerSecond: ({ messagesPerSecond }) => messagesPerSecond,
  share: ({ gbps, aloneGbps }) => (aloneGbps === 0 ? 1 : gbps / aloneGbps),
  messageShare: ({ messagesPerSecond, aloneMessagesPerSecond }) =>
    aloneMessagesPerSecond === 0 ? 1 : messagesPerSecond / aloneMessagesPerSecond,
};
const PATTERN = /^\s*([A-Za-z]+)\s*(>=|>)\s*(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*$/;
const ALLOWED = `METRIC>=NUMBER, several joined by ' and ', with METRIC one of ${Object.keys(METRICS).join(', ')}`;

/**
 * The predicate that decides: Husky's, or the user's own such as `share>=0.8 and messageShare>=0.8` (what Husky's public
 * tool asks for).
 */
export function predicateOf(text: string | undefined): Predicate {
  if (text === undefined) return huskyHolds;
  const parts = text.split(/\s+and\s+/).map((part) => partOf(part, text));
  return (facts) => parts.every((part) => part(facts));
}

function partOf(part: string, given: string): Predicate {
  const found = PATTERN.exec(part);
  const metric = found === null ? undefined : METRICS[found[1]];
  if (found === null || metric === undefined)
    throw new KelpieError('BAD_FLAG', 'not a predicate', { field: '--holds', given, allowed: ALLOWED });
  const bound = Number(found[3]);
  return found[2] === '>' ? (facts) => metric(facts) > bound : (facts) => metric(facts) >= bound;
}

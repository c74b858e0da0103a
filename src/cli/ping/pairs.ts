import type { EvaluatedPair } from '../../jobs/ping/index.js';

/** How much is found of two faults at once. */
export interface PairSummary {
  readonly pairs: number;
  /** Pairs of which each fault is named where it is alone: what the rest counts. */
  readonly named: number;
  readonly bothLinks: number;
  readonly oneLink: number;
  readonly bothCauses: number;
  /** Pairs with a finding at a place where neither is. */
  readonly wrong: number;
}

/** Counts pairs of faults. */
export function summarisePairs(pairs: readonly EvaluatedPair[]): PairSummary {
  const named = pairs.filter(({ faults }) => faults.every(({ alone }) => alone));
  const count = (wanted: (pair: EvaluatedPair) => boolean) => named.filter(wanted).length;
  return {
    pairs: pairs.length,
    named: named.length,
    bothLinks: count(({ faults }) => faults.every(({ link }) => link)),
    oneLink: count(({ faults }) => faults.filter(({ link }) => link).length === 1),
    bothCauses: count(({ faults }) => faults.every(({ cause }) => cause)),
    wrong: count(({ wrong }) => wrong.length > 0),
  };
}

/** Pairs of faults for people, with those of which one is lost. */
export function formatPairs(host: string, seed: number, pairs: readonly EvaluatedPair[]): string {
  const { named, bothLinks, oneLink, bothCauses, wrong } = summarisePairs(pairs);
  const share = (of: number) => `${of} (${((100 * of) / Math.max(1, named)).toFixed(1)} %)`;
  const lost = pairs.filter(
    ({ faults }) => faults.every(({ alone }) => alone) && !faults.every(({ link }) => link),
  );
  return [
    `${pairs.length} pairs of kinds of faults at once on ${host}, seed ${seed}; in ${named} each is named alone\n`,
    `both links named: ${share(bothLinks)}; one: ${share(oneLink)}; none: ${share(named - bothLinks - oneLink)}\n`,
    `both causes named: ${share(bothCauses)}; a finding where neither is: ${share(wrong)}\n`,
    ...lost.slice(0, 20).map(({ faults, wrong: said }) => {
      const [a, b] = faults.map(({ fault, place, link }) => `${fault}@${place}${link ? '' : ' (not named)'}`);
      return `lost: ${a} with ${b}${said.length === 0 ? '' : `, said: ${said.join(', ')}`}\n`;
    }),
    ...(lost.length > 20 ? [`lost: ${lost.length - 20} more\n`] : []),
  ].join('');
}

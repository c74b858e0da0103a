import { PUBLISHED_DCQCN, reactionOf } from '../../../../models/fabric/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must } from '../../check.js';
import type { RowOutcome } from '../../row.js';
import { azureFabric, azureNic, flow, goodputs, LINE_GBPS, MS, rack } from './fabric.js';

/** The NIC that leaks, and its receivers: one that nobody else sends to, one with another sender, one with seven. */
const SENDER = 0;
const RECEIVERS = [1, 2, 3];
const OTHERS = [[4, 2], ...[5, 6, 7, 8, 9, 10, 11].map((source) => [source, 3] as const)] as const;
const HOSTS = 12;
const FOREVER = 1e12;
/** A flow is near a share within this part of it. */
const NEAR = 0.25;
/** What MTU 1024 leaves of the line for payload. */
const PAYLOAD_SHARE = 1024 / 1106;

/** A6: flows of one NIC whose firmware paces them in one line, and each by itself. */
export async function congestionLeaking({ seed }: Bench): Promise<RowOutcome> {
  const pairs = [...RECEIVERS.map((target) => [SENDER, target] as const), ...OTHERS];
  const shares = waterFilling(pairs).map((share) => share * LINE_GBPS * PAYLOAD_SHARE);
  const run = (pacesInLine: boolean) => {
    const flows = pairs.map(([source, target]) => flow(source, target, FOREVER));
    const fabric = azureFabric(rack(HOSTS), flows, seed, {
      nic: { ...azureNic, pacesInLine },
      control: reactionOf(PUBLISHED_DCQCN, 'gen2-fixed'),
    });
    return goodputs(fabric, 40 * MS, 120 * MS).slice(0, RECEIVERS.length);
  };
  const [leaking, fixed] = [run(true), run(false)];
  const own = shares.slice(0, RECEIVERS.length);
  const slowest = Math.min(...own);
  const near = (rate: number, share: number) => Math.abs(rate - share) <= NEAR * share;
  const named = (what: string, rates: readonly number[]) =>
    Object.fromEntries(rates.map((rate, index) => [`${what}, flow ${index + 1}`, figures(rate)]));
  return conclude({ ...named('share', own), ...named('leaking', leaking), ...named('fixed', fixed) }, [
    must(
      leaking.every((rate) => near(rate, slowest)),
      "flows are not near the slowest one's share",
    ),
    must(
      fixed.every((rate, index) => near(rate, own[index])),
      'flows are not near their own shares once fixed',
    ),
  ]);
}

/** The max-min fair shares of flows, of a line, where hosts' links alone are bottlenecks. */
function waterFilling(pairs: readonly (readonly [source: number, target: number])[]): number[] {
  const links = pairs.map(([source, target]) => [`from ${source}`, `to ${target}`]);
  const shares: number[] = pairs.map(() => Number.NaN);
  const free = new Map(links.flat().map((link) => [link, 1]));
  while (shares.some(Number.isNaN)) {
    const waiting = (link: string) =>
      links.flatMap((each, index) => (each.includes(link) && Number.isNaN(shares[index]) ? [index] : []));
    const fairOf = (link: string) => free.get(link)! / waiting(link).length;
    const tight = [...free.keys()]
      .filter((link) => waiting(link).length > 0)
      .reduce((least, link) => (fairOf(link) < fairOf(least) ? link : least));
    const fair = fairOf(tight);
    for (const index of waiting(tight)) {
      shares[index] = fair;
      for (const link of links[index]) free.set(link, free.get(link)! - fair);
    }
  }
  return shares;
}

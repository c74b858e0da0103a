import type { Findings } from './findings.js';
import { type LimitingPart, percent } from './limiting-parts.js';
import { BUSY_SHARE, LOSS_SHARE, type RouteFacts, UNHINDERED, type VerdictFacts } from './verdict.js';

/** Waiting for receives or for something to send, for longer than this, is the workload's doing. */
const IDLE_SHARE = 0.1;

/** What the workload itself holds back. */
export function workloadParts({ rigs }: Findings, { hosts, routes }: VerdictFacts): LimitingPart[] {
  const pingPong = rigs.every(({ tenant }) => tenant.mode === 'pingPong');
  return routes.flatMap(({ from, to, generator }): LimitingPart[] => {
    const part = { kind: 'workload' as const, name: `the workload, ${from} to ${to}`, at: null };
    const held = hosts.find(({ name }) => name === to)?.heldShare ?? 0;
    if (held > IDLE_SHARE) {
      const evidence = `messages find no receive posted at ${to}, and the first of them holds all others ${percent(held)} of the time`;
      return [{ ...part, share: Math.min(1, held), evidence }];
    }
    if (pingPong) return [{ ...part, share: 1, evidence: 'it sends one message at a time' }];
    if (generator.rateLimited) return [{ ...part, share: 1, evidence: 'it limits its own rate' }];
    if (generator.busyShare >= BUSY_SHARE) return [];
    const { residence } = generator;
    if (generator.idleShare <= IDLE_SHARE && residence <= UNHINDERED) {
      const evidence = `its requests take ${residence.toFixed(1)} times as long as the quickest of them: too few are in flight`;
      return [{ ...part, share: Math.min(1, 1 / residence), evidence }];
    }
    if (generator.idleShare <= IDLE_SHARE) return [];
    const waits = generator.receiveWaitShare > IDLE_SHARE * generator.idleShare;
    const evidence = waits
      ? `messages reach host ${to} before a receive is posted; its send queues wait ${percent(generator.receiveWaitShare)} of the time to send them again`
      : `its send queues are empty ${percent(generator.idleShare)} of the time: too few requests are in flight`;
    return [{ ...part, share: generator.idleShare, evidence }];
  });
}

/** What packets that were lost on the way hold back. */
export function lossParts({ rigs, after }: Findings, routes: readonly RouteFacts[]): LimitingPart[] {
  const timeoutNs = 4096 * 2 ** Math.max(...rigs.map(({ tenant }) => tenant.timeout));
  return routes.flatMap(({ from, to, losses, generator }): LimitingPart[] => {
    if (losses === null) return [];
    const { lostShare: lost, uselessShare, waitShare } = losses;
    const share = Math.max(uselessShare, waitShare);
    if (share < LOSS_SHARE || generator.receiveWaitShare > waitShare / 2) return [];
    const cost =
      uselessShare > waitShare
        ? `${percent(uselessShare)} of what arrives is of no use, out of order or there already`
        : `requests spend ${percent(waitShare)} of their time waiting for them to be sent again${timeoutNs > after.timeNs ? `: the timeout is ${ms(timeoutNs)}, the run took ${ms(after.timeNs)}` : ''}`;
    const name = `packets lost between ${from} and ${to}`;
    return [{ kind: 'loss', name, at: null, share, evidence: `${percent(lost)} of what was sent; ${cost}` }];
  });
}

function ms(timeNs: number): string {
  return `${(timeNs / 1e6).toFixed(1)} ms`;
}

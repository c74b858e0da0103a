import { KelpieError } from '../../error.js';
import type { FaultDescription } from '../../profiles/index.js';
import type { Plan } from './plan.js';

/** Service traffic between the port of an RNIC and the nearest memory, as the load that it is on the links between them. */
export function serviceOf(plan: Plan, rnic: string, trafficGbps: number): FaultDescription[] {
  const ways = plan.paths.filter((path) => path.rnic === rnic && path.endpointKind === 'memory');
  const way = ways.reduce((least, path) => (path.links.length < least.links.length ? path : least));
  return way.links.map((link) => {
    const { name, gbps } = plan.links[link];
    return { at: `h0/${name}`, load: Math.min(0.99, trafficGbps / gbps) };
  });
}

/** Reads `RNIC=SHARE`, such as `rnic0=0.6`: a share of the rate of its port. */
export function parseService(text: string, plan: Plan, portGbps: number): FaultDescription[] {
  const [, rnic, share] = /^([a-z0-9-]+)=(0?\.\d+|1|0)$/.exec(text) ?? [];
  if (rnic !== undefined && plan.rnics.includes(rnic)) return serviceOf(plan, rnic, Number(share) * portGbps);
  throw new KelpieError('BAD_FLAG', 'no such service traffic on this host', {
    field: '--load',
    given: text,
    allowed: `RNIC=SHARE, a share from 0 to 1 of the port's rate, with one of ${plan.rnics.join(', ')}`,
  });
}

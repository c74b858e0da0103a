import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findProfile, resolveHost } from '../../../profiles/index.js';
import { type Plan, planOf } from '../plan.js';
import type { Reading } from '../reading.js';
import { type Baseline, statusesOf } from '../status.js';
import { classOf, equivalenceClasses } from './localisation.js';
import { localiseBinary } from './localise-binary.js';
import { localiseCapacity } from './localise-capacity.js';

const plan = planOf(resolveHost(findProfile('host', 'hostping')));

/** What the notes give for D1 and memory, D3 and D4. */
function baselineFor({ paths }: Plan): Baseline {
  return {
    source: 'the test',
    paths: paths.map(({ endpointKind, throughRoot, crossesSockets }) => ({
      gbps: endpointKind === 'memory' || !throughRoot ? 210 : crossesSockets ? 116.4 : 125.5,
      latencyNs: endpointKind === 'memory' ? 2000 : throughRoot ? 2400 : 1000,
    })),
  };
}

/** Readings with some links capped. */
function capped(of: Plan, baseline: Baseline, caps: ReadonlyMap<number, number>): Reading[] {
  return of.paths.map(({ links }, path) => ({
    gbps: Math.min(
      baseline.paths[path].gbps,
      ...links.map((link) => caps.get(link) ?? Number.POSITIVE_INFINITY),
    ),
    latencyNs: baseline.paths[path].latencyNs,
    gbpsDeviation: 0,
    latencyDeviationNs: 0,
    samples: 11,
  }));
}

describe('the plan of the Hostping server', () => {
  it('has 40 paths over 19 links, 16 of them affinitive', () => {
    const baseline = baselineFor(plan);
    expect(plan.links).toHaveLength(19);
    expect(plan.paths).toHaveLength(40);
    const statuses = statusesOf(plan, capped(plan, baseline, new Map()), baseline);
    expect(statuses.filter(({ affinitive }) => affinitive)).toHaveLength(16);
    expect(statuses.every(({ state }) => state === 'normal')).toBe(true);
  });

  it('names its links by place', () => {
    const places = new Map(plan.links.map(({ name, place }) => [name, place]));
    expect(places.get('switch0-up')).toBe('root-port');
    expect(places.get('rnic0-up')).toBe('rnic');
    expect(places.get('gpu7-up')).toBe('gpu');
    expect(places.get('memory1-up')).toBe('memory');
    expect(places.get('socket0-socket1')).toBe('inter-socket');
  });
});

describe('both localisers', () => {
  const baseline = baselineFor(plan);

  it.each(plan.links.map(({ name }, link) => [name, link] as const))(
    'name %s alone at 100 Gb/s',
    (_, link) => {
      const readings = capped(plan, baseline, new Map([[link, 100]]));
      const statuses = statusesOf(plan, readings, baseline);
      expect(localiseBinary(plan, statuses).suspects.map(({ links }) => links)).toEqual([[link]]);
      const [suspect, ...others] = localiseCapacity(plan, statuses, readings, baseline).suspects;
      expect(others).toEqual([]);
      expect(suspect.links).toEqual([link]);
      expect(suspect.capacityGbps).toBe(100);
    },
  );

  it('see nothing in a link that is still faster than one RNIC', () => {
    const upi = plan.links.findIndex(({ place }) => place === 'inter-socket');
    const readings = capped(plan, baseline, new Map([[upi, 269]]));
    const statuses = statusesOf(plan, readings, baseline);
    expect(localiseBinary(plan, statuses).suspects).toEqual([]);
    expect(localiseCapacity(plan, statuses, readings, baseline).suspects).toEqual([]);
  });

  it('answer the same whatever the order of paths, and only ever accuse links of abnormal paths', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(plan.links.length - 1), { minLength: 1, maxLength: 2 }),
        fc.shuffledSubarray(
          plan.paths.map((_, path) => path),
          { minLength: plan.paths.length },
        ),
        (bad, order) => {
          const shuffled: Plan = { ...plan, paths: order.map((path) => plan.paths[path]) };
          const normal = baselineFor(shuffled);
          const readings = capped(shuffled, normal, new Map(bad.map((link) => [link, 60])));
          const statuses = statusesOf(shuffled, readings, normal);
          const straight = statusesOf(
            plan,
            capped(plan, baseline, new Map(bad.map((link) => [link, 60]))),
            baseline,
          );
          const names = (of: { links: readonly number[] }[]) => of.map(({ links }) => links.join()).sort();
          const binary = localiseBinary(shuffled, statuses);
          expect(names([...binary.suspects])).toEqual(names([...localiseBinary(plan, straight).suspects]));
          const accusable = new Set(
            shuffled.paths.flatMap(({ links }, path) => (statuses[path].state === 'abnormal' ? links : [])),
          );
          for (const { links } of binary.suspects)
            expect(links.some((link) => accusable.has(link))).toBe(true);
          // Whatever else is accused, capacity never leaves a link out that was slowed and can be seen.
          const found = new Set(
            localiseCapacity(shuffled, statuses, readings, normal).suspects.flatMap(({ links }) => links),
          );
          for (const link of bad) expect(found.has(link)).toBe(true);
        },
      ),
      { seed: 7, numRuns: 60 },
    );
  });

  it('turn a path that contradicts its neighbours gray', () => {
    const readings = capped(plan, baseline, new Map());
    const path = plan.paths.findIndex(({ rnic, endpoint }) => rnic === 'rnic0' && endpoint === 'gpu4');
    readings[path] = { ...readings[path], gbps: 50 };
    const statuses = statusesOf(plan, readings, baseline);
    const binary = localiseBinary(plan, statuses);
    expect(binary.suspects).toEqual([]);
    expect(binary.gray).toEqual([...plan.paths[path].links].sort((a, b) => a - b));
    expect(localiseCapacity(plan, statuses, readings, baseline).unexplained).toEqual([path]);
  });
});

describe('one slow link on every type of server', () => {
  // Expectations were derived before there was code: links, exact by each localiser (the class counts as one answer).
  it.each([
    ['hostping', 100, 19, 19, 19],
    ['hostping-cascaded', 100, 27, 15, 19],
    ['hgx', 100, 23, 23, 23],
    // The listing itself gives 8; asking first for what an RNIC's affinitive paths have in common gives the ninth.
    ['two-socket', 100, 9, 9, 9],
    ['epyc-nps4', 100, 6, 6, 6],
    ['single-rnic', 50, 4, 2, 2],
  ])('%s', (name, capGbps, links, binaryExact, capacityExact) => {
    const host = planOf(resolveHost(findProfile('host', name)));
    const expected = baselineFor(host);
    expect(host.links).toHaveLength(links);
    const counts = { binary: 0, capacity: 0, inClass: 0 };
    const classes = equivalenceClasses(host);
    for (let link = 0; link < links; link++) {
      const readings = capped(host, expected, new Map([[link, capGbps]]));
      const statuses = statusesOf(host, readings, expected);
      const exact = (found: readonly { links: readonly number[] }[], answer: readonly number[]) =>
        found.length === 1 && found[0].links.join() === answer.join();
      const binary = localiseBinary(host, statuses).suspects;
      const capacity = localiseCapacity(host, statuses, readings, expected).suspects;
      if (exact(binary, [link])) counts.binary++;
      if (exact(capacity, [link])) counts.capacity++;
      if (exact(capacity, classOf(classes, link))) counts.inClass++;
    }
    expect(counts).toEqual({ binary: binaryExact, capacity: capacityExact, inClass: links });
  });
});

describe('equivalence classes', () => {
  it('keep links together that every path crosses together', () => {
    const classes = equivalenceClasses(plan);
    expect(classes.every((members) => members.length === 1)).toBe(true);
    const one = equivalenceClasses(plan, (path) => plan.paths[path].rnic === 'rnic0');
    const upi = plan.links.findIndex(({ place }) => place === 'inter-socket');
    expect(classOf(one, upi).map((link) => plan.links[link].name)).toEqual(['socket0-socket1']);
    const gpus = plan.links.findIndex(({ name }) => name === 'switch1-up');
    expect(classOf(one, gpus)).toHaveLength(1);
  });
});

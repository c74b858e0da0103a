import { expect, it } from 'vitest';
import { changed, referenceRun } from '../testing/runs.js';
import { Checker } from '../../../engine/checker.js';
import { Random } from '../../../engine/random.js';
import { Fabric } from '../core/fabric.js';
import { checkSettled } from '../core/settle.js';
import { completionReport } from '../report/slowdown.js';
import { poisson } from '../workload/patterns.js';
import { publishedDistribution } from '../workload/published-distributions.js';

// Goal: with random numbers of our own the fat tree answers as with ns-3's: mean completion time within 2 %, slowdown
// p50, p95 and p99 within 1, 5 and 10 %, each the mean of five seeds.
it('own random numbers give the same distribution as those of ns-3', () => {
  const run = referenceRun('g92-dcqcn');
  const { topology } = run.spec;
  const hosts = [...topology.isSwitch.keys()].filter((node) => topology.isSwitch[node] === 0);
  const sizes = publishedDistribution('websearch')!;
  const flows = poisson(
    {
      hosts,
      sizes,
      load: 0.3,
      hostBps: 100e9,
      startNs: 0,
      durationNs: 1_000_000,
      trafficClass: 3,
      dport: 100,
    },
    new Random(1),
  );
  const answer = (rng: 'ns3' | 'own', seed: number) => {
    const checker = new Checker();
    const fabric = new Fabric(changed(run, { flows, rng, seed, checker }).spec);
    fabric.run(1e10);
    checkSettled(fabric, checker);
    const { completionNs, slowdown } = completionReport(fabric);
    return [completionNs!.mean, slowdown!.p50!, slowdown!.p95!, slowdown!.p99!];
  };
  const theirs = answer('ns3', 1);
  const ours = [1, 2, 3, 4, 5].map((seed) => answer('own', seed));
  const mean = theirs.map((_, index) => ours.reduce((sum, each) => sum + each[index], 0) / ours.length);
  for (const [index, allowed] of [0.02, 0.01, 0.05, 0.1].entries())
    expect(Math.abs(mean[index] / theirs[index] - 1), `${theirs} ${mean}`).toBeLessThan(allowed);
  // Seeds are seeds: they differ.
  expect(new Set(ours.map(([each]) => each)).size).toBe(5);
}, 240_000);

import { logLinear, SizeDistribution } from './size-distribution.js';

/**
 * Flow sizes as published, in the points of HPCC's traffic generator: a web search cluster (Alizadeh et al., DCTCP,
 * SIGCOMM 2010), Facebook's Hadoop (Roy et al., SIGCOMM 2015) and Alibaba's storage of 2019 (HPCC's repository). Of
 * Facebook's cache followers SRNIC (NSDI 2023, §6.3) gives three shares; the ends, 1 KB and 4 MB, are chosen so that the
 * mean is about the 0.7 MB that is usual for it, and sizes lie evenly over their logarithm in between.
 */
const POINTS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  websearch: [
    [0, 0],
    [10_000, 15],
    [20_000, 20],
    [30_000, 30],
    [50_000, 40],
    [80_000, 53],
    [200_000, 60],
    [1_000_000, 70],
    [2_000_000, 80],
    [5_000_000, 90],
    [10_000_000, 97],
    [30_000_000, 100],
  ],
  'fb-hadoop': [
    [0, 0],
    [100, 1],
    [200, 2],
    [300, 5],
    [350, 15],
    [400, 20],
    [500, 30],
    [600, 40],
    [700, 50],
    [1000, 60],
    [2000, 67],
    [7000, 70],
    [30_000, 72],
    [50_000, 82],
    [80_000, 87],
    [120_000, 90],
    [300_000, 95],
    [1_000_000, 97.5],
    [2_000_000, 99],
    [10_000_000, 100],
  ],
  'ali-storage': [
    [0, 0],
    [4000, 22.93],
    [8000, 69.21],
    [16_000, 80.61],
    [32_000, 90.47],
    [64_000, 93.53],
    [128_000, 96.77],
    [256_000, 97.53],
    [2_000_000, 100],
  ],
  'cache-follower': logLinear([
    [1000, 0],
    [100_000, 53],
    [1_000_000, 71],
    [4_000_000, 100],
  ]),
};

/** The names of the published distributions. */
export const distributionNames: readonly string[] = Object.keys(POINTS);

/** A published distribution by name; undefined if there is none. */
export function publishedDistribution(name: string): SizeDistribution | undefined {
  const points = POINTS[name];
  return points === undefined ? undefined : new SizeDistribution(points);
}

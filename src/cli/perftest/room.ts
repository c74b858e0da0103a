import { constants } from 'node:buffer';
import { KelpieError } from '../../error.js';
import { memoryLimits } from '../../node/index.js';
import { SOFTWARE_LIMITS } from '../../providers/software/index.js';
import type { PerftestKind } from './flags.js';

/** What one side of a test asks of this machine. */
interface Asked {
  qps: number;
  txDepth: number;
  rxDepth: number;
  sizes: readonly number[];
  /** Messages of each queue pair; undefined where the test lasts for a time. */
  iterations: number | undefined;
}

/** A latency in a list that grows by half, and once more where they are sorted. */
const BYTES_PER_LATENCY = 8 * 1.5 + 8;

/** Refuses, before anybody is waited for, a test that no software device has room for. */
export function requireRoom(kind: PerftestKind, { qps, txDepth, rxDepth, sizes, iterations }: Asked): void {
  const { maxQp, maxQpWr, maxCqe } = SOFTWARE_LIMITS;
  const check = (field: string, given: number, most: number) => {
    if (given <= most) return;
    throw new KelpieError('BAD_FLAG', 'a software device has no room for this', {
      ...{ field, given, allowed: `up to ${most}` },
    });
  };
  check('--qp', qps, maxQp);
  // All queue pairs share one queue of completions in each direction.
  const depth = Math.min(maxQpWr, Math.floor((maxCqe - 1) / qps));
  check('--tx-depth', txDepth, depth);
  check('--rx-depth', rxDepth, depth);
  const { heapBytes, totalBytes } = memoryLimits();
  const fits = (what: string, given: number, most: number) => {
    if (given <= most) return;
    const [about, upTo] = [given, most].map((bytes) => `${(bytes / 1e9).toPrecision(3)} GB`);
    throw new KelpieError('NOT_ENOUGH_MEMORY', `the ${what} of this test do not fit into memory`, {
      ...{ field: what, given: `about ${about}`, allowed: `up to ${upTo}` },
    });
  };
  fits('messages', 2 * qps * Math.max(...sizes), Math.min(totalBytes, constants.MAX_LENGTH));
  if (kind === 'lat' && iterations !== undefined)
    fits('latencies', BYTES_PER_LATENCY * iterations, heapBytes);
}

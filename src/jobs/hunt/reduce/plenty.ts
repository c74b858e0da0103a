import { DEEP_QUEUE } from '../space/reference.js';
import type { NumberName } from '../space/space.js';

/** Amounts that make up for each other, each with what is plenty of it and not too dear to set up. */
export const PLENTY = {
  qps: 512,
  sge: 4,
  batch: 64,
  queueDepth: DEEP_QUEUE,
  mrs: 1024,
} as const satisfies Partial<Record<NumberName, number>>;

/** Their names. */
export const TRADED = Object.keys(PLENTY) as (keyof typeof PLENTY)[];

import { freemem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { MemoryLimits } from '../workload/index.js';

/** Parts of what there is that a run may take: the rest is for what collections leave behind and for other programs. */
const HEAP_SHARE = 0.8;
const MACHINE_SHARE = 0.9;

/**
 * What this process may still take of its heap and of the machine or container that it runs in.
 *
 * @example
 * await runWorkload(workload, testbed, { memory: memoryLimits() });
 */
export function memoryLimits(): MemoryLimits {
  const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
  return {
    heapBytes: Math.max(0, HEAP_SHARE * limit - used),
    totalBytes: MACHINE_SHARE * (process.availableMemory?.() ?? freemem()),
  };
}

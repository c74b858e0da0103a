import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { SimulatedProvider } from '../provider.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes that are in use, on the heap and in array buffers. */
function bytesInUse(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

const world = (count: number) =>
  new SimulatedProvider({ world: { hosts: [{ count, subsystem: 'collie-f' }] } }).world;

describe('hosts that do nothing', () => {
  it('cost less than 45 kB each: 2,048 of them and the runtime fit into 200 MB', () => {
    const kept = [world(64)];
    const before = bytesInUse();
    kept.push(world(512));
    const bytes = bytesInUse() - before;
    expect(kept.map(({ devices }) => devices.length)).toEqual([64, 512]);
    expect(bytes / 512).toBeLessThan(45_000);
  });

  it('have no events to come', () => {
    expect(world(64).simulation.pending).toBe(0);
  });
});

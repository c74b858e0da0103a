import { describe, expect, it, vi } from 'vitest';
import type { DmaPath } from '../../../models/index.js';
import { findProfile, resolveSubsystem } from '../../../profiles/index.js';
import { ContractBench } from '../../../verbs/contract/kit/bench.js';
import { SimulatedProvider } from '../provider.js';
import { checkDrained } from '../testing/conservation.js';

const FAR = 'gpu0';

async function makeBench(constants: Record<string, number> = {}) {
  const subsystem = resolveSubsystem(findProfile('subsystem', 'collie-f'));
  const device = { ...subsystem.device, constants: { ...subsystem.device.constants, ...constants } };
  const provider = new SimulatedProvider({ subsystem: { ...subsystem, device } });
  const [left, right] = await Promise.all([provider.open('sim0'), provider.open('sim1')]);
  const bench = new ContractBench({ left, right, lossless: true, close: async () => undefined }, 1e9);
  const [{ nic, host }] = provider.world.devices;
  const far = host.path(provider.subsystem.placement.rnic, FAR);
  return { bench, world: provider.world, nic, far };
}

/** How often the device used each path in one of the ways. */
function uses(calls: readonly (readonly unknown[])[], path: DmaPath): number {
  return calls.filter((call) => call[2] === path).length;
}

describe('a send queue', () => {
  it('is read from where it lies, and takes as much longer as the way there is longer', async () => {
    const elapsed = async (placement: string | undefined) => {
      const { bench, world, nic, far } = await makeBench();
      const { a, b } = bench.pair({ a: { placement: { sendQueue: placement } } });
      // Two requests in a post, which a doorbell does not bring along; warm before it is timed.
      const write = { opcode: 'RDMA_WRITE' as const, sgList: a.at(0, 1024), ...b.target(0) };
      const timed = async () => {
        const begin = bench.left.clock.nowNs;
        a.qp.postSend([
          { ...write, wrId: 0 },
          { ...write, wrId: 1, signaled: true },
        ]);
        const [{ timestampNs }] = await bench.succeed(a.sendCq, 1);
        return Math.round((timestampNs - begin) * 1000);
      };
      await timed();
      const elapsedPs = await timed();
      expect(checkDrained(world)).toBeGreaterThan(0);
      return { elapsedPs, extraPs: far.readLatencyPs - nic.queuePath.readLatencyPs };
    };
    const near = await elapsed(undefined);
    const far = await elapsed(FAR);
    expect(far.extraPs).not.toBe(0);
    expect(far.elapsedPs - near.elapsedPs).toBe(far.extraPs);
  });
});

describe('a receive queue', () => {
  it('is read from where it lies when a receive is no longer on chip', async () => {
    // More is posted than the cache of posted receives holds: some of the first are gone when they are needed.
    const { bench, world, nic, far } = await makeBench({ receiveWqeCacheBytes: 1024 });
    const sends = 32;
    const { a, b } = bench.pair({ a: { placement: { receiveQueue: FAR }, cap: { maxRecvWr: sends } } });
    const read = vi.spyOn(nic.pcie, 'read');
    for (let wrId = 0; wrId < sends; wrId++) a.qp.postRecv({ wrId });
    for (let wrId = 0; wrId < sends; wrId++) b.qp.postSend({ opcode: 'SEND', wrId, signaled: true });
    await bench.completions(a.recvCq, sends);
    const misses = bench.left.counters()['receive_wqe_cache_miss'];
    expect(misses).toBeGreaterThan(0);
    expect(uses(read.mock.calls, far)).toBeGreaterThanOrEqual(misses);
    expect(checkDrained(world)).toBeGreaterThan(0);
  });
});

describe('a completion queue', () => {
  it('is written to where it lies', async () => {
    const { bench, world, nic, far } = await makeBench();
    const sendCq = bench.cq(bench.left, { placement: FAR });
    const { a, b } = bench.pair({ a: { sendCq } });
    const write = vi.spyOn(nic.pcie, 'write');
    // One by one: completions that find the bus busy would go together.
    for (let wrId = 0; wrId < 5; wrId++) {
      a.qp.postSend({ opcode: 'RDMA_WRITE', wrId, sgList: a.at(0, 64), ...b.target(0), signaled: true });
      await bench.succeed(sendCq, wrId);
    }
    expect(write.mock.calls).toHaveLength(5);
    expect(uses(write.mock.calls, far)).toBe(5);
    expect(checkDrained(world)).toBeGreaterThan(0);
  });
});

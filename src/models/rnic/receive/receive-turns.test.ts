import { describe, expect, it } from 'vitest';
import type { FabricPackets } from '../../fabric/fabric-packets.js';
import type { NicQueuePair } from '../queue-pair/nic-queue-pair.js';
import type { TenantShares } from '../tenants/tenant-shares.js';
import { ReceiveDescriptors } from './receive-descriptors.js';
import { Stage } from './receive-stage.js';
import { ReceiveTurns } from './receive-turns.js';

// Goal: who comes next, and who gets a descriptor, with tenants told apart and without.
// Method: the parts of a device that these two look at; packets 100 and up are of tenant 1, the others of tenant 0.

function sharesOf(kept: boolean): TenantShares {
  const shares = {
    kept,
    count: kept ? 2 : 1,
    weightOf: () => 1,
    partOf: (_: number, whole: number) => whole / 2,
    heard() {},
  };
  return shares as unknown as TenantShares;
}

const router = { findQueuePair: (packet: number) => ({ tenant: packet >= 100 ? 1 : 0 }) as NicQueuePair };

function makeTurns(kept: boolean): ReceiveTurns {
  return new ReceiveTurns(sharesOf(kept), router, 100);
}

function makeDescriptors(kept: boolean) {
  const stage = new Uint8Array(200);
  return { stage, descriptors: new ReceiveDescriptors(4, { stage } as FabricPackets, sharesOf(kept)) };
}

describe('the turns of the receive path', () => {
  it('are in the order of arrival, from the wire and from the inside', () => {
    const turns = makeTurns(false);
    for (const packet of [1, 2]) turns.push(packet);
    for (const packet of [11, 12]) turns.pushLoopback(packet);
    turns.push(3);
    const order = [];
    while (!turns.isEmpty) order.push(turns.take());
    expect(order).toEqual([1, 2, 11, 12, 3]);
  });

  it('alternate between the wire and the inside for a tenant that is told apart', () => {
    const turns = makeTurns(true);
    for (const packet of [1, 2, 3]) turns.push(packet);
    for (const packet of [11, 12]) turns.pushLoopback(packet);
    const order = [];
    while (!turns.isEmpty) order.push(turns.take());
    expect(order).toEqual([11, 1, 12, 2, 3]);
  });

  it('go to the tenant that has cost less, whichever way its packets come', () => {
    const turns = makeTurns(true);
    for (const packet of [1, 2, 3, 4]) turns.push(packet);
    for (const packet of [101, 102, 103, 104]) turns.pushLoopback(packet);
    const order = [];
    while (!turns.isEmpty) {
      const packet = turns.take();
      order.push(packet);
      // A packet of tenant 0 takes three times the path's time.
      turns.account(packet < 100 ? 3000 : 1000, 1);
    }
    const early = order.slice(0, 5).filter((packet) => packet >= 100);
    expect(early.length).toBeGreaterThanOrEqual(3);
    expect(order.filter((packet) => packet < 100)).toEqual([1, 2, 3, 4]);
    expect(order.filter((packet) => packet >= 100)).toEqual([101, 102, 103, 104]);
  });
});

describe('receive descriptors', () => {
  it('end, come back, and are held once per message', () => {
    const { stage, descriptors } = makeDescriptors(false);
    expect([1, 2, 3, 4, 5].map((packet) => descriptors.take(packet, 0))).toEqual([
      true,
      true,
      true,
      true,
      false,
    ]);
    expect(descriptors.take(1, 0)).toBe(true);
    expect(descriptors.taken).toBe(4);
    descriptors.release(1, 0);
    descriptors.release(5, 0);
    expect(descriptors.taken).toBe(3);
    expect(stage[2] & Stage.DESCRIPTOR).toBe(Stage.DESCRIPTOR);
  });

  it('are shared out by tenant where tenants are told apart', () => {
    const { descriptors } = makeDescriptors(true);
    expect([1, 2, 3].map((packet) => descriptors.take(packet, 0))).toEqual([true, true, false]);
    expect([101, 102, 103].map((packet) => descriptors.take(packet, 1))).toEqual([true, true, false]);
  });
});

import { describe, expect, it } from 'vitest';
import type { Rnic } from '../rnic.js';
import { ReceiveDescriptors } from './receive-descriptors.js';
import { Stage } from './receive-stage.js';
import { ReceiveTurns } from './receive-turns.js';

// Goal: who comes next, and who gets a descriptor, with tenants told apart and without.
// Method: the parts of a device that these two look at; packets 100 and up are of tenant 1, the others of tenant 0.

function device(kept: boolean) {
  return {
    shares: {
      kept,
      count: kept ? 2 : 1,
      weightOf: () => 1,
      partOf: (_: number, whole: number) => whole / 2,
      heard() {},
    },
    client: { findQueuePair: (packet: number) => ({ tenant: packet >= 100 ? 1 : 0 }) },
    constants: { pcieGbps: 100, receiveDescriptors: 4 },
    packets: { stage: new Uint8Array(200) },
  } as unknown as Rnic;
}

describe('the turns of the receive engine', () => {
  it('alternate between the wire and the inside, each in order, and neither waits for an empty one', () => {
    const turns = new ReceiveTurns(device(false));
    for (const packet of [1, 2, 3]) turns.push(packet);
    for (const packet of [11, 12]) turns.pushLoopback(packet);
    const order = [];
    while (!turns.isEmpty) order.push(turns.take());
    expect(order).toEqual([11, 1, 12, 2, 3]);
  });

  it('go to the tenant that has cost less, whichever way its packets come', () => {
    const turns = new ReceiveTurns(device(true));
    for (const packet of [1, 2, 3, 4]) turns.push(packet);
    for (const packet of [101, 102, 103, 104]) turns.pushLoopback(packet);
    const order = [];
    while (!turns.isEmpty) {
      const packet = turns.take();
      order.push(packet);
      // A packet of tenant 0 takes three times the engine's time.
      turns.account(packet < 100 ? 3000 : 1000, 1);
    }
    const early = order.slice(0, 5).filter((packet) => packet >= 100);
    expect(early.length).toBeGreaterThanOrEqual(3);
    expect(order.filter((packet) => packet < 100)).toEqual([1, 2, 3, 4]);
    expect(order.filter((packet) => packet >= 100)).toEqual([101, 102, 103, 104]);
  });
});

describe('receive descriptors', () => {
  it('end, come back, and are held once a message', () => {
    const nic = device(false);
    const descriptors = new ReceiveDescriptors(nic);
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
    expect(nic.packets.stage[2] & Stage.DESCRIPTOR).toBe(Stage.DESCRIPTOR);
  });

  it('are shared out by tenant where tenants are told apart', () => {
    const descriptors = new ReceiveDescriptors(device(true));
    expect([1, 2, 3].map((packet) => descriptors.take(packet, 0))).toEqual([true, true, false]);
    expect([101, 102, 103].map((packet) => descriptors.take(packet, 1))).toEqual([true, true, false]);
  });
});

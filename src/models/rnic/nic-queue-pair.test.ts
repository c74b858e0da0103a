import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../transport/index.js';
import type { DmaPath } from '../pcie/dma-path.js';
import { NicQueuePair } from './nic-queue-pair.js';

const path = {} as DmaPath;

function queuePair(rnrWaitedPs: (nowPs: number) => number = () => 0): NicQueuePair {
  const endpoint = { rnrWaitedPs } as unknown as Endpoint;
  return new NicQueuePair(3, endpoint, 100, 5, path);
}

describe('the context entries of a queue pair', () => {
  it('are one, until it reads; then its accesses take them in turn', () => {
    const qp = queuePair();
    expect([qp.contextKey, qp.contextKey]).toEqual([100, 100]);
    qp.contextEntries = 4;
    const touched = Array.from({ length: 8 }, () => qp.contextKey);
    expect(new Set(touched)).toEqual(new Set([100, 101, 102, 103]));
    expect(touched.slice(0, 4)).toEqual(touched.slice(4));
  });

  it('end with that of a long list of elements', () => {
    expect(queuePair().elementsKey).toBe(104);
  });
});

describe('the idle time of a send queue', () => {
  it('runs while nothing that was announced waits to be sent', () => {
    const qp = queuePair();
    expect(qp.idleUntilPs(10)).toBe(10);
    qp.announce(2, 10);
    expect(qp.idleUntilPs(25)).toBe(10);
    qp.served(30);
    expect(qp.idleUntilPs(40)).toBe(10);
    qp.served(50);
    expect([qp.pending, qp.idleUntilPs(60)]).toEqual([0, 20]);
    qp.announce(1, 70);
    qp.announce(1, 80);
    expect([qp.pending, qp.idleUntilPs(90)]).toEqual([2, 30]);
  });

  it('does not go below nothing pending', () => {
    const qp = queuePair();
    qp.served(10);
    expect([qp.pending, qp.idleUntilPs(20)]).toEqual([0, 20]);
  });

  it('leaves out what the recovery of a loss took', () => {
    const qp = queuePair();
    qp.announce(1, 0);
    qp.served(10);
    qp.repeated(100);
    expect(qp.idleUntilPs(130)).toBe(30);
    qp.announce(1, 140);
    qp.repeated(150);
    expect(qp.idleUntilPs(160)).toBe(40);
  });

  it('has the waits for receives of the peer in it, once', () => {
    // It waits from 200 to 700.
    const qp = queuePair((nowPs) => Math.min(500, Math.max(0, nowPs - 200)));
    qp.announce(2, 0);
    expect([qp.idleUntilPs(200), qp.idleUntilPs(400)]).toEqual([0, 200]);
    qp.served(100);
    qp.served(400);
    expect([qp.idleUntilPs(700), qp.idleUntilPs(900)]).toEqual([500, 700]);
    qp.announce(1, 1000);
    expect(qp.idleUntilPs(2000)).toBe(800);
  });
});

import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../transport/index.js';
import type { DmaPath } from '../pcie/dma-path.js';
import { BurstGrant } from './burst-grant.js';
import { NicQueuePair } from './nic-queue-pair.js';

const queuePair = (index: number) => new NicQueuePair(index, {} as Endpoint, 2 * index, 2, {} as DmaPath);

/** Sends a message of one packet, as the scheduler would; false where its turn ended instead. */
function send(grant: BurstGrant, qp: NicQueuePair): boolean {
  if (!grant.claim(qp, true)) return false;
  grant.begin(qp);
  return true;
}

describe('a burst', () => {
  it('keeps the others out for its length, and ends', () => {
    const grant = new BurstGrant(16, 8);
    const [one, other] = [queuePair(0), queuePair(1)];
    grant.announce(one, 16);
    grant.announce(other, 16);
    let sent = 0;
    while (send(grant, one)) {
      sent++;
      expect(grant.excludes(other)).toBe(true);
    }
    expect(sent).toBe(8);
    expect(grant.held).toBe(false);
    expect(send(grant, other)).toBe(true);
    expect(grant.excludes(one)).toBe(true);
  });

  it('is for long doorbells, and for what stands before them in their queue', () => {
    const grant = new BurstGrant(16, 8);
    const qp = queuePair(0);
    grant.announce(qp, 15);
    expect(send(grant, qp)).toBe(true);
    expect(grant.held).toBe(false);
    grant.announce(qp, 16);
    expect(send(grant, qp)).toBe(true);
    expect(grant.isHeldBy(qp)).toBe(true);
  });

  it('ends when there is nothing to send, and is not held for a message that is not begun', () => {
    const grant = new BurstGrant(4, 8);
    const qp = queuePair(0);
    grant.announce(qp, 4);
    for (let message = 0; message < 4; message++) expect(send(grant, qp)).toBe(true);
    grant.release(qp);
    expect(grant.held).toBe(false);
    grant.announce(qp, 1);
    expect(send(grant, qp)).toBe(true);
    expect(grant.held).toBe(false);
  });

  it('does not exist where the device has none', () => {
    const grant = new BurstGrant(0, 0);
    const qp = queuePair(0);
    grant.announce(qp, 1000);
    for (let message = 0; message < 1000; message++) expect(send(grant, qp)).toBe(true);
    expect(grant.held).toBe(false);
  });
});

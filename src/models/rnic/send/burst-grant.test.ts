import { describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../transport/index.js';
import type { DmaPath } from '../../pcie/dma-path.js';
import { NicQueuePair } from '../nic-queue-pair.js';
import { BurstGrant } from './burst-grant.js';

const queuePair = (index: number) => new NicQueuePair(index, {} as Endpoint, 2 * index, 2, {} as DmaPath);

/** Sends a message of one packet, as the scheduler would; false where its turn ended instead. */
function send(grant: BurstGrant, qp: NicQueuePair): boolean {
  if (!grant.claim(qp, true)) return false;
  grant.begin(qp);
  return true;
}

describe('a burst', () => {
  it('keeps the others out for its length, and ends', () => {
    const grant = new BurstGrant(4);
    const [one, other] = [queuePair(0), queuePair(1)];
    grant.announce(one, 32);
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

  it('is as long as its doorbell gives it, and short doorbells give none', () => {
    const lengths = [1, 3, 4, 7, 8, 16, 64].map((wqes) => {
      const grant = new BurstGrant(4);
      const qp = queuePair(0);
      grant.announce(qp, wqes);
      let sent = 0;
      while (sent < wqes && send(grant, qp) && grant.held) sent++;
      return sent;
    });
    expect(lengths).toEqual([0, 0, 1, 1, 2, 4, 16]);
  });

  it('ends when there is nothing to send, and is not held for a message that is not begun', () => {
    const grant = new BurstGrant(1);
    const qp = queuePair(0);
    grant.announce(qp, 4);
    for (let message = 0; message < 4; message++) expect(send(grant, qp)).toBe(true);
    grant.release(qp);
    expect(grant.held).toBe(false);
    expect(grant.claim(qp, true)).toBe(true);
    expect(grant.held).toBe(false);
  });

  it('may be taken again in the middle of a message, by the doorbell that it belongs to', () => {
    const grant = new BurstGrant(4);
    const qp = queuePair(0);
    grant.announce(qp, 8);
    send(grant, qp);
    grant.release(qp);
    expect(grant.claim(qp, false)).toBe(true);
    expect(grant.isHeldBy(qp)).toBe(true);
  });

  it('does not exist where the device has none', () => {
    const grant = new BurstGrant(0);
    const qp = queuePair(0);
    grant.announce(qp, 1000);
    for (let message = 0; message < 1000; message++) expect(send(grant, qp)).toBe(true);
    expect(grant.held).toBe(false);
  });
});

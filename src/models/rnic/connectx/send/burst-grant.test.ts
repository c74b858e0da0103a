import { describe, expect, it } from 'vitest';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';
import { BurstGrant } from './burst-grant.js';

const queuePair = (index: number) => ({ index }) as NicQueuePair;

/** A grant that knows two queue pairs. */
function makeGrant(divisor: number): BurstGrant {
  const grant = new BurstGrant(divisor);
  grant.add();
  grant.add();
  return grant;
}

/** Sends a message of one packet, as the scheduler would; false where its turn ended instead. */
function send(grant: BurstGrant, pair: NicQueuePair): boolean {
  if (!grant.claim(pair, true)) return false;
  grant.begin(pair);
  return true;
}

describe('a burst', () => {
  it('keeps the others out for its length, and ends', () => {
    const grant = makeGrant(4);
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
      const grant = makeGrant(4);
      const pair = queuePair(0);
      grant.announce(pair, wqes);
      let sent = 0;
      while (sent < wqes && send(grant, pair) && grant.held) sent++;
      return sent;
    });
    expect(lengths).toEqual([0, 0, 1, 1, 2, 4, 16]);
  });

  it('ends when there is nothing to send, and is not held for a message that is not begun', () => {
    const grant = makeGrant(1);
    const pair = queuePair(0);
    grant.announce(pair, 4);
    for (let message = 0; message < 4; message++) expect(send(grant, pair)).toBe(true);
    grant.release(pair);
    expect(grant.held).toBe(false);
    expect(grant.claim(pair, true)).toBe(true);
    expect(grant.held).toBe(false);
  });

  it('may be taken again in the middle of a message, by the doorbell that it belongs to', () => {
    const grant = makeGrant(4);
    const pair = queuePair(0);
    grant.announce(pair, 8);
    send(grant, pair);
    grant.release(pair);
    expect(grant.claim(pair, false)).toBe(true);
    expect(grant.isHeldBy(pair)).toBe(true);
  });

  it('does not exist where the device has none', () => {
    const grant = makeGrant(0);
    const pair = queuePair(0);
    grant.announce(pair, 1000);
    for (let message = 0; message < 1000; message++) expect(send(grant, pair)).toBe(true);
    expect(grant.held).toBe(false);
  });
});

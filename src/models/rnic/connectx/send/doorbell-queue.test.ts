import { describe, expect, it } from 'vitest';
import { DoorbellQueue } from './doorbell-queue.js';

describe('doorbells that wait for their contexts', () => {
  it('hold a core up when there is no room for another', () => {
    const queue = new DoorbellQueue(2);
    queue.add(0, 100);
    expect(queue.acceptPs(0, 10)).toBe(10);
    queue.add(0, 150);
    expect(queue.acceptPs(0, 10)).toBe(100);
    expect(queue.acceptPs(0, 120)).toBe(120);
    queue.add(0, 170);
    expect(queue.acceptPs(0, 10)).toBe(150);
    expect(queue.acceptPs(160, 160)).toBe(160);
  });

  it('may be many', () => {
    const queue = new DoorbellQueue(64);
    for (let index = 1; index <= 1000; index++) queue.add(0, index);
    expect(queue.acceptPs(0, 0)).toBe(937);
    expect(queue.acceptPs(936, 936)).toBe(937);
    expect(queue.acceptPs(937, 937)).toBe(937);
  });
});

import { describe, expect, it } from 'vitest';
import { SlotServer } from './slot-server.js';

describe('a slot server', () => {
  it('works on as many jobs at a time as it has slots', () => {
    const server = new SlotServer(2);
    expect([1, 2, 3, 4].map(() => server.book(0, 100))).toEqual([100, 100, 200, 200]);
    expect(server.busy(150)).toBe(2);
    expect(server.busy(250)).toBe(0);
    expect(server.book(250, 100)).toBe(350);
    expect(server.busy(250)).toBe(1);
  });

  it('takes the slot that is free first', () => {
    const server = new SlotServer(2);
    server.book(0, 100);
    server.book(0, 30);
    expect(server.book(0, 10)).toBe(40);
  });
});

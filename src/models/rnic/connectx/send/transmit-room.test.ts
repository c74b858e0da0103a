import { describe, expect, it } from 'vitest';
import { TransmitRoom } from './transmit-room.js';

/** Cells of one byte: every packet takes what it has. */
const EXACT = 1;

describe('the room of the transmit buffer', () => {
  it('is each class for itself', () => {
    const room = new TransmitRoom(10_000, 10_000, EXACT);
    room.take(0, 9000);
    expect(room.fits(0, 1000)).toBe(true);
    expect(room.fits(0, 1001)).toBe(false);
    expect(room.fits(1, 10_000)).toBe(true);
    room.take(1, 4000);
    expect([room.taken(0), room.taken(1), room.taken(2)]).toEqual([9000, 4000, 0]);
    room.give(0, 9000);
    expect(room.fits(0, 10_000)).toBe(true);
  });

  it('lets one packet in that is longer than all of it', () => {
    const room = new TransmitRoom(1000, 1000, EXACT);
    expect(room.fits(0, 4096)).toBe(true);
    room.take(0, 4096);
    expect(room.fits(0, 1)).toBe(false);
  });

  it('is given out in whole cells', () => {
    const room = new TransmitRoom(1024, 1024, 128);
    room.take(0, 82);
    room.take(0, 129);
    expect(room.taken(0)).toBe(3 * 128);
    expect([room.fits(0, 5 * 128), room.fits(0, 5 * 128 + 1)]).toEqual([true, false]);
    room.give(0, 129);
    expect(room.taken(0)).toBe(128);
  });

  it('keeps those that wait by class, in the order of their turns', () => {
    const room = new TransmitRoom(1000, 1000, EXACT);
    room.waiters(0).push(7, 30);
    room.waiters(0).push(8, 20);
    room.waiters(3).push(9, 10);
    expect([room.waiters(0).shift(), room.waiters(0).shift(), room.waiters(0).shift()]).toEqual([8, 7, -1]);
    expect(room.waiters(3).peek()).toBe(9);
  });
});

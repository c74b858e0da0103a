import { describe, expect, it } from 'vitest';
import type { QueuePairRecord } from './queue-pair-record.js';
import { ReadyRing } from './ready-ring.js';

describe('ReadyRing', () => {
  it('keeps the order, holds each once, and grows', () => {
    const ring = new ReadyRing();
    const records = Array.from(
      { length: 1000 },
      (_, tag) => ({ tag, queued: false }) as unknown as QueuePairRecord,
    );
    for (const record of records.slice(0, 50)) ring.push(record);
    // Turns in between let the ring wrap around before it grows.
    for (let turn = 0; turn < 40; turn++) ring.push(ring.shift());
    for (const record of records) ring.push(record);
    expect(ring.size).toBe(1000);
    const order = Array.from({ length: 1000 }, () => ring.shift());
    expect(order).toEqual([...records.slice(40, 50), ...records.slice(0, 40), ...records.slice(50)]);
    expect(ring.size).toBe(0);
    expect(records.some(({ queued }) => queued)).toBe(false);
  });
});

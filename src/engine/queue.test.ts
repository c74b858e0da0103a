import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventQueue } from './event-queue.js';
import { HeapQueue } from './heap-queue.js';
import type { EventId, Queue } from './queue.js';
import { Random } from './random.js';

/** Pushes and returns the id. */
function push(queue: Queue, time: number, handler: number, a = 0, b = 0, c = 0): EventId {
  queue.push(time, handler, a, b, c);
  return queue.pushed;
}

const kinds: [string, (capacity?: number) => Queue][] = [
  ['EventQueue', (capacity) => new EventQueue(capacity)],
  ['HeapQueue', (capacity) => new HeapQueue(capacity)],
];

/** Everything a pop shows, or that there was nothing. */
function popped(queue: Queue): string {
  return queue.pop() ? `${queue.time} ${queue.handler} ${queue.a} ${queue.b} ${queue.c}` : 'empty';
}

/**
 * Drives both queues alike and compares every answer; the steps are drawn from a seed, so that a failure can be replayed.
 */
function compare(seed: number, steps: number, bits: number, pushBias: number, cancelPercent: number): void {
  const random = new Random(seed);
  const wheel = new EventQueue(1);
  const heap = new HeapQueue(1);
  const wheelIds: EventId[] = [];
  const heapIds: EventId[] = [];
  for (let step = 0; step < steps; step++) {
    const dice = random.nextInt(100);
    if (dice < cancelPercent) {
      const victim = wheelIds.length === 0 ? -1 : random.nextInt(wheelIds.length);
      const outcome = wheel.cancel(wheelIds[victim] ?? Number.NaN);
      expect(outcome).toBe(heap.cancel(heapIds[victim] ?? Number.NaN));
    } else if (random.nextInt(100) < pushBias) {
      // Delays of every magnitude up to 2^bits, and often one of a few, so that ties abound.
      const delay =
        random.nextInt(4) === 0
          ? random.nextInt(3) * 1000
          : Math.floor(random.nextFloat() * 2 ** random.nextInt(bits + 1));
      wheelIds.push(push(wheel, wheel.time + delay, step % 7, step, -step, step ^ 21));
      heapIds.push(push(heap, heap.time + delay, step % 7, step, -step, step ^ 21));
    } else if (dice % 8 === 0) {
      expect(wheel.peekTime()).toBe(heap.peekTime());
    } else if (dice % 8 === 1) {
      const limit = wheel.time + random.nextInt(5000);
      expect(wheel.popUntil(limit)).toBe(heap.popUntil(limit));
      expect(wheel.time).toBe(heap.time);
    } else {
      expect(popped(wheel)).toBe(popped(heap));
    }
    if (wheel.size !== heap.size) expect(wheel.size).toBe(heap.size);
  }
  while (heap.size > 0) expect(popped(wheel)).toBe(popped(heap));
  expect(popped(wheel)).toBe('empty');
}

describe('EventQueue against HeapQueue', () => {
  it('pops the same events in the same order under random push, pop, peek and cancel', () => {
    const parameters = fc.tuple(
      fc.integer({ min: 0, max: 2 ** 31 }),
      fc.integer({ min: 1, max: 600 }),
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: 40, max: 90 }),
      fc.integer({ min: 0, max: 40 }),
    );
    fc.assert(
      fc.property(parameters, ([seed, steps, bits, pushBias, cancelPercent]) =>
        compare(seed, steps, bits, pushBias, cancelPercent),
      ),
      { numRuns: 150 },
    );
  });

  it.each([
    [1, 0],
    [2, 8],
    [3, 20],
    [4, 40],
  ])(
    'agrees over runs long enough to refit the buckets many times (seed %i, delays to 2^%i)',
    (seed, bits) => {
      compare(seed, 20_000, bits, 55, 10);
    },
  );

  it('agrees when the load changes its pace by nine orders of magnitude', () => {
    const random = new Random(9);
    const wheel = new EventQueue();
    const heap = new HeapQueue();
    for (const meanDelay of [1e9, 3, 1e6, 50, 1e12, 1]) {
      for (let index = 0; index < 500; index++) {
        const time = wheel.time + random.nextInt(1000);
        wheel.push(time, 0, index, 0, 0);
        heap.push(time, 0, index, 0, 0);
      }
      for (let hold = 0; hold < 5000; hold++) {
        if (popped(wheel) !== popped(heap)) expect(wheel).toBe(heap);
        const time = wheel.time + Math.floor(random.nextExponential(meanDelay));
        wheel.push(time, 1, hold, 0, 0);
        heap.push(time, 1, hold, 0, 0);
      }
    }
    while (heap.size > 0) expect(popped(wheel)).toBe(popped(heap));
  });
});

describe.each(kinds)('%s', (_, make) => {
  it('keeps the order of insertion among ties, also when pushed from afar and from near', () => {
    const queue = make();
    const far = 2 ** 40;
    queue.push(far, 0, 1, 0, 0);
    queue.push(far - 1, 0, 0, 0, 0);
    queue.push(far, 0, 2, 0, 0);
    expect(queue.pop()).toBe(true);
    queue.push(far, 0, 3, 0, 0);
    const order = [];
    while (queue.pop()) order.push(queue.a);
    expect(order).toEqual([1, 2, 3]);
  });

  it('keeps a crowd at one instant in order', () => {
    const queue = make();
    for (let index = 0; index < 5000; index++) queue.push(123_456_789, 0, index, 0, 0);
    for (let index = 0; index < 5000; index++) {
      queue.pop();
      if (queue.a !== index) expect(queue.a).toBe(index);
    }
    expect(queue.size).toBe(0);
  });

  it('grows from one slot and keeps every event', () => {
    const queue = make(1);
    for (let index = 0; index < 3000; index++)
      queue.push((index * 7919) % 3001, index % 5, index, 7 - index, index + 5);
    let last = -1;
    for (let index = 0; index < 3000; index++) {
      expect(queue.pop()).toBe(true);
      expect(queue.time).toBeGreaterThan(last);
      expect([queue.handler, queue.b, queue.c]).toEqual([queue.a % 5, 7 - queue.a, queue.a + 5]);
      expect((queue.a * 7919) % 3001).toBe(queue.time);
      last = queue.time;
    }
    expect(queue.pop()).toBe(false);
  });

  it('knows stale and false ids', () => {
    const queue = make();
    const first = push(queue, 5, 0);
    expect(queue.cancel(first)).toBe(true);
    expect(queue.cancel(first)).toBe(false);
    expect(queue.size).toBe(0);
    expect(queue.peekTime()).toBe(Number.POSITIVE_INFINITY);
    const second = push(queue, 6, 0);
    queue.pop();
    expect(queue.cancel(second)).toBe(false);
    const third = push(queue, 7, 0);
    expect([first, second]).not.toContain(third);
    expect(queue.cancel(first)).toBe(false);
    expect(queue.cancel(second)).toBe(false);
    for (const id of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])
      expect(queue.cancel(id)).toBe(false);
    expect(queue.size).toBe(1);
  });

  it('does not hoard the slots of timers that are set and cancelled', () => {
    const queue = make(1);
    for (let index = 0; index < 100_000; index++)
      expect(queue.cancel(push(queue, 1e9 + index, 0))).toBe(true);
    expect(queue.size).toBe(0);
    expect((queue as EventQueue).capacity).toBeLessThanOrEqual(2048);
  });

  it('leaves events beyond the limit alone', () => {
    const queue = make();
    queue.push(10, 0, 1, 0, 0);
    queue.push(1e12, 0, 2, 0, 0);
    expect(queue.popUntil(9)).toBe(false);
    expect(queue.popUntil(10)).toBe(true);
    expect(queue.popUntil(1e12 - 1)).toBe(false);
    queue.push(11, 0, 3, 0, 0);
    expect([queue.pop(), queue.a]).toEqual([true, 3]);
    expect([queue.pop(), queue.a]).toEqual([true, 2]);
  });

  it('accepts the last safe integer', () => {
    const queue = make();
    queue.push(Number.MAX_SAFE_INTEGER, 0, 1, 0, 0);
    queue.push(100, 0, 2, 0, 0);
    expect([queue.pop(), queue.a]).toEqual([true, 2]);
    expect(queue.size).toBe(1);
    expect([queue.pop(), queue.time]).toEqual([true, Number.MAX_SAFE_INTEGER]);
  });

  it('refuses capacities out of range', () => {
    for (const capacity of [0, -1, 0.5, 2 ** 24, Number.NaN])
      expect(() => make(capacity)).toThrow(
        expect.objectContaining({ code: 'QUEUE_CAPACITY', given: capacity }),
      );
  });
});

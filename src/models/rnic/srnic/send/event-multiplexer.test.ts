import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventMultiplexer } from './event-multiplexer.js';

const QPS = 3;

/** What can happen, one after the other: the multiplexer serialises. */
type Event = { kind: 'doorbell' | 'credit' | 'dequeue' | 'end'; pair: number };

/**
 * A scheduler as simple as can be beside the multiplexer: WQEs and credit as counts. A turn takes one of each when it ends,
 * so that doorbells and credit come before, within and after turns.
 */
class Model {
  readonly multiplexer = new EventMultiplexer();
  readonly wqes = new Array<number>(QPS).fill(0);
  readonly credit = new Array<number>(QPS).fill(1);
  /** Who is in the schedule queue, as it should be, and who has a turn. */
  queue: number[] = [];
  readonly turns = new Set<number>();
  served = 0;

  constructor() {
    for (let pair = 0; pair < QPS; pair++) this.multiplexer.add();
  }

  apply({ kind, pair }: Event): void {
    const { multiplexer, wqes, credit, turns } = this;
    if (kind === 'doorbell') wqes[pair]++;
    if (kind === 'credit') credit[pair]++;
    if (kind === 'doorbell' || kind === 'credit') {
      if (multiplexer.update(pair, wqes[pair] > 0, credit[pair] > 0)) this.queue.push(pair);
    } else if (kind === 'dequeue') {
      const found = multiplexer.dequeue();
      expect(found).toBe(this.queue.shift() ?? -1);
      if (found < 0) return;
      // No queue pair is scheduled without credit, nor without something to send.
      expect(wqes[found]).toBeGreaterThan(0);
      expect(credit[found]).toBeGreaterThan(0);
      turns.add(found);
    } else if (turns.delete(pair)) {
      wqes[pair]--;
      credit[pair]--;
      this.served++;
      multiplexer.endTurn(pair, wqes[pair] > 0, credit[pair] > 0);
      if (wqes[pair] > 0 && credit[pair] > 0) this.queue.push(pair);
    }
  }

  check(): void {
    const { multiplexer, wqes, credit, queue, turns } = this;
    expect(multiplexer.length).toBe(queue.length);
    // Once at most, and not while it has its turn.
    expect(new Set(queue).size).toBe(queue.length);
    for (let pair = 0; pair < QPS; pair++) {
      expect(queue.includes(pair) && turns.has(pair)).toBe(false);
      expect(multiplexer.isReady(pair)).toBe(queue.includes(pair) || turns.has(pair));
      // No wake-up is lost: who could send waits for a turn or has one.
      if (wqes[pair] > 0 && credit[pair] > 0) expect(multiplexer.isReady(pair)).toBe(true);
    }
  }
}

const event: fc.Arbitrary<Event> = fc.record({
  kind: fc.constantFrom('doorbell', 'credit', 'dequeue', 'end'),
  pair: fc.nat({ max: QPS - 1 }),
});

describe('the event multiplexer', () => {
  it('has each queue pair once at most, none without credit, and loses no wake-up, in any order of events', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const model = new Model();
        for (const each of events) {
          model.apply(each);
          model.check();
        }
      }),
    );
  });

  it('holds that in every order of six events of one queue pair', () => {
    const kinds = ['doorbell', 'credit', 'dequeue', 'end'] as const;
    for (let order = 0; order < 4 ** 6; order++) {
      const model = new Model();
      for (let place = 0; place < 6; place++) {
        model.apply({ kind: kinds[Math.floor(order / 4 ** place) % 4], pair: 0 });
        model.check();
      }
    }
  });

  it('serves in turns', () => {
    const multiplexer = new EventMultiplexer();
    for (let pair = 0; pair < QPS; pair++) {
      multiplexer.add();
      multiplexer.update(pair, true, true);
    }
    const served: number[] = [];
    for (let turn = 0; turn < 7; turn++) {
      served.push(multiplexer.dequeue());
      multiplexer.endTurn(served[turn], true, true);
    }
    expect(served).toEqual([0, 1, 2, 0, 1, 2, 0]);
  });

  it('grows with the queue pairs', () => {
    const multiplexer = new EventMultiplexer();
    for (let pair = 0; pair < 10_000; pair++) multiplexer.add();
    expect(multiplexer.update(9999, true, true)).toBe(true);
    expect(multiplexer.dequeue()).toBe(9999);
  });
});

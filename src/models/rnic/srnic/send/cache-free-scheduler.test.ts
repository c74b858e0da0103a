import { describe, expect, it } from 'vitest';
import type { CacheFreeSendConstants } from '../../../../profiles/index.js';
import { NO_SLOT } from '../../../../verbs/base/index.js';
import type { RegionAccess } from '../../memory/region-access.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';
import type { TestEndpoint } from '../../testing/test-endpoint.js';
import { constantsOf, READ_LATENCY_PS, TestParts } from '../../testing/test-parts.js';
import { CacheFreeScheduler } from './cache-free-scheduler.js';

const US = 1e6;
const MTU = 1024;

const numbers = {
  scheduleWqes: 8,
  scheduleBurstBytes: 16384,
  scheduleFetches: 4,
  scheduleTurnNs: 10,
  transmitPipelineNs: 0,
  transmitBufferBytes: 2 ** 20,
};

/** A scheduler whose packets leave at once; `sent` has the number of the queue pair and the payload of each. */
function make(more: Partial<Record<keyof typeof numbers, number>> = {}) {
  const shared = new TestParts(constantsOf('connectx-6-200g'));
  const constants: CacheFreeSendConstants = { ...shared.constants, ...numbers, ...more };
  const waiting = new Map<NicQueuePair, { wqe: number; bytes: number }[]>();
  const sent: { pair: number; bytes: number; atPs: number }[] = [];
  const { simulation, packets } = shared;
  const readyHandler = simulation.register('port', (packet) => {
    sent.push({
      pair: packets.deviceFirst[packet],
      bytes: packets.payloadBytes[packet],
      atPs: simulation.now,
    });
    scheduler.sent(shared.pairs[packets.deviceFirst[packet]], packets.wireBytes[packet]);
    packets.free(packet);
  });
  const scheduler: CacheFreeScheduler = new CacheFreeScheduler({
    ...shared,
    name: 'nic',
    constants,
    misses: () => {
      throw new Error('nothing is in host memory');
    },
    contexts: { lookUp: (nowPs: number) => nowPs, warm() {} },
    regions: {
      translatePart: (...[, , , , nowPs]: Parameters<RegionAccess['translatePart']>) => nowPs,
    },
    processors: null,
    port: {
      launch: (packet: number, delayPs: number) => simulation.after(delayPs, readyHandler, packet),
      frame(packet: number, pair: NicQueuePair) {
        packets.wireBytes[packet] = packets.payloadBytes[packet] + 66;
        packets.deviceFirst[packet] = pair.index;
      },
    },
    acks: { answer() {} },
    receiver: { addJob() {}, charge() {} },
    router: { route() {}, findQueuePair: () => null },
    queues: {
      firstUntaken: (pair: NicQueuePair) => waiting.get(pair)?.[0]?.wqe ?? NO_SLOT,
      executeLocal: () => false,
      wqesVisible(pair: NicQueuePair) {
        const endpoint = pair.endpoint as TestEndpoint;
        // This transport takes what it sees when it is asked; the scheduler finds that out at the end of the turn.
        endpoint.more = () => {
          const [next] = waiting.get(pair) ?? [];
          if (next === undefined || pair.send.untaken === 0) return;
          waiting.get(pair)!.shift();
          pair.send.untaken--;
          endpoint.send(next.bytes, next.wqe);
        };
      },
    },
    doorbellsWaitingMax: 64,
    requests: { hasPayload: () => false },
  } as unknown as ConstructorParameters<typeof CacheFreeScheduler>[0]);
  const add = () => {
    const made = shared.pair({ pathMtu: MTU });
    made.pair.send.wqeBytes = 64;
    waiting.set(made.pair, []);
    scheduler.add(made.pair);
    return made;
  };
  const post = (pair: NicQueuePair, count: number, bytes: number) => {
    for (let index = 0; index < count; index++) waiting.get(pair)!.push({ wqe: shared.wqe(), bytes });
    scheduler.doorbell(pair, count);
  };
  return { shared, scheduler, sent, add, post };
}

describe('a scheduler without a cache', () => {
  it('fetches n WQEs for a turn, and a queue pair has one fetch under way', () => {
    const { shared, sent, add, post } = make();
    const { pair } = add();
    post(pair, 20, 64);
    shared.run(READ_LATENCY_PS / 2);
    expect(shared.counters.send_wqes_fetched).toBe(8);
    shared.run(10 * US);
    expect(sent).toHaveLength(20);
    expect(shared.counters).toMatchObject({
      send_wqes_fetched: 20,
      send_wqe_read_bytes: 20 * 64,
      send_wqes_dropped: 0,
    });
  });

  it('drops the WQEs that a burst leaves over, and fetches them again', () => {
    const { shared, sent, add, post } = make();
    const { pair } = add();
    // Four messages of 4 KB are a burst: half of the eight WQEs of a turn are thrown away.
    post(pair, 64, 4096);
    shared.run(100 * US);
    expect(sent).toHaveLength(256);
    const { send_wqes_fetched, send_wqes_dropped } = shared.counters;
    expect(send_wqes_fetched - send_wqes_dropped).toBe(64);
    expect(send_wqes_fetched / 64).toBeGreaterThan(1.8);
  });

  it('goes on with a message that is longer than the burst, in its next turn, and others have theirs between', () => {
    const { shared, sent, add, post } = make({ scheduleBurstBytes: 4096 });
    const [long, short] = [add(), add()];
    post(long.pair, 1, 16384);
    post(short.pair, 1, 64);
    shared.run(100 * US);
    const bytesOf = (index: number) =>
      sent.filter(({ pair }) => pair === index).reduce((sum, { bytes }) => sum + bytes, 0);
    expect([bytesOf(0), bytesOf(1)]).toEqual([16384, 64]);
    const shortPlace = sent.findIndex(({ pair }) => pair === 1);
    expect(shortPlace).toBe(4);
    // One WQE, fetched for each of its four turns.
    expect(shared.counters.send_wqes_fetched).toBe(4 + 1);
  });

  it('has fetches of several queue pairs under way, and no more than it may', () => {
    const { shared, sent, add, post } = make();
    for (let index = 0; index < 6; index++) post(add().pair, 1, 64);
    shared.run(READ_LATENCY_PS / 2);
    expect(shared.counters.send_wqes_fetched).toBe(4);
    shared.run(10 * US);
    expect(sent).toHaveLength(6);
    // The first four came together, in less than one read.
    expect(sent[3].atPs - sent[0].atPs).toBeLessThan(READ_LATENCY_PS / 2);
  });

  it('gives no turn to a queue pair whose window is closed, and one when it opens', () => {
    const { shared, scheduler, sent, add, post } = make();
    const { pair, endpoint } = add();
    endpoint.open = false;
    post(pair, 3, 64);
    shared.run(10 * US);
    expect(shared.counters.send_wqes_fetched).toBe(0);
    endpoint.open = true;
    scheduler.ready(pair, 0);
    shared.run(10 * US);
    expect(sent).toHaveLength(3);
  });

  it('forgets what a failed queue had, also while its WQEs are fetched', () => {
    const { shared, scheduler, sent, add, post } = make();
    const { pair } = add();
    post(pair, 3, 64);
    shared.run(READ_LATENCY_PS / 2);
    scheduler.forget(pair);
    shared.run(10 * US);
    expect(sent).toHaveLength(0);
    expect(scheduler.multiplexer.isReady(pair.index)).toBe(false);
  });
});

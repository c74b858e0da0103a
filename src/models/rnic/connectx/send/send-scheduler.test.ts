import { describe, expect, it } from 'vitest';
import type { ConnectxConstants } from '../../../../profiles/index.js';
import { NO_SLOT, Op } from '../../../../verbs/base/index.js';
import { PRIORITIES } from '../../../fabric/cable-side.js';
import { Member } from '../../parts/send-path.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';
import { FunctionLimiter } from '../../tenants/function-limiter.js';
import { constantsOf, READ_LATENCY_PS, TestParts, widePcie } from '../../testing/test-parts.js';
import { BurstGrant } from './burst-grant.js';
import { SendScheduler } from './send-scheduler.js';

const US = 1e6;
const GBPS = 100;
const PS_PER_BYTE = 8000 / GBPS;
const HEADER_BYTES = 62;

interface SchedulerOptions {
  constants?: Partial<Record<keyof ConnectxConstants, number>>;
  device?: string;
  ablated?: readonly string[];
  shares?: readonly number[];
  burstDivisor?: number;
  /** How long the context of a queue pair takes. */
  contextPs?: number;
  /** Payload bytes that may be asked for at a time; no limit unless set. */
  readOutstandingBytes?: number;
}

/**
 * A scheduler with everything around it under the test's control: contexts that take a while, WQEs that are there or not,
 * and a port that sends frames one after the other at 100 Gb/s.
 */
class Bench {
  readonly parts: TestParts;
  readonly scheduler: SendScheduler;
  readonly log: string[] = [];
  /** Frames that left, by queue pair, and their payload bytes. */
  readonly frames: number[] = [];
  readonly bytes: number[] = [];
  /** WQEs that the cache has lost. */
  readonly gone = new Set<number>();
  /** Requests that the device executes alone. */
  localWqes = 0;
  onDemand: NicQueuePair | null = null;
  private wireFreePs = 0;
  private readonly leftHandler: number;

  constructor(options: SchedulerOptions = {}) {
    const constants = constantsOf(options.device ?? 'connectx-6-100g', {
      wqeReadAheadQps: 0,
      ...options.constants,
    });
    this.parts = new TestParts(constants, options.ablated, options.shares);
    const { parts, log } = this;
    const { simulation, packets } = parts;
    const lane = (pair: NicQueuePair) => (parts.shares.kept ? pair.tenant : pair.priority);
    this.leftHandler = simulation.register('left', (packet) => {
      const pair = parts.pairs[packets.deviceFirst[packet]];
      this.frames[pair.index] = (this.frames[pair.index] ?? 0) + 1;
      this.bytes[pair.index] = (this.bytes[pair.index] ?? 0) + packets.payloadBytes[packet];
      // Requests and READ responses of a class have rooms of their own.
      const room = packets.deviceSecond[packet] - 1;
      expect(room % (parts.shares.kept ? parts.shares.count : PRIORITIES)).toBe(lane(pair));
      packets.free(packet);
      this.scheduler.sent(pair, packets.wireBytes[packet], room);
    });
    const readyHandler = simulation.register('ready', (packet) => {
      const { wireBytes } = packets;
      this.wireFreePs = Math.max(this.wireFreePs, simulation.now) + wireBytes[packet] * PS_PER_BYTE;
      simulation.at(Math.round(this.wireFreePs), this.leftHandler, packet);
    });
    this.scheduler = new SendScheduler({
      name: parts.name,
      simulation,
      constants,
      ablated: parts.ablated,
      counters: parts.counters,
      shares: parts.shares,
      packets,
      wqes: parts.wqes,
      pcie: widePcie(options.readOutstandingBytes),
      contexts: { lookUp: (nowPs) => nowPs + (options.contextPs ?? 0), warm: () => {} },
      regions: { translateList: (_pair, _wqe, nowPs) => nowPs },
      processors: null,
      queues: {
        firstUntaken: () => NO_SLOT,
        executeLocal: (pair) => {
          log.push(`local ${pair.index}`);
          return this.localWqes-- > 0;
        },
      },
      router: { route: () => {} },
      port: {
        launch: (packet, delayPs) => simulation.after(delayPs, readyHandler, packet),
        frame: (packet, pair) => {
          packets.wireBytes[packet] = packets.payloadBytes[packet] + HEADER_BYTES;
          packets.deviceFirst[packet] = pair.index;
        },
      },
      acks: {
        answer: (pair) => {
          const { endpoint } = pair;
          if (endpoint.canRespond(simulation.now) && endpoint.nextResponseIsRead())
            this.scheduler.ready(pair, Member.RESPONSES);
          else if (endpoint.canRespond(simulation.now)) log.push(`ack ${pair.index}`);
        },
      },
      cache: { isOnChip: (wqe) => !this.gone.has(wqe), hasPayload: () => false },
      fetch: {
        wantsFetch: (pair) => this.onDemand === pair,
        fetchOnDemand: (pair) => {
          if (this.onDemand !== pair) return false;
          log.push(`fetch ${pair.index}`);
          return true;
        },
        reread: (pair, most) => {
          log.push(`reread ${pair.index}`);
          return Math.min(most, 3) - 1;
        },
        refetch: (pair) => log.push(`refetch ${pair.index}`),
        repeated: (pair, wqe) => log.push(`repeated ${pair.index} ${wqe}`),
        issued: (pair, wqe) => log.push(`issued ${pair.index} ${wqe}`),
      },
      burst: new BurstGrant(options.burstDivisor ?? 0),
    });
  }

  add(pathMtu = 4096, priority = 0) {
    const { pair, endpoint } = this.parts.pair({ pathMtu });
    pair.priority = priority;
    this.scheduler.add(pair);
    const wqe = this.parts.wqe();
    return { pair, endpoint, wqe, requests: this.scheduler.member(pair, Member.REQUESTS) };
  }

  /** A queue pair that always has another message of this length. */
  stream(bytes: number, pathMtu = 4096, priority = 0): NicQueuePair {
    const { pair, endpoint, wqe } = this.add(pathMtu, priority);
    endpoint.sendForever(bytes, wqe);
    this.scheduler.ready(pair, Member.REQUESTS);
    return pair;
  }

  run(durationPs: number): void {
    this.parts.run(durationPs);
  }

  /** Nothing that was taken is still held. */
  expectIdle(): void {
    expect(this.parts.packets.inUse).toBe(0);
    for (const pair of this.parts.pairs) {
      expect(pair.send.transmitting).toBe(0);
      for (const member of [Member.REQUESTS, Member.RESPONSES])
        expect(this.scheduler.member(pair, member)).toMatchObject({ slotBytes: 0, scheduled: false });
    }
  }
}

describe('the transmit buffer', () => {
  it.each([
    { streams: 1, packets: 5 },
    { streams: 3, packets: 9 },
  ])('never holds more of a queue pair than its limit, nor more than its bytes: $streams', (row) => {
    const bench = new Bench({ constants: { qpTransmitPackets: 5, transmitBufferBytes: 40_000 } });
    const pairs = Array.from({ length: row.streams }, () => bench.stream(65536));
    let [most, mostTogether] = [0, 0];
    for (let step = 0; step < 500; step++) {
      bench.run(0.05 * US);
      const packets = pairs.map(({ send }) => send.transmitting);
      most = Math.max(most, ...packets);
      mostTogether = Math.max(
        mostTogether,
        packets.reduce((sum, count) => sum + count),
      );
    }
    expect(most).toBeLessThanOrEqual(5);
    // Nine frames of 4 KB fill the buffer.
    expect(mostTogether).toBe(row.packets);
  });

  it.each([40_000, 41_024, 42_048, 43_072])(
    'of %i B is taken in turns by a queue pair of short messages and one of long ones (PeRF §2.2)',
    (transmitBufferBytes) => {
      // The port is what both wait for: neither the gap of a queue pair nor that of the device is longer than a frame.
      const bench = new Bench({ constants: { transmitBufferBytes, qpMessageGapNs: 10, qpPacketGapNs: 0 } });
      const long = bench.stream(65536, 2048);
      const short = bench.stream(16, 2048);
      bench.run(20 * US);
      const before = [bench.frames[long.index], bench.frames[short.index]];
      bench.run(80 * US);
      const [longFrames, shortFrames] = [long, short].map(({ index }) => bench.frames[index] - before[index]);
      expect(longFrames).toBeGreaterThan(100);
      expect(Math.abs(shortFrames / longFrames - 1)).toBeLessThan(0.03);
    },
  );

  it('asks for payload when the bus has credit for it, and in turns', () => {
    const readOutstandingBytes = 4096;
    const bench = new Bench({ readOutstandingBytes });
    const pairs = [bench.stream(65536), bench.stream(65536), bench.stream(65536)];
    bench.run(100 * US);
    const bytes = bench.bytes.reduce((sum, each) => sum + each);
    const most = (readOutstandingBytes * 100 * US) / READ_LATENCY_PS;
    expect(bytes).toBeLessThan(most);
    expect(bytes).toBeGreaterThan(0.95 * most);
    for (const { index } of pairs) expect(bench.bytes[index] / bytes).toBeCloseTo(1 / 3, 1);
    // Short messages without payload of their own need none.
    const reads = new Bench({ readOutstandingBytes: 1 });
    const { pair, endpoint, wqe } = reads.add();
    endpoint.sendForever(0, wqe);
    reads.scheduler.ready(pair, Member.REQUESTS);
    reads.run(10 * US);
    expect(reads.frames[pair.index]).toBeGreaterThan(50);
  });

  it('is separate per class: long messages of another class do not hold a short one up (Lamda §2.1.3)', () => {
    const framesOfShort = (priority: number) => {
      const bench = new Bench();
      for (let index = 0; index < 8; index++) bench.stream(131_072);
      const short = bench.stream(128, 4096, priority);
      bench.run(100 * US);
      return bench.frames[short.index];
    };
    // The port of the test is first come, first served: what is left is the wait for room.
    expect(framesOfShort(1)).toBeGreaterThan(1.5 * framesOfShort(0));
  });
});

describe('a hold', () => {
  it('stops all sending of its tenant until its end, and no longer', () => {
    const bench = new Bench();
    const pair = bench.stream(4096);
    bench.run(50 * US);
    bench.scheduler.hold(bench.parts.simulation.now + 100 * US, 0);
    bench.run(20 * US);
    const before = bench.frames[pair.index];
    bench.run(75 * US);
    expect(bench.frames[pair.index]).toBe(before);
    bench.run(20 * US);
    expect(bench.frames[pair.index]).toBeGreaterThan(before + 30);
    expect(bench.parts.counters.scheduler_held_ps).toBe(100 * US);
  });

  it('leaves the other tenants alone where tenants are told apart', () => {
    const bench = new Bench({ shares: [1, 1] });
    const [one, other] = [bench.stream(4096), bench.stream(4096)];
    other.tenant = 1;
    bench.run(20 * US);
    bench.scheduler.hold(bench.parts.simulation.now + 100 * US, 0);
    bench.run(20 * US);
    const before = [...bench.frames];
    bench.run(60 * US);
    expect(bench.frames[one.index]).toBe(before[one.index]);
    expect(bench.frames[other.index]).toBeGreaterThan(before[other.index] + 100);
  });
});

describe('a queue pair that fails while a unit serves it', () => {
  // The P2100G takes a slot of a full packet before it knows what it sends (C14): that slot must come back.
  it.each(['connectx-6-100g', 'broadcom-p2100g'])('leaves nothing behind in the buffer of a %s', (device) => {
    const bench = new Bench({ device, contextPs: 300_000 });
    const ends = Array.from({ length: 24 }, () => bench.add());
    for (const { pair, endpoint, wqe } of ends) {
      endpoint.sendForever(65536, wqe);
      bench.scheduler.ready(pair, Member.REQUESTS);
    }
    for (const { endpoint } of ends) {
      bench.run(1.3 * US);
      endpoint.open = false;
    }
    bench.run(1000 * US);
    bench.expectIdle();
    // And another has all of it again.
    const again = bench.stream(65536);
    bench.run(100 * US);
    expect(bench.bytes[again.index] * PS_PER_BYTE).toBeGreaterThan(85 * US);
  });
});

describe('processing units', () => {
  const slow = { contextPs: US, constants: { visitPackets: 1 } };

  it('are busy while a context is fetched: with one of them the rate is that of the misses', () => {
    const messagesWith = (processingUnits: number) => {
      const bench = new Bench({ ...slow, constants: { ...slow.constants, processingUnits } });
      for (let index = 0; index < 16; index++) bench.stream(512);
      bench.run(100 * US);
      return bench.frames.reduce((sum, frames) => sum + frames);
    };
    expect(messagesWith(1)).toBeLessThanOrEqual(100);
    expect(messagesWith(1)).toBeGreaterThan(95);
    expect(messagesWith(8)).toBeGreaterThan(8 * 95);
  });

  it('serve their own queue pairs alone where those are bound to them', () => {
    const framesWith = (queuePairsBoundToUnits: number) => {
      const constants = { ...slow.constants, processingUnits: 2, queuePairsBoundToUnits };
      const bench = new Bench({ ...slow, constants });
      // The first and the third have the same unit.
      const pairs = [0, 1, 2].map(() => bench.stream(512));
      bench.run(300 * US);
      return pairs.map(({ index }) => bench.frames[index]);
    };
    const [first, second, third] = framesWith(1);
    expect(first / third).toBeCloseTo(1, 1);
    expect(second / first).toBeCloseTo(2, 1);
    const shared = framesWith(0);
    for (const frames of shared) expect(frames / shared[0]).toBeCloseTo(1, 1);
  });

  it('go on with another queue pair after a visit of a few packets', () => {
    const bench = new Bench({ constants: { processingUnits: 1, visitPackets: 4 } });
    const pairs = [bench.stream(65536), bench.stream(65536)];
    bench.run(100 * US);
    const [one, other] = pairs.map(({ index }) => bench.frames[index]);
    expect(Math.abs(one - other)).toBeLessThanOrEqual(8);
  });
});

describe('a WQE', () => {
  it('that is gone is read again before its first packet, together with those of the rest of the visit', () => {
    const bench = new Bench({ constants: { visitPackets: 8 } });
    const { pair, endpoint, requests } = bench.add();
    const chain = bench.parts.chain(3);
    for (const wqe of chain) {
      bench.gone.add(wqe);
      endpoint.send(64, wqe);
    }
    bench.scheduler.ready(pair, Member.REQUESTS);
    bench.run(10 * US);
    expect(bench.log).toEqual(['reread 0']);
    bench.scheduler.resume(requests.entry);
    bench.run(10 * US);
    // The read brought two more: they are not looked for again.
    expect(bench.log).toEqual(['reread 0', ...chain.map((wqe) => `issued 0 ${wqe}`)]);
    expect(bench.frames[pair.index]).toBe(3);
    bench.expectIdle();
  });

  it('that a queue pair goes back to is read as any other, and waited for', () => {
    const bench = new Bench();
    const { pair, endpoint, wqe, requests } = bench.add();
    bench.gone.add(wqe);
    endpoint.send(64, wqe, { repeats: true });
    bench.scheduler.ready(pair, Member.REQUESTS);
    bench.run(10 * US);
    expect([bench.log, bench.frames[pair.index] ?? 0]).toEqual([['refetch 0'], 0]);
    bench.gone.delete(wqe);
    bench.scheduler.resume(requests.entry);
    bench.run(10 * US);
    expect([bench.log, bench.frames[pair.index]]).toEqual([['refetch 0', `repeated 0 ${wqe}`], 1]);
  });

  it('is counted once however often its packets are sent', () => {
    const bench = new Bench();
    const { pair, endpoint, wqe } = bench.add();
    endpoint.send(64, wqe);
    endpoint.send(64, wqe, { repeats: true });
    bench.scheduler.ready(pair, Member.REQUESTS);
    bench.run(10 * US);
    expect(bench.log).toEqual([`issued 0 ${wqe}`, `repeated 0 ${wqe}`]);
    expect(bench.frames[pair.index]).toBe(2);
  });

  it('is fetched by the unit where the device does not read ahead, and the unit waits for it', () => {
    const bench = new Bench();
    const { pair, endpoint, wqe, requests } = bench.add();
    bench.onDemand = pair;
    bench.scheduler.ready(pair, Member.REQUESTS);
    bench.run(10 * US);
    expect([bench.log, requests.scheduled]).toEqual([['fetch 0'], true]);
    bench.onDemand = null;
    endpoint.send(64, wqe);
    bench.scheduler.resume(requests.entry);
    bench.run(10 * US);
    expect(bench.frames[pair.index]).toBe(1);
    bench.expectIdle();
  });

  it('that the device does alone takes a turn and sends nothing', () => {
    const bench = new Bench();
    const { pair } = bench.add();
    bench.localWqes = 1;
    pair.send.localDue = true;
    bench.scheduler.ready(pair, Member.REQUESTS);
    bench.run(10 * US);
    expect(bench.log).toEqual(['local 0', `issued 0 ${NO_SLOT}`]);
    expect([bench.parts.counters.local_wqes, bench.frames]).toEqual([1, []]);
    bench.expectIdle();
    // One that must wait is neither counted nor asked again.
    pair.send.localDue = true;
    bench.scheduler.ready(pair, Member.REQUESTS);
    bench.run(10 * US);
    expect(bench.log.slice(2)).toEqual(['local 0']);
    expect(bench.parts.counters.local_wqes).toBe(1);
  });
});

describe('READ responses', () => {
  it('are sent in turns with requests, and what is answered otherwise is left to others', () => {
    const bench = new Bench();
    const { pair, endpoint } = bench.add();
    const requester = bench.stream(65536);
    endpoint.answers.push(65536, 'ack');
    bench.scheduler.ready(pair, Member.RESPONSES);
    bench.run(100 * US);
    expect(bench.frames[pair.index]).toBe(16);
    expect(bench.bytes[pair.index]).toBe(65536);
    expect(bench.frames[requester.index]).toBeGreaterThan(100);
    expect(bench.log).toContain('ack 0');
  });

  it('go beside a burst, which keeps other requests out', () => {
    const bench = new Bench({ burstDivisor: 1 });
    const [holder, other, responder] = [bench.add(), bench.add(), bench.add()];
    const { burst } = bench.scheduler as unknown as { burst: BurstGrant };
    for (let pair = 0; pair < 3; pair++) burst.add();
    burst.announce(holder.pair, 1000);
    burst.begin(holder.pair);
    holder.endpoint.send(4_096_000, holder.wqe);
    other.endpoint.send(4096, other.wqe);
    for (const { pair } of [holder, other]) bench.scheduler.ready(pair, Member.REQUESTS);
    responder.endpoint.answers.push(4096);
    bench.run(5 * US);
    bench.scheduler.ready(responder.pair, Member.RESPONSES);
    bench.run(50 * US);
    expect(bench.frames).toEqual([expect.any(Number), undefined, 1]);
    expect(bench.frames[0]).toBeGreaterThan(50);
  });
});

describe('the rate limit of a function', () => {
  it('holds its queue pairs back without a unit, and lets them go on', () => {
    const bench = new Bench({ constants: { processingUnits: 1 } });
    const [limited, free] = [bench.stream(4096), bench.stream(4096)];
    const { simulation } = bench.parts;
    limited.limiter = new FunctionLimiter(simulation, 'limit', 10, (entry) => bench.scheduler.release(entry));
    bench.run(1000 * US);
    const gbps = (index: number) => (bench.frames[index] * (4096 + HEADER_BYTES) * 8) / 1e6;
    expect(gbps(limited.index)).toBeCloseTo(10, 0);
    expect(gbps(free.index)).toBeGreaterThan(80);
  });
});

describe('a READ', () => {
  it('takes a slot of the device that is its own', () => {
    const messages = (op: number) => {
      const bench = new Bench({ constants: { deviceMessageGapNs: 100, deviceReadGapNs: 400 } });
      const { pair, endpoint } = bench.add();
      const wqe = bench.parts.wqe(op, 64);
      for (let index = 0; index < 1000; index++) endpoint.send(64, wqe, { isRead: op === Op.RDMA_READ });
      bench.scheduler.ready(pair, Member.REQUESTS);
      bench.run(100 * US);
      return bench.frames[pair.index];
    };
    expect(messages(Op.RDMA_READ)).toBeCloseTo(250, -1);
    expect(messages(Op.RDMA_WRITE)).toBeGreaterThan(500);
  });
});

import { describe, expect, it, vi } from 'vitest';
import type { DeviceConstants } from '../../../profiles/index.js';
import { OPCODE } from '../../../wire/index.js';
import type { FabricPackets } from '../../fabric/fabric-packets.js';
import type { DmaPath } from '../../pcie/dma-path.js';
import type { RegionAccess } from '../memory/region-access.js';
import type { NicQueuePair } from '../queue-pair/nic-queue-pair.js';
import { Side } from '../parts/context-store.js';
import { constantsOf, TestParts } from '../testing/test-parts.js';
import { ReceiveBuffer } from './receive-buffer.js';
import { ReceivePath } from './receive-path.js';
import { ReceiveFetch, ReceiveRing } from './receive-ring.js';
import { WqeReads } from './wqe-reads.js';

const US = 1e6;
const { HIT, MISS, STALL } = ReceiveFetch;

/** A receive queue of which the test says where each entry is. */
class TestRing extends ReceiveRing {
  readonly found: number[] = [];
  readPs = 700_000;

  constructor(path: DmaPath) {
    super(path, 0);
  }

  override post(count: number): void {
    this.posted += count;
  }

  override take(): number {
    this.taken++;
    return this.found.shift() ?? HIT;
  }

  override read(_found: number, nowPs: number): number {
    return nowPs + this.readPs;
  }
}

interface BenchOptions {
  constants?: Partial<Record<keyof DeviceConstants, number>>;
  ablated?: readonly string[];
  shares?: readonly number[];
}

/** A receive path whose contexts, send WQEs and transport are the test's, on a host where nobody waits. */
function makeBench(options: BenchOptions = {}) {
  const constants = constantsOf('connectx-6-200g', { missQueueShare: 0, ...options.constants });
  const parts = new TestParts(constants, options.ablated, options.shares);
  const { packets, simulation, pairs } = parts;
  const log: string[] = [];
  /** What the next lookups of contexts take. */
  const contextPs: number[] = [];
  /** The sides whose slots they took. */
  const sides: number[] = [];
  const state = { steered: true, readIsThere: true, rereadsBehind: false, loopbackBytes: 0 };
  const buffer = new ReceiveBuffer(simulation, {
    xoffBytes: 1e6,
    xonBytes: 1e6,
    bufferBytes: 1e6,
    lossless: false,
    pause: () => {},
  });
  const path = new ReceivePath({
    wqes: parts.wqes,
    name: parts.name,
    simulation,
    constants,
    ablated: parts.ablated,
    counters: parts.counters,
    shares: parts.shares,
    random: parts.random,
    packets,
    pcie: parts.pcie,
    pairs,
    router: { findQueuePair: (packet) => (state.steered ? pairs[packets.destQpn[packet]] : null) },
    contexts: {
      lookUp: (nowPs, _key, side) => {
        sides.push(side);
        return nowPs + (contextPs.shift() ?? 0);
      },
      warm: () => {},
    },
    regions: {
      translateRemote: (_: unknown, { rkey }: FabricPackets, packet: number, nowPs: number) =>
        nowPs + rkey[packet],
    } as unknown as RegionAccess,
    wqeReads: new WqeReads(constants, parts.pcie, parts.shares, parts.random),
    processors: null,
    port: {
      buffer,
      freePacket: (packet) => packets.free(packet),
      loopbackReleased: (bytes) => {
        state.loopbackBytes -= bytes;
      },
    },
  });
  path.join({
    hasPayload: () => false,
    readAnswered: () => state.readIsThere,
    get rereadsBehind() {
      return state.rereadsBehind;
    },
    serveReads: ({ index }) => log.push(`serves reads ${index}`),
    oweAcks: ({ index, receive }) => {
      receive.owesAcks = true;
      log.push(`owes acks ${index}`);
    },
  });
  const add = (type: 'RC' | 'UC' | 'UD' = 'RC') => {
    const { pair, endpoint } = parts.pair({ type });
    const ring = new TestRing(parts.path);
    pair.receive.ring = ring;
    endpoint.onReceived = (packet) => {
      log.push(`${simulation.now} ${pair.index} psn ${packets.psn[packet]}`);
    };
    return { pair, endpoint, ring };
  };
  /** A packet arrives for a queue pair. */
  const arrive = (
    pair: NicQueuePair,
    opcode: number,
    fields: { psn?: number; bytes?: number; rkey?: number; dmaBytes?: number } = {},
  ) => {
    const packet = packets.take();
    packets.opcode[packet] = opcode;
    packets.psn[packet] = fields.psn ?? 0;
    packets.payloadBytes[packet] = fields.bytes ?? 0;
    packets.wireBytes[packet] = (fields.bytes ?? 0) + 62;
    packets.rkey[packet] = fields.rkey ?? 0;
    packets.dmaBytes[packet] = fields.dmaBytes ?? 0;
    packets.destQpn[packet] = pair.index;
    return packet;
  };
  const fromWire = (...given: Parameters<typeof arrive>) => {
    const packet = arrive(...given);
    expect(buffer.admit(packets.wireBytes[packet], 0)).toBe(true);
    path.arrive(packet);
  };
  const fromInside = (...given: Parameters<typeof arrive>) => {
    const packet = arrive(...given);
    state.loopbackBytes += packets.wireBytes[packet];
    path.arriveLoopback(packet);
  };
  /** The packets that the transport got, as 'queue pair psn'. */
  const got = () =>
    log.filter((line) => line.includes('psn')).map((line) => line.replace(/^\S+ (\S+) psn /, '$1 '));
  const drained = () => {
    expect([packets.inUse, buffer.occupancyBytes, state.loopbackBytes, path.waitingMessages]).toEqual([
      0, 0, 0, 0,
    ]);
  };
  return { parts, path, log, contextPs, sides, state, add, fromWire, fromInside, got, drained };
}

describe('arrived packets', () => {
  it('take the time of the path one after the other, by what they are', () => {
    const { parts, log, add, fromWire, drained } = makeBench();
    const { pair } = add();
    for (let psn = 0; psn < 3; psn++) fromWire(pair, OPCODE.RC_WRITE_MIDDLE, { psn });
    parts.run(US);
    const costPs = Math.round(parts.constants.receiveOnlyNs * 1000);
    expect(log).toEqual([1, 2, 3].map((turn) => `${turn * costPs} 0 psn ${turn - 1}`));
    expect(parts.counters.engine_busy_ps).toBe(3 * costPs);
    drained();
  });

  it('of a longer message cost by what they carry up to a limit, and what a short message costs at least', () => {
    const { receiveOnlyNs, receiveMultiNs, receiveMultiBytes } = makeBench().parts.constants;
    const busyNs = (bytes: number) => {
      const { parts, add, fromWire } = makeBench();
      fromWire(add().pair, OPCODE.RC_WRITE_MIDDLE, { bytes });
      parts.run(US);
      return parts.counters.engine_busy_ps / 1000;
    };
    expect(busyNs(receiveMultiBytes / 2)).toBe(receiveMultiNs / 2);
    expect(busyNs(1)).toBe(receiveOnlyNs);
    expect(busyNs(receiveMultiBytes)).toBe(receiveMultiNs);
    expect(busyNs(2 * receiveMultiBytes)).toBe(receiveMultiNs);
  });

  it('of the wire and of the inside are served as they come', () => {
    const { parts, got, add, fromWire, fromInside, drained } = makeBench();
    const { pair } = add();
    for (let psn = 0; psn < 2; psn++) fromWire(pair, OPCODE.RC_WRITE_MIDDLE, { psn });
    for (let psn = 10; psn < 13; psn++) fromInside(pair, OPCODE.RC_WRITE_MIDDLE, { psn });
    fromWire(pair, OPCODE.RC_WRITE_MIDDLE, { psn: 2 });
    parts.run(US);
    expect(got()).toEqual(['0 0', '0 1', '0 10', '0 11', '0 12', '0 2']);
    drained();
  });

  it('are looked up on the side of whom they are for: what answers a request, on that of the requester', () => {
    const { parts, sides, add, fromWire } = makeBench();
    const { pair } = add();
    const { RC_WRITE_ONLY, RC_READ_REQUEST, RC_READ_RESPONSE_ONLY, RC_ACKNOWLEDGE } = OPCODE;
    for (const opcode of [RC_WRITE_ONLY, RC_READ_REQUEST, RC_READ_RESPONSE_ONLY, RC_ACKNOWLEDGE])
      fromWire(pair, opcode);
    parts.run(US);
    expect(sides).toEqual([Side.RESPONDER, Side.RESPONDER, Side.REQUESTER, Side.REQUESTER]);
  });

  it('of a SEND that its completion has room for are not written by themselves', () => {
    const { parts, add, fromWire, drained } = makeBench();
    const { pair, ring } = add();
    ring.post(2);
    const write = vi.spyOn(parts.pcie, 'writePayload');
    const { completionScatterBytes } = parts.constants;
    expect(completionScatterBytes).toBe(32);
    fromWire(pair, OPCODE.RC_SEND_ONLY, { psn: 1, bytes: completionScatterBytes });
    fromWire(pair, OPCODE.RC_WRITE_ONLY, { psn: 2, bytes: completionScatterBytes });
    fromWire(pair, OPCODE.RC_SEND_ONLY, { psn: 3, bytes: completionScatterBytes + 1 });
    parts.run(US);
    expect(write.mock.calls.map(([, bytes]) => bytes)).toEqual([32, 33]);
    drained();
  });

  it('for nobody are counted and dropped, and the path goes on', () => {
    const { parts, state, got, add, fromWire, drained } = makeBench();
    const { pair } = add();
    state.steered = false;
    fromWire(pair, OPCODE.RC_WRITE_ONLY, { psn: 1 });
    parts.run(US);
    state.steered = true;
    fromWire(pair, OPCODE.RC_WRITE_ONLY, { psn: 2 });
    parts.run(US);
    expect([got(), parts.counters.rx_steer_missed_packets]).toEqual([['0 2'], 1]);
    drained();
  });

  it('wait for a context aside, in the order of their queue pair; others pass them', () => {
    const { parts, contextPs, got, log, add, fromWire, drained } = makeBench();
    const [one, other] = [add(), add()];
    contextPs.push(500_000);
    fromWire(one.pair, OPCODE.RC_WRITE_ONLY, { psn: 1 });
    fromWire(one.pair, OPCODE.RC_WRITE_ONLY, { psn: 2 });
    fromWire(other.pair, OPCODE.RC_WRITE_ONLY, { psn: 3 });
    parts.run(US);
    expect(got()).toEqual(['1 3', '0 1', '0 2']);
    const times = log.map((line) => Number(line.split(' ')[0]));
    expect(times[1]).toBe(times[2]);
    expect(times[1]).toBeGreaterThan(500_000);
    drained();
  });

  it('wait for the translation of their remote key, and for the write of their payload', () => {
    const { parts, log, add, fromWire } = makeBench();
    const { pair } = add();
    const costPs = Math.round(parts.constants.receiveOnlyNs * 1000);
    fromWire(pair, OPCODE.RC_WRITE_ONLY, { psn: 1, rkey: 300_000 });
    parts.run(US);
    expect(log).toEqual([`${costPs + 300_000} 0 psn 1`]);
    fromWire(pair, OPCODE.RC_WRITE_ONLY, { psn: 2, bytes: 4096 });
    parts.run(US);
    expect(parts.pcie.upBytes).toBe(4096 + 20);
    expect(log.slice(1, 2)).toEqual(['owes acks 0']);
    expect(Number(log[2].split(' ')[0])).toBeGreaterThan(US + costPs);
  });

  it('pay more for an atomic that follows a READ', () => {
    const busyPs = (before: boolean) => {
      const { parts, add, fromWire } = makeBench();
      const { pair } = add();
      if (before) fromWire(pair, OPCODE.RC_READ_REQUEST);
      fromWire(pair, OPCODE.RC_FETCH_ADD);
      parts.run(US);
      return parts.counters.engine_busy_ps;
    };
    const { atomicReadFenceNs, readRequestNs } = constantsOf('connectx-6-200g');
    expect(busyPs(true) - busyPs(false)).toBe(Math.round((atomicReadFenceNs + readRequestNs) * 1000));
  });
});

describe('messages that take a receive', () => {
  it('wait aside with a descriptor while theirs is read', () => {
    const { parts, path, got, add, fromWire, drained } = makeBench();
    const [one, other] = [add(), add()];
    for (const { ring } of [one, other]) ring.post(2);
    one.ring.found.push(MISS);
    fromWire(one.pair, OPCODE.RC_SEND_ONLY, { psn: 1 });
    fromWire(other.pair, OPCODE.RC_SEND_ONLY, { psn: 2 });
    parts.run(0.2 * US);
    expect([path.waitingMessages, got()]).toEqual([1, ['1 2']]);
    parts.run(US);
    expect(got()).toEqual(['1 2', '0 1']);
    expect(parts.counters).toMatchObject({ receive_wqe_cache_hit: 1, receive_wqe_cache_miss: 1 });
    drained();
  });

  it('beyond the descriptors are dropped, and refused until they are sent again', () => {
    const { parts, got, add, fromWire, drained } = makeBench({ constants: { receiveDescriptors: 1 } });
    const [one, other] = [add(), add()];
    for (const { ring } of [one, other]) {
      ring.post(4);
      ring.found.push(MISS);
    }
    fromWire(one.pair, OPCODE.RC_SEND_ONLY, { psn: 1 });
    for (const psn of [5, 6]) fromWire(other.pair, OPCODE.RC_SEND_ONLY, { psn });
    parts.run(2 * US);
    expect(parts.counters.rx_dropped_no_descriptor).toBe(1);
    expect(other.endpoint.dropped).toEqual([OPCODE.RC_SEND_ONLY]);
    // The one behind the loss reaches the transport, which refuses it, and takes no receive.
    expect([got(), other.ring.taken]).toEqual([['1 6', '0 1'], 0]);
    fromWire(other.pair, OPCODE.RC_SEND_ONLY, { psn: 5 });
    parts.run(2 * US);
    expect(got().slice(2)).toEqual(['1 5']);
    expect(other.pair.receive.lostPsn).toBe(-1);
    drained();
  });

  it('that come after a missing one take no receive and cross no bus, until it is sent again', () => {
    const { parts, got, add, fromWire, drained } = makeBench();
    const { pair, ring } = add();
    pair.receive.refusesGaps = true;
    ring.post(8);
    const write = vi.spyOn(parts.pcie, 'writePayload');
    const send = (psn: number) => fromWire(pair, OPCODE.RC_SEND_ONLY, { psn, bytes: 100 });
    // The second wraps around; a READ request of three responses has as many numbers.
    send(0xffffff);
    fromWire(pair, OPCODE.RC_READ_REQUEST, { psn: 0, dmaBytes: 3 * 4096 });
    send(3);
    for (const psn of [5, 6]) send(psn);
    parts.run(US);
    expect([parts.counters.receive_wqe_cache_hit, write.mock.calls.length]).toEqual([2, 2]);
    for (const psn of [4, 5, 6]) send(psn);
    parts.run(US);
    expect([parts.counters.receive_wqe_cache_hit, write.mock.calls.length]).toEqual([5, 5]);
    // The transport sees all of them.
    expect(got()).toEqual([0xffffff, 0, 3, 5, 6, 4, 5, 6].map((psn) => `0 ${psn}`));
    drained();
  });

  it('of a datagram beyond the descriptors are gone', () => {
    const { parts, add, fromWire, drained } = makeBench({ constants: { receiveDescriptors: 0 } });
    const { pair, endpoint, ring } = add('UD');
    ring.post(1);
    ring.found.push(MISS);
    fromWire(pair, OPCODE.UD_SEND_ONLY);
    parts.run(US);
    expect([endpoint.received, endpoint.dropped, ring.available]).toEqual([[], [], 1]);
    drained();
  });

  it('stop the path where the device reads a chunk of the ring again', () => {
    const { parts, log, add, fromWire, drained } = makeBench();
    const [one, other] = [add(), add()];
    one.ring.post(1);
    one.ring.found.push(STALL);
    fromWire(one.pair, OPCODE.RC_SEND_ONLY, { psn: 1 });
    fromWire(other.pair, OPCODE.RC_WRITE_ONLY, { psn: 2 });
    parts.run(2 * US);
    const [stalled, passed] = log.map((line) => Number(line.split(' ')[0]));
    expect(passed).toBeGreaterThan(stalled);
    expect(parts.counters.engine_stalled_ps).toBe(one.ring.readPs);
    drained();
  });

  it.each([
    ['RC', 'rnrHoldReliableNs'],
    ['UC', 'rnrHoldUnreliableNs'],
    ['UD', 'rnrHoldDatagramNs'],
  ] as const)(
    'and find none hold the path for as long as %s does, or until one is posted',
    (type, constant) => {
      const opcode = OPCODE[`${type}_SEND_ONLY`];
      const { parts, path, got, add, fromWire, drained } = makeBench({ constants: { [constant]: 20_000 } });
      const [one, other] = [add(type), add()];
      const hold = () => {
        fromWire(one.pair, opcode, { psn: 1 });
        fromWire(other.pair, OPCODE.RC_WRITE_ONLY, { psn: 2 });
      };
      hold();
      parts.run(19 * US);
      expect(got()).toEqual(['0 1']);
      parts.run(2 * US);
      expect(got()).toEqual(['0 1', '1 2']);
      hold();
      parts.run(5 * US);
      expect(got()).toHaveLength(3);
      path.receivesThere(other.ring);
      parts.run(US);
      expect(got()).toHaveLength(3);
      path.receivesThere(one.ring);
      parts.run(US);
      expect(got()).toHaveLength(4);
      expect(parts.counters.rnr_holds).toBe(2);
      drained();
    },
  );

  it('and find none only because a message before them took one that it does not use hold the path until then', () => {
    const { parts, got, add, fromWire, drained } = makeBench({ constants: { rnrHoldReliableNs: 20_000 } });
    const [one, two, other] = [add(), add(), add()];
    two.pair.receive.ring = one.ring;
    one.ring.post(1);
    one.ring.found.push(MISS);
    // The transport of this test uses no receive, as one that finds the first message to be a duplicate.
    fromWire(one.pair, OPCODE.RC_SEND_ONLY, { psn: 1 });
    fromWire(two.pair, OPCODE.RC_SEND_ONLY, { psn: 2 });
    fromWire(other.pair, OPCODE.RC_WRITE_ONLY, { psn: 3 });
    parts.run(0.5 * US);
    expect(parts.counters.rnr_holds).toBe(1);
    expect(got()).not.toContain('2 3');
    parts.run(US);
    expect(got()).toContain('2 3');
    drained();
  });

  it('and find none hold their function alone where that is a virtual one (Husky §5.1)', () => {
    const { parts, got, add, fromWire, drained } = makeBench({ constants: { rnrHoldReliableNs: 20_000 } });
    const [one, neighbour, other] = [add(), add(), add()];
    for (const { pair } of [one, neighbour]) pair.functionNumber = 1;
    fromWire(one.pair, OPCODE.RC_SEND_ONLY, { psn: 1 });
    fromWire(neighbour.pair, OPCODE.RC_WRITE_ONLY, { psn: 2 });
    fromWire(other.pair, OPCODE.RC_WRITE_ONLY, { psn: 3 });
    parts.run(5 * US);
    expect(got()).toEqual(['0 1', '2 3']);
    parts.run(20 * US);
    expect(got()).toEqual(['0 1', '2 3', '1 2']);
    drained();
  });
});

describe('work for the send side', () => {
  it('takes a turn of the path, those that wait together, and comes back when its read is done', () => {
    const { parts, path, log, add, fromWire } = makeBench();
    const { pair } = add();
    const handler = parts.simulation.register('done', (argument) => {
      log.push(`${parts.simulation.now} done ${argument}`);
    });
    const jobPs = Math.round(parts.constants.wqeMissTransmitNs * 1000);
    path.addJob(handler, 7, 300_000);
    path.addJob(handler, 8, 1000);
    fromWire(pair, OPCODE.RC_WRITE_ONLY, { psn: 1 });
    parts.run(2 * US);
    const packetPs = Math.round(parts.constants.receiveOnlyNs * 1000);
    expect(log).toEqual(['1000 done 8', '300000 done 7', `${jobPs + packetPs} 0 psn 1`]);
  });

  it('waits until packets had as much time as the last', () => {
    const { parts, path, add, fromWire } = makeBench();
    const { pair } = add();
    const done: number[] = [];
    const handler = parts.simulation.register('done', () => void done.push(parts.simulation.now));
    path.addJob(handler, 0, 0);
    for (let psn = 0; psn < 1000; psn++) fromWire(pair, OPCODE.RC_WRITE_ONLY, { psn });
    const jobPs = Math.round(parts.constants.wqeMissTransmitNs * 1000);
    parts.run(jobPs + 1);
    path.addJob(handler, 0, 0);
    parts.run(10 * US);
    expect(done[0]).toBe(0);
    expect(done[1]).toBeGreaterThanOrEqual(2 * jobPs);
  });

  it('is owed for acknowledgements, and not for the WQE of a READ that is gone, which its response waits for aside', () => {
    const { parts, path, state, add, fromWire, drained } = makeBench();
    const { pair } = add();
    const { ackNs, readResponseOnlyNs, receiveOnlyNs } = parts.constants;
    path.charge();
    fromWire(pair, OPCODE.RC_WRITE_ONLY);
    parts.run(US);
    expect(parts.counters.engine_busy_ps).toBe(Math.round(ackNs * 1000) + Math.round(receiveOnlyNs * 1000));
    state.readIsThere = false;
    fromWire(pair, OPCODE.RC_READ_RESPONSE_ONLY);
    parts.run(5 * US);
    fromWire(pair, OPCODE.RC_WRITE_ONLY);
    parts.run(5 * US);
    const more = Math.round(readResponseOnlyNs * 1000);
    expect(parts.counters.engine_busy_ps).toBe(
      Math.round(ackNs * 1000) + 2 * Math.round(receiveOnlyNs * 1000) + more,
    );
    expect(parts.counters.send_wqe_cache_miss).toBe(1);
    drained();
  });

  it.each([
    { rereadsBehind: false, reads: 'one after the other where a cache may still have them', times: 3 },
    { rereadsBehind: true, reads: 'together where none is ever kept', times: 1 },
  ])('WQEs of READs whose responses wait behind each other are read $reads', ({ rereadsBehind, times }) => {
    const { parts, log, state, add, fromWire, drained } = makeBench({
      constants: { readListMissSlots: 4, receiveWqeMissNs: 1000 },
    });
    Object.assign(state, { readIsThere: false, rereadsBehind });
    const { pair } = add();
    for (let psn = 0; psn < 3; psn++) fromWire(pair, OPCODE.RC_READ_RESPONSE_ONLY, { psn });
    parts.run(10 * US);
    expect(log).toHaveLength(3);
    const lastPs = Number(log[2].split(' ')[0]);
    expect(Math.floor(lastPs / US)).toBe(times);
    expect(parts.counters.send_wqe_cache_miss).toBe(3);
    drained();
  });

  it('is free where the path does nothing but receive', () => {
    const { parts, path, add, fromWire } = makeBench({ ablated: ['engine-shared'] });
    const { pair } = add();
    path.charge();
    fromWire(pair, OPCODE.RC_WRITE_ONLY);
    parts.run(US);
    expect(parts.counters.engine_busy_ps).toBe(Math.round(parts.constants.receiveOnlyNs * 1000));
  });
});

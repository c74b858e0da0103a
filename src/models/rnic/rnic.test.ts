import { describe, expect, it, vi } from 'vitest';
import { MemoryTable, NO_SLOT } from '../../verbs/base/index.js';
import { type NicArchitecture, nicPart } from './architecture.js';
import { nicArchitectures } from './architectures.js';
import { connectx } from './connectx/connectx.js';
import { ledgerOf } from './ledger.js';
import type { MemoryLedger, MemoryUse } from './parts/memory-ledger.js';
import type { NicQueuePair } from './queue-pair/nic-queue-pair.js';
import { Rnic } from './rnic.js';
import { TestEndpoint } from './testing/test-endpoint.js';
import { constantsOf, TestParts } from './testing/test-parts.js';

/** Bytes of a ledger in one place. */
function bytesAt(ledger: MemoryLedger, place: MemoryLedger[number]['place']): number {
  return ledger.reduce((sum, row) => (row.place === place ? sum + row.bytes : sum), 0);
}

const US = 1e6;

/** A whole NIC that sends to itself; send queues and steering are the test's. */
function makeNic(architecture: NicArchitecture = connectx, more: { invalidationHoldNs?: number } = {}) {
  const parts = new TestParts(constantsOf('connectx-6-200g', more));
  const { packets } = parts;
  const untaken = new Map<NicQueuePair, number[]>();
  const nic: Rnic = new Rnic({
    name: 'nic',
    node: 0,
    simulation: parts.simulation,
    packets,
    architecture,
    constants: parts.constants,
    random: parts.random,
    client: {
      firstUntaken: (pair) => untaken.get(pair)?.[0] ?? NO_SLOT,
      executeLocal: () => false,
      wqesVisible: (pair) => {
        const endpoint = pair.endpoint as TestEndpoint;
        const requests = untaken.get(pair) ?? [];
        for (; pair.send.untaken > 0; pair.send.untaken--) endpoint.send(4096, requests.shift()!);
        nic.requestReady(pair);
      },
      findQueuePair: (packet) => nic.pairs[packets.destQpn[packet]],
      route: (packet, pair) => {
        packets.destination[packet] = 0;
        packets.destQpn[packet] = pair.index;
      },
      pathTo: () => parts.path,
      releasePayload: () => {},
    },
    wqes: parts.wqes,
    memory: new MemoryTable(() => 1),
    queuePath: parts.path,
    ordering: null,
    completionLatencyPs: 1000,
    pcieGbps: 200,
    lossless: true,
    marking: false,
    doorbellsWaitingMax: 64,
  });
  const add = () => {
    const endpoint = new TestEndpoint(packets);
    const pair = nic.add(endpoint, 0);
    return { pair, endpoint };
  };
  /** Posts this many WRITEs of one packet with one doorbell. */
  const post = (pair: NicQueuePair, count: number) => {
    untaken.set(pair, parts.chain(count));
    nic.sendPath.doorbells.ring(pair, count, false, parts.simulation.now + 1000);
  };
  return { parts, nic, add, post };
}

describe('a NIC', () => {
  it('takes requests from doorbell to arrival: WQE fetch, scheduler, port and receive path', () => {
    const { parts, nic, add, post } = makeNic();
    const { pair, endpoint } = add();
    post(pair, 16);
    parts.run(100 * US);
    expect(endpoint.received).toHaveLength(16);
    expect(nic.counters).toMatchObject({ doorbells: 1, vport_loopback_packets: 16, tx_packets_phy: 0 });
    expect([parts.packets.inUse, nic.port.buffer.occupancyBytes, pair.send.transmitting]).toEqual([0, 0, 0]);
    expect(pair.account.pending).toBe(0);
  });

  it('gives each queue pair context keys and an index of its own', () => {
    const { nic, add } = makeNic();
    const pairs = [add(), add(), add()].map(({ pair }) => pair);
    expect(pairs.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(nic.pairs).toEqual(pairs);
    const keys = pairs.map(({ context }) => context.next());
    expect(new Set([...keys, nic.newContextKey()]).size).toBe(4);
    // Each was used before the measurement: it is on chip.
    for (const key of keys) expect(nic.contexts.lookUp(7, key, 0, 0)).toBe(7);
  });

  it('forgets what a queue pair had under way', () => {
    const { parts, nic, add, post } = makeNic();
    const { pair, endpoint } = add();
    post(pair, 8);
    pair.receive.lostPsn = 5;
    parts.run(1100);
    nic.forget(pair);
    parts.run(100 * US);
    expect([endpoint.received, pair.account.pending, pair.receive.lostPsn]).toEqual([[], 0, -1]);
  });

  it('stops sending for a deregistration, once there was traffic', () => {
    const { parts, nic, add, post } = makeNic(undefined, { invalidationHoldNs: 50_000 });
    const { pair, endpoint } = add();
    nic.deregistered(1);
    expect(nic.hasTraffic).toBe(false);
    post(pair, 1);
    parts.run(10 * US);
    expect([endpoint.received.length, nic.hasTraffic]).toEqual([1, true]);
    nic.deregistered(1);
    post(pair, 1);
    parts.run(40 * US);
    expect(endpoint.received).toHaveLength(1);
    parts.run(20 * US);
    expect(endpoint.received).toHaveLength(2);
    expect(nic.counters).toMatchObject({ deregistrations: 1, scheduler_held_ps: 50 * US });
  });

  it('shows a completion when its context is there and it was written', () => {
    const { parts, nic } = makeNic();
    const queue = { contextKey: nic.newContextKey(), tenant: 0, path: parts.path, acceptedPs: 0, written: 0 };
    const missPs = Math.round(parts.constants.contextMissNs * 1000);
    expect(nic.completionPs(queue)).toBe(missPs + 1000);
    expect(nic.completionPs(queue)).toBeLessThan(missPs);
  });

  it('writes completions that wait for the bus together, and as many as go in one', () => {
    const { parts, nic } = makeNic();
    const queue = { contextKey: nic.newContextKey(), tenant: 0, path: parts.path, acceptedPs: 0, written: 0 };
    const other = { ...queue, contextKey: nic.newContextKey() };
    const write = vi.spyOn(nic.pcie, 'write');
    const { completionsPerWrite } = parts.constants;
    for (let count = 0; count < completionsPerWrite; count++) nic.completionPs(queue);
    expect([completionsPerWrite, write.mock.calls.length]).toEqual([8, 1]);
    nic.completionPs(other);
    nic.completionPs(queue);
    expect(write).toHaveBeenCalledTimes(3);
    // On an idle bus each goes by itself.
    parts.run(10 * US);
    nic.completionPs(queue);
    parts.run(10 * US);
    nic.completionPs(queue);
    expect(write).toHaveBeenCalledTimes(5);
  });
});

describe('an architecture', () => {
  it('is found by the name that profiles use; another name is refused', () => {
    const architectures = nicArchitectures();
    expect(architectures.compose({ base: 'connectx', parts: {} })).toBe(connectx);
    expect(() => architectures.compose({ base: 'abacus', parts: {} })).toThrowError(
      expect.objectContaining({ code: 'UNKNOWN_ARCHITECTURE', field: 'architecture', given: 'abacus' }),
    );
    expect(() => architectures.compose({ base: 'connectx', parts: { contexts: 'beads' } })).toThrowError(
      expect.objectContaining({ code: 'UNKNOWN_PART', field: 'architecture.contexts', given: 'beads' }),
    );
  });

  it('may be another but for one part', () => {
    let lookups = 0;
    const resident = nicPart('contexts', { name: 'counted', constants: {} }, () => ({
      lookUp: (nowPs) => {
        lookups++;
        return nowPs;
      },
      warm: () => {},
    }));
    const added = { ...connectx, name: 'toy', parts: { ...connectx.parts, contexts: resident } };
    const mixed = nicArchitectures([added]).compose({ base: 'connectx', parts: { contexts: 'counted' } });
    const { parts, nic, add, post } = makeNic(mixed);
    const { pair, endpoint } = add();
    post(pair, 4);
    parts.run(100 * US);
    expect(endpoint.received).toHaveLength(4);
    expect(lookups).toBeGreaterThan(4);
    expect(nic.counters).toMatchObject({ icm_cache_hit: 0, icm_cache_miss: 0 });
  });

  it('accounts for its memory by structure and place', () => {
    const constants = constantsOf('connectx-6-200g');
    const ledger = (use: MemoryUse) => ledgerOf(connectx, constants, use);
    const use = { queuePairs: 1000, regionsBytes: 2 ** 32 };
    const rows = Object.fromEntries(ledger(use).map(({ structure, bytes }) => [structure, bytes]));
    // 4 GB in pages of 4 KB: 8 MB of translations (SRNIC, table 1).
    expect(rows['translations']).toBe(8 * 2 ** 20);
    expect(rows['contexts']).toBe(1000 * constants.contextBytes);
    expect(rows['context cache']).toBe(constants.contextCacheEntries * constants.contextBytes);
    // What is on chip does not grow with the memory that is registered, and not with contexts.
    const more = ledger({ ...use, regionsBytes: 2 ** 40 });
    expect(bytesAt(more, 'chip')).toBe(bytesAt(ledger(use), 'chip'));
    expect(bytesAt(more, 'host')).toBeGreaterThan(100 * bytesAt(ledger(use), 'host'));
  });
});

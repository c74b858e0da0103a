import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runFile } from '../testing/runs.js';
import { readTopology } from '../ns3/topology-file.js';
import { addressOf, ecmpHash } from './ecmp-hash.js';
import { PortPlan } from './port-plan.js';
import { Routing } from './routing.js';
import type { Topology } from './topology.js';

function routed(topology: Topology) {
  const plan = new PortPlan(topology);
  return { plan, routing: new Routing(topology, plan, 1000, 'descending') };
}

describe('the hash', () => {
  it('is MurmurHash3 of 32 bits', () => {
    // The reference implementation of MurmurHash3_x86_32 over twelve bytes of zero: seeds 0 and 1.
    expect(ecmpHash(0, 0, 0, 0)).toBe(murmur3(new Uint8Array(12), 0));
    const words = Uint32Array.of(addressOf(7), addressOf(300), 10_000 | (100 << 16));
    for (const seed of [0, 1, 320, 0x7fffffff])
      expect(ecmpHash(words[0], words[1], words[2], seed)).toBe(murmur3(new Uint8Array(words.buffer), seed));
  });

  it('takes addresses as HPCC gives them', () => {
    expect(addressOf(2).toString(16)).toBe('b000201');
    expect(addressOf(319).toString(16)).toBe('b013f01');
  });
});

describe('routes', () => {
  const topology = readTopology('fat.txt', runFile('fat.txt'));
  const { plan, routing } = routed(topology);

  it('lead from port to port to the target, by a shortest way', () => {
    const host = fc.nat(319);
    fc.assert(
      fc.property(host, host, fc.integer({ min: 10_000, max: 10_100 }), (source, target, sport) => {
        fc.pre(source !== target);
        const path: number[] = [];
        let port = routing.route(source, target, sport, 100, path);
        expect(plan.node[port]).toBe(source);
        for (const egress of path) {
          expect(plan.node[plan.peer[port]]).toBe(plan.node[egress]);
          port = egress;
        }
        expect(plan.node[plan.peer[port]]).toBe(target);
        const rack = Math.floor(source / 16) === Math.floor(target / 16);
        const pod = Math.floor(source / 64) === Math.floor(target / 64);
        expect(path.length).toBe(rack ? 1 : pod ? 3 : 5);
      }),
    );
  });

  it('spread over equal ways', () => {
    const used = new Set<number>();
    for (let sport = 10_000; sport < 10_100; sport++) {
      const path: number[] = [];
      routing.route(0, 319, sport, 100, path);
      used.add(path[0]);
    }
    expect(used.size).toBe(4);
  });

  it('know the round trip without queues, and the longest', () => {
    // Six links of 1 us; 80 ns for 1,000 bytes on each host link, 20 ns on each of the four between switches.
    expect(routing.roundTrip(0, 319)).toEqual({ rttNs: 12_240, bottleneckBps: 100e9, windowBytes: 153_000 });
    expect(routing.roundTrip(0, 1)).toEqual({ rttNs: 4160, bottleneckBps: 100e9, windowBytes: 52_000 });
    expect(routing.longestRoundTrip()).toMatchObject({ rttNs: 12_240, windowBytes: 153_000 });
  });

  it('do not lead through hosts, and say so if there is no other way', () => {
    const link = { rateBps: 100e9, delayNs: 1000 };
    // Switches 0 and 1 are connected by host 3 alone.
    const split = routed({
      nodes: 5,
      isSwitch: Uint8Array.of(1, 1, 0, 0, 0),
      links: [
        { from: 0, to: 2, ...link },
        { from: 0, to: 3, ...link },
        { from: 1, to: 3, ...link },
        { from: 1, to: 4, ...link },
      ],
    });
    expect(() => split.routing.route(2, 4, 10_000, 100, [])).toThrow(
      expect.objectContaining({ code: 'FABRIC_UNREACHABLE' }),
    );
    const path: number[] = [];
    split.routing.route(2, 3, 10_000, 100, path);
    expect(path.length).toBe(1);
  });
});

/** MurmurHash3_x86_32 for whole words, as published. */
function murmur3(bytes: Uint8Array, seed: number): number {
  const view = new DataView(bytes.buffer);
  let hash = BigInt(seed);
  const mask = 0xffffffffn;
  const rotate = (value: bigint, bits: bigint) => ((value << bits) | (value >> (32n - bits))) & mask;
  for (let at = 0; at < bytes.length; at += 4) {
    let k = (BigInt(view.getUint32(at, true)) * 0xcc9e2d51n) & mask;
    k = (rotate(k, 15n) * 0x1b873593n) & mask;
    hash = (rotate(hash ^ k, 13n) * 5n + 0xe6546b64n) & mask;
  }
  hash ^= BigInt(bytes.length);
  hash = ((hash ^ (hash >> 16n)) * 0x85ebca6bn) & mask;
  hash = ((hash ^ (hash >> 13n)) * 0xc2b2ae35n) & mask;
  return Number(hash ^ (hash >> 16n));
}

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random } from '../../engine/index.js';
import type { WorkloadInput } from './description.js';
import { resolveWorkload } from './load.js';
import { l2BytesOf, MessagePlan, nothingDelivered, packetsOf } from './message-plan.js';

function planOf(input: WorkloadInput): MessagePlan {
  return new MessagePlan(resolveWorkload(input).tenants[0], new Random(1));
}

describe('bytes on the wire', () => {
  it.each([
    // 29 + 3 of padding, 62 of headers and checks, 16 of RETH; Husky's 127 has preamble and gap, and no padding.
    ['WRITE', 29, 1024, 110],
    ['WRITE', 4096, 1024, 4096 + 4 * 62 + 16],
    ['READ', 8192, 4096, 8192 + 2 * 62 + 8],
    ['READ', 8, 4096, 8 + 62 + 4],
    ['SEND', 0, 4096, 62],
    ['SEND_WITH_IMM', 8, 4096, 74],
    ['FETCH_ADD', 8, 4096, 8 + 62 + 28],
  ] as const)('%s of %i bytes at MTU %i', (operation, bytes, mtu, expected) => {
    expect(l2BytesOf(operation, bytes, mtu)).toBe(expected);
  });

  it('datagrams have a DETH', () => {
    expect(l2BytesOf('SEND', 1024, 4096, true)).toBe(1024 + 70);
  });
});

describe('the message plan', () => {
  it('adds up any stretch as a walk would', () => {
    const opcode = [
      { opcode: 'WRITE' as const, share: 2 },
      { opcode: 'READ' as const, share: 1 },
      { opcode: 'SEND' as const, share: 1 },
    ];
    const plan = planOf({ opcode, sizes: [64, 5000, 1], mtu: 1024 });
    fc.assert(
      fc.property(fc.nat(plan.length - 1), fc.nat(2000), (position, count) => {
        const [forward, reverse, walked, back] = [
          nothingDelivered(),
          nothingDelivered(),
          nothingDelivered(),
          nothingDelivered(),
        ];
        plan.addRange(position, count, forward, reverse);
        for (let index = 0; index < count; index++) {
          const place = (position + index) % plan.length;
          // A SEND is counted where it arrives.
          if (plan.operations[place] === 'SEND') continue;
          plan.addReceived(
            plan.operations[place],
            plan.bytes[place],
            plan.operations[place] === 'READ' ? back : walked,
          );
        }
        expect(forward).toEqual(walked);
        expect(reverse).toEqual(back);
      }),
    );
  });

  it('starts with each packet of the pattern equally likely', () => {
    const plan = planOf({ sizes: [65536, 128, 128, 128], mtu: 1024 });
    const random = new Random(3);
    const starts = Array.from({ length: 6700 }, () => plan.randomStart(random));
    // 64 packets and three: a start in a small message 3 times of 67.
    const small = starts.filter(({ position }) => position > 0).length;
    expect(small).toBeGreaterThan(230);
    expect(small).toBeLessThan(370);
    const left = starts
      .filter(({ position }) => position === 0)
      .map(({ firstBytes }) => packetsOf(firstBytes, 1024));
    expect(Math.min(...left)).toBe(1);
    expect(Math.max(...left)).toBe(64);
    expect(left.reduce((sum, each) => sum + each, 0) / left.length).toBeCloseTo(32.5, -0.5);
  });

  it('cuts messages into their elements', () => {
    expect(planOf({ sge: 3, sizes: [10, [1, 2]] }).elements).toEqual([
      [4, 3, 3],
      [1, 2],
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { type Refusal, refusal } from '../bytes/refusal.js';
import { fuzzWire } from './fuzz.js';
import type { FuzzTarget } from './fuzz-target.js';
import { FUZZ_TARGETS } from './fuzz-targets.js';

const TRUNCATED: Refusal = refusal('toy', 'truncated');

/** A decoder of one byte, which the tests below break. */
const toy: FuzzTarget<number> = {
  name: 'toy',
  sample(random, bytes, offset) {
    bytes[offset] = random.nextUint32();
    return 1;
  },
  decode: (bytes, offset, end) => (end - offset < 1 ? TRUNCATED : bytes[offset]),
  emit(meaning, bytes, offset) {
    bytes[offset] = meaning;
    return 1;
  },
};

function problems(broken: Partial<FuzzTarget<number>>): string {
  const report = fuzzWire({ seed: 3, packets: 500, targets: [{ ...toy, ...broken } as FuzzTarget] });
  expect(report.failed).toBeGreaterThan(0);
  return report.failures.map((failure) => failure.problem).join('\n');
}

describe('the fuzz', () => {
  it('finds nothing in a million mutated packets', () => {
    const report = fuzzWire({ seed: 20240229, packets: 1_000_000 });
    expect(report.failures).toEqual([]);
    expect(report.failed).toBe(0);
    expect(report.decodes).toBe(2_000_000);
    // Every decoder accepted some of the packets made for it, else its inside was never reached.
    for (const target of FUZZ_TARGETS)
      expect(report.acceptedByTarget[target.name], target.name).toBeGreaterThan(1000);
    for (const why of [
      'icrc: bad-icrc',
      'roce: bad-length',
      'ipv4: fragmented',
      'udp: bad-checksum',
      'cm: unknown-kind',
    ]) {
      expect(report.refused[why], why).toBeGreaterThan(0);
    }
  });

  it('is the same for the same seed and another for another', () => {
    const one = fuzzWire({ seed: 1, packets: 5000 });
    expect(fuzzWire({ seed: 1, packets: 5000 })).toEqual(one);
    expect(fuzzWire({ seed: 2, packets: 5000 }).refused).not.toEqual(one.refused);
  });

  it('passes a sound decoder', () => {
    expect(fuzzWire({ seed: 3, packets: 500, targets: [toy as FuzzTarget] }).failed).toBe(0);
  });

  it('notices a decoder that throws', () => {
    const decode = (bytes: Uint8Array, offset: number) => {
      if (bytes[offset] > 127) throw new Error('too large');
      return bytes[offset];
    };
    expect(problems({ decode })).toContain('threw Error: too large');
  });

  it('notices a read past the end and one before the start', () => {
    const outside = 'the outcome depends on bytes outside the packet';
    expect(problems({ decode: (bytes, _offset, end) => bytes[end] })).toContain(outside);
    expect(problems({ decode: (bytes, offset) => bytes[offset - 1] })).toContain(outside);
  });

  it('notices a meaning that does not come back', () => {
    const emit = (_meaning: number, bytes: Uint8Array, offset: number) => {
      bytes[offset] = 7;
      return 1;
    };
    expect(problems({ emit })).toContain('parses as another meaning');
    expect(problems({ emit: () => 0 })).toContain('parses as toy: truncated');
  });

  it('notices a write outside', () => {
    const emit = (meaning: number, bytes: Uint8Array, offset: number) => {
      bytes[offset] = meaning;
      bytes[offset + 1] = 0;
      return 1;
    };
    expect(problems({ emit })).toContain('emit wrote outside');
  });

  it('asks for packets', () => {
    expect(() => fuzzWire({ seed: 1, packets: 0 })).toThrowError(
      expect.objectContaining({ field: 'packets' }),
    );
  });
});

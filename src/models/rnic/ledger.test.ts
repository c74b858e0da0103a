import { describe, expect, it } from 'vitest';
import { findProfile, resolveDevice } from '../../profiles/index.js';
import { nicArchitectures } from './architectures.js';
import { ledgerOf } from './ledger.js';

const MEGABYTE = 2 ** 20;

function megabytes(device: string, queuePairs: number) {
  const profile = findProfile('device', device);
  const nic = nicArchitectures().compose(profile.architecture);
  const rows = ledgerOf(nic, resolveDevice(profile), { queuePairs, regionsBytes: 2 ** 32 });
  return Object.fromEntries(
    rows.map(({ structure, place, bytes }) => [`${place} ${structure}`, bytes / MEGABYTE]),
  );
}

describe('the ledger', () => {
  it('has five bitmaps of 500 packets for each queue pair: on chip with IRN, in host memory with SRNIC', () => {
    expect(megabytes('irn-100g', 10_000)['chip bitmaps']).toBeCloseTo(3.0, 1);
    expect(megabytes('srnic-fpga-100g', 10_000)['host bitmaps']).toBeCloseTo(3.0, 1);
    expect(megabytes('srnic-fpga-100g', 10_000)).not.toHaveProperty('chip bitmaps');
  });

  it('has bits that all queue pairs share with MELO, and a little for each', () => {
    const [one, many] = [megabytes('melo-100g', 1), megabytes('melo-100g', 10_001)];
    expect(many['chip bit pool']).toBe(one['chip bit pool']);
    expect((many['chip recovery state'] - one['chip recovery state']) * MEGABYTE).toBe(23 * 10_000);
    expect(many).not.toHaveProperty('chip bitmaps');
  });

  it('of SRNIC does not grow on chip with queue pairs, as all contexts are there', () => {
    const chip = (rows: Record<string, number>) =>
      Object.entries(rows).reduce((sum, [name, size]) => (name.startsWith('chip') ? sum + size : sum), 0);
    expect(chip(megabytes('srnic-fpga-100g', 10))).toBe(chip(megabytes('srnic-fpga-100g', 10_000)));
    // 10,000 queue pairs in 4.4 MB (Table 2); QPs per megabyte 17.8 times those of 256 in 2 MB (§6.1).
    const size = chip(megabytes('srnic-fpga-100g', 10_000));
    expect(size).toBeCloseTo(4.4, 1);
    expect(10_000 / size / (256 / 2)).toBeGreaterThan(17.8 * 0.97);
    expect(10_000 / size / (256 / 2)).toBeLessThan(17.8 * 1.03);
  });

  it('of the ideal NIC is its receive buffer', () => {
    expect(Object.keys(megabytes('ideal-100g', 10_000))).toEqual(['chip receive buffer']);
  });
});

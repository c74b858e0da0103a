import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { typed } from '../../testing/typed.js';

describe('kelpie ledger', () => {
  it("prints the memory of SRNIC's prototype as the paper's Table 2 has it", async () => {
    const { code, out } = await typed(['ledger', 'srnic-fpga-100g', '--json']);
    expect(code).toBe(0);
    const { rows, chipBytes } = JSON.parse(out) as {
      rows: { structure: string; place: string; bytes: number }[];
      chipBytes: number;
    };
    const megabytes = (structure: string, place = 'chip') =>
      rows.find((row) => row.structure === structure && row.place === place)!.bytes / 2 ** 20;
    expect(megabytes('receive buffer')).toBeCloseTo(0.6, 2);
    expect(megabytes('translation cache')).toBeCloseTo(1.2, 2);
    expect(megabytes('contexts')).toBeCloseTo(2.3, 1);
    // The SQ scheduler: 0.3 MB, of which the schedule queue takes 19.5 KB.
    expect(megabytes('schedule queue') * 1024).toBeCloseTo(19.5, 1);
    const scheduler = ['schedule queue', 'WQEs of turns', 'transmit buffer'];
    expect(scheduler.reduce((sum, name) => sum + megabytes(name), 0)).toBeCloseTo(0.3, 1);
    expect(chipBytes / 2 ** 20).toBeCloseTo(4.4, 1);
    // 4 GB in pages of 4 KB (Table 1).
    expect(megabytes('translations', 'host')).toBe(8);
  });

  it('prints a table with a sum', async () => {
    const { code, out } = await typed(['ledger', 'connectx-6-100g', '--qps', '100', '--regions', '1MB']);
    expect(code).toBe(0);
    expect(out).toMatch(/ 0\.002 MB {2}host {4}translations\n/);
    expect(out).toMatch(/ MB {2}chip {4}in all\n$/);
  });

  it("has a user's own devices", async () => {
    const folder = mkdtempSync(join(tmpdir(), 'kelpie-ledger-'));
    const contexts = '{ value: 4096, evidence: measured, source: made up for this test }';
    writeFileSync(
      join(folder, 'mine.yaml'),
      `{ profile: device, name: mine, extends: connectx-6-100g, title: Mine, constants: { contextCacheEntries: ${contexts} } }`,
    );
    const bytesOf = async (device: string) => {
      const { out } = await typed(['ledger', device, '--profile', folder, '--json']);
      return (JSON.parse(out) as { chipBytes: number }).chipBytes;
    };
    expect(await bytesOf('mine')).toBeGreaterThan(await bytesOf('connectx-6-100g'));
    rmSync(folder, { recursive: true });
  });

  it.each([
    [['no-such-nic'], /no-such-nic/],
    [['srnic-fpga-100g', '--qps', '0'], /--qps/],
    [['srnic-fpga-100g', '--qps', '10001'], /--qps is 10001, allowed: up to 10000/],
    [['srnic-fpga-100g', '--regions', 'much'], /--regions.*much/],
  ])('refuses %j', async (words, message) => {
    const { code, out, err } = await typed(['ledger', ...words]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
  });
});

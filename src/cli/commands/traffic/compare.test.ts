import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { typed } from '../../testing/typed.js';

// Goal: the command shows the same comparison as a table, JSON, CSV and a page, and says with its exit code what came of it.

const folder = mkdtempSync(join(tmpdir(), 'kelpie-compare-'));
afterAll(() => rmSync(folder, { recursive: true }));
const sends = join(folder, 'sends.yaml');
writeFileSync(
  sends,
  'opcode: SEND\nsizes: [512]\nmtu: 1024\nmeasure: { sliceNs: 5000, minNs: 60000, maxNs: 120000 }\n',
);
const on = (...argv: string[]) => ['compare', '--workers', '1', ...argv];
const sweep = ['--workload', sends, '--sweep', 'qps=1,4', '--subsystems', 'srnic,husky'];

describe('kelpie compare', () => {
  it('prints a table with a column per variant and a row per value', async () => {
    const { code, out } = await typed(on(...sweep, '--metric', 'goodputGbps,messagesPerSecond'));
    expect(code).toBe(0);
    expect(out).toMatch(/^goodputGbps\nqps +srnic +husky\n +1 +[\d.]+ +[\d.]+\n +4 +[\d.]+ +[\d.]+\n/);
    expect(out).toContain('\nmessagesPerSecond\n');
  });

  it('says which counter no device has', async () => {
    const { out } = await typed(on(...sweep, '--metric', 'counters.icm_cache_miss,counters.icm_cache_mist'));
    expect(out).toMatch(/\nno device here has counters\.icm_cache_mist: /);
    expect(out).not.toContain('icm_cache_miss:');
  });

  it('prints a row per variant and a column per metric where nothing is swept', async () => {
    const page = join(folder, 'variants.html');
    const argv = ['--workload', sends, '--subsystems', 'srnic,husky', '--html', page];
    const { code, out } = await typed(on(...argv));
    expect(code).toBe(0);
    expect(out).toMatch(/^ +goodputGbps +sentGbps .*\nsrnic( +[\d.]+){5}\nhusky( +[\d.]+){5}\n/);
    const rows = [...readFileSync(page, 'utf8').matchAll(/<tr><td[^>]*>(srnic|husky)<\/td>(.*?)<\/tr>/g)];
    expect(rows.map(([, name]) => name)).toEqual(['srnic', 'husky']);
    for (const [, , cells] of rows) expect(cells.match(/<td/g)).toHaveLength(5);
  });

  it('prints JSON and CSV with the same numbers, and writes a page that loads nothing', async () => {
    const page = join(folder, 'page.html');
    const { out: json } = await typed(on(...sweep, '--json', '--html', page));
    const { out: csv } = await typed(on(...sweep, '--csv'));
    const answer = JSON.parse(json);
    expect(answer).toMatchObject({ format: 'kelpie-compare/1', parameter: 'qps', values: [1, 4], seed: 1 });
    const lines = csv.trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'variant,qps,goodputGbps,sentGbps,messagesPerSecond,latencyNs.p50,pauseRatio,refused',
    );
    expect(lines).toHaveLength(5);
    for (const [index, { variant, value, readings }] of answer.points.entries()) {
      const [name, qps, goodput] = lines[index + 1].split(',');
      expect([name, Number(qps), Number(goodput)]).toEqual([variant, value, readings.goodputGbps]);
    }
    const html = readFileSync(page, 'utf8');
    expect(html.match(/<path/g)).toHaveLength(2);
    expect(html).not.toMatch(/src=|href="(?!#|data:)|url\(/);
  });

  it('has a variant for each --set, and the ledger over connections', async () => {
    const { out } = await typed(
      on('--ledger', '--set', 'device.contextCacheEntries=64', '--sweep', 'connections=1,10000', '--json'),
    );
    const { variants, points } = JSON.parse(out);
    expect(variants).toEqual(['srnic', 'srnic device.contextCacheEntries=64']);
    const chip = points.map(({ readings }: { readings: Record<string, number> }) => readings['chipBytes']);
    expect(chip[2]).toBeLessThan(chip[0]);
  });

  it('exits with 1 where a point was refused, with its reason', async () => {
    const third = join(folder, 'third.yaml');
    writeFileSync(third, `${readFileSync(sends, 'utf8')}to: c\n`);
    const { code, out } = await typed(
      on('--workload', third, '--sweep', 'fabric=lossless-switch,back-to-back'),
    );
    expect(code).toBe(1);
    expect(out).toMatch(/refused: srnic at back-to-back: .*back to back.*\[OUT_OF_RANGE\]/);
  });

  it('says how it is typed where it gets a word too many', async () => {
    const { code, err } = await typed(on(sends));
    expect(code).toBe(2);
    expect(err).toBe(
      'kelpie: there are too many arguments, allowed: kelpie compare [options] [BAD_ARGUMENT]\n',
    );
  });

  it('keeps what it has and exits with 130 when it is interrupted', async () => {
    const { code, out } = await typed(on(...sweep), { signal: AbortSignal.abort() });
    expect(code).toBe(130);
    expect(out).toContain('PARTIAL');
  });

  it.each([
    [[], '--workload'],
    [['--workload', '/nowhere.yaml'], '--workload'],
    [['--workload', sends, '--sweep', 'qps'], '--sweep'],
    [['--workload', sends, '--metric', 'speed'], '--metric'],
    [['--workload', sends, '--set', 'device'], '--set'],
    [['--workload', sends, '--set', 'colour=red'], '--set'],
    [['--workload', sends, '--subsystems', 'srnci'], 'srnci'],
    [['--ledger', '--fct'], '--fct'],
    [['--fct', '--sweep', 'qps=1'], '--sweep'],
  ])('%j is refused with the flag', async (argv, field) => {
    const { code, err } = await typed(on(...argv));
    expect(code).toBe(2);
    expect(err).toContain(field);
  });
});

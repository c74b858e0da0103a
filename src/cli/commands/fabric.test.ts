import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { runFile } from '../fabric/testing/runs.js';
import { typed } from '../testing/typed.js';

const root = mkdtempSync(join(tmpdir(), 'kelpie-fabric-'));
afterAll(() => rmSync(root, { recursive: true }));
cpSync(fileURLToPath(new URL('../fabric/testing/runs', import.meta.url)), root, { recursive: true });

/** A configuration beside the reference runs, with lines changed. */
function configuration(name: string, from: string, changes: Record<string, string>): string {
  let text = runFile(`${from}.config.txt`);
  for (const [key, value] of Object.entries(changes))
    text = text.replace(new RegExp(`^${key} .*$`, 'm'), `${key} ${value}`);
  const file = join(root, name);
  writeFileSync(file, text);
  return file;
}

describe('kelpie fabric --ns3', () => {
  it('writes the FCT and PFC files of ns-3 beside the configuration', async () => {
    const file = configuration('pfc.txt', 'g92-timely', {
      BUFFER_SIZE: '2',
      FCT_OUTPUT_FILE: 'got.fct',
      PFC_OUTPUT_FILE: 'got.pfc',
    });
    const { code, out, err } = await typed(['fabric', '--ns3', file, '--json']);
    expect([code, err]).toEqual([0, '']);
    expect(readFileSync(join(root, 'got.fct'), 'utf8')).toBe(runFile('g92-timely-b2.fct'));
    const answer = JSON.parse(out);
    expect(answer).toMatchObject({ flows: 92, finished: 92, partial: false, drops: 0, lost: 0 });
    const pauses = readFileSync(join(root, 'got.pfc'), 'utf8').trim().split('\n');
    expect(pauses.length).toBe(answer.pauseFrames + answer.resumeFrames);
    expect(pauses[0]).toMatch(/^20000\d{5} \d+ [01] \d+ 1$/);
    expect(answer.bySize.length).toBe(9);
    expect(answer.slowdown.p99).toBe(null);
    expect(answer.slowdown.p95).toBeGreaterThan(answer.slowdown.p50);
  });

  it('prints a table for people', async () => {
    const file = configuration('table.txt', 'f2-dctcp', { FCT_OUTPUT_FILE: 'table.fct' });
    const { code, out } = await typed(['fabric', '--ns3', file]);
    expect(code).toBe(0);
    expect(out).toContain('2 of 2 flows done');
    expect(out).toMatch(/all +2 +1\.98/);
  });

  it('says what is wrong, and runs nothing', async () => {
    for (const [changes, message] of [
      [{ TOPOLOGY_FILE: 'nowhere.txt' }, /TOPOLOGY_FILE.*nowhere.txt/],
      [{ TOPOLOGY_FILE: 'f2.txt' }, /f2.txt:2/],
      [{ FLOW_FILE: 'star.txt' }, /star.txt:\d+/],
    ] as [Record<string, string>, RegExp][]) {
      const file = configuration('wrong.txt', 'f2-dctcp', { ...changes, FCT_OUTPUT_FILE: 'never.fct' });
      const { code, out, err } = await typed(['fabric', '--ns3', file]);
      expect([code, out]).toEqual([2, '']);
      expect(err).toMatch(message);
      expect(() => readFileSync(join(root, 'never.fct'))).toThrow();
    }
    const missing = await typed(['fabric', '--ns3', join(root, 'missing.txt')]);
    expect(missing.code).toBe(2);
    const none = await typed(['fabric']);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('--ns3')]);
  });

  it('ends with 1 if a flow does not end before the stop', async () => {
    const file = configuration('stop.txt', 'f2-dctcp', {
      FCT_OUTPUT_FILE: 'stop.fct',
      SIMULATOR_STOP_TIME: '2.001',
    });
    const { code, out } = await typed(['fabric', '--ns3', file, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ finished: 0, flows: 2, slowdown: null });
  });
});

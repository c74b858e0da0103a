import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { typed } from '../testing/typed.js';

// Goal: every job can be a test in CI. What is asserted decides the exit code, is named where it does not hold, and is
// written as JUnit and Markdown; what cannot be asserted is refused before anything runs.

const root = mkdtempSync(join(tmpdir(), 'kelpie-assertions-'));
afterAll(() => rmSync(root, { recursive: true }));

const fabric = join(root, 'fabric.yaml');
writeFileSync(
  fabric,
  'topology: { kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2 }\nworkload: [{ kind: incast, fanIn: 2, bytes: 50000 }]\ncontrol: dctcp\n',
);
const space = join(root, 'space.yaml');
writeFileSync(
  space,
  'transport: RC\nopcode: WRITE\nqps: 1\nmrs: 1\nqueueDepth: 64\nbatch: 1\nsge: 1\nmtu: 4096\nsizes: { min: 65536, max: 65536, length: 1 }\nmemory: gpu0\ndirection: uni\nmrBytes: 65536\n',
);
const bw = ['bw', 'write', '-s', '4096', '-n', '100'];
const lat = ['lat', 'write', '-s', '64', '-n', '50'];
const isolate = ['isolate', '--attacker', 'BW-4KB_write', '--victim', 'large_bw_write', '--workers', '1'];
const hunt = ['hunt', '--space', space, '--budget', '12', '--workers', '1', '--folder', join(root, 'hunts')];
const reproduce = ['reproduce', 'P6', '--workers', '1'];

describe('--assert', () => {
  it.each([
    [bw, 'goodputGbps>10', 'latencyNs.p50<1'],
    [lat, 'latencyNs.p50<10000', 'goodputGbps>1000'],
    [isolate, 'leastShare>=0', 'pairs==7'],
    [hunt, 'anomalies>=1', 'anomalies==0'],
    [reproduce, 'P6>1', 'green==7'],
    [['reproduce', '--show-board'], 'rows>100', 'red==-1'],
    [['fabric', fabric], 'drops==0', 'slowdown.max<1'],
  ])(
    '%j holds and does not',
    async (argv, holds, breaks) => {
      const [junit, markdown] = [join(root, 'out.xml'), join(root, `${argv[0]}.md`)];
      const good = await typed([...argv, '--assert', holds, '--junit', junit, '--markdown', markdown]);
      expect([good.code, good.err.includes('ASSERTION')]).toEqual([0, false]);
      expect(readFileSync(junit, 'utf8')).toContain('tests="1" failures="0"');
      expect(readFileSync(markdown, 'utf8')).toContain('1 of 1 assertions hold.');
      const bad = await typed([...argv, '--assert', holds, '--assert', breaks, '--junit', junit]);
      expect(bad.code).toBe(1);
      expect(bad.err).toContain(`${breaks} does not hold`);
      expect(readFileSync(junit, 'utf8')).toContain('tests="2" failures="1"');
    },
    60_000,
  );

  it.each([
    [[...bw, '--assert', 'speed>3'], 'there is no such metric'],
    [[...hunt, '--assert', 'anomalys<3'], 'did you mean anomalies?'],
    [[...isolate, '--assert', 'harmonic.violated==0'], 'there is no such figure'],
    [[...reproduce, '--assert', 'P99>3'], 'there is no such figure'],
    [['fabric', fabric, '--assert', 'drops'], 'not a threshold'],
  ])('%j is refused before anything runs', async (argv, message) => {
    const { code, out, err } = await typed(argv);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });
});

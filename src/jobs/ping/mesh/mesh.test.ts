import { describe, expect, it } from 'vitest';
import { Random } from '../../../engine/index.js';
import { IdealProvider } from '../../../providers/ideal/index.js';
import { diagnoseMesh, type PairTimes, SILENT, sweepMesh } from './mesh.js';
import { MeshEnd } from './mesh-end.js';

const NAMES = ['p0', 'p1', 'p2', 'p3'];
const USUAL: PairTimes = { smallNs: 20_000, largeNs: 500_000 };

/** What is found where pairs take this many times as long as usual, with as much scatter, as a share, either way. */
async function found(times: (from: number, to: number) => number | string, scatter = 0.2, repetitions = 11) {
  const random = new Random(5);
  const drawn = (ns: number) => ns * (1 + scatter * (random.nextUint32() / 2 ** 31 - 1));
  const mesh = await sweepMesh(NAMES, repetitions, async (from, to) => {
    const factor = times(from, to);
    if (typeof factor === 'string') return factor;
    return { smallNs: drawn(factor * USUAL.smallNs), largeNs: drawn(USUAL.largeNs) };
  });
  return diagnoseMesh(mesh).map(({ kind, processes }) => `${kind} ${processes.join()}`);
}

describe('a mesh of processes', () => {
  it('has nothing that stands out where all are alike, however much they scatter', async () => {
    expect(await found(() => 1)).toEqual([]);
    expect(await found(() => 1, 0.95)).toEqual([]);
  });

  it('names a slow process by its row and column, two of them one after the other', async () => {
    expect(await found((from, to) => (from === 1 || to === 1 ? 4 : 1))).toEqual(['slow-process p1']);
    const slow = (place: number) => (place === 3 ? 9 : place === 0 ? 3 : 1);
    expect(await found((from, to) => Math.max(slow(from), slow(to)))).toEqual([
      'slow-process p3',
      'slow-process p0',
    ]);
  });

  it('names a slow pair by its cell, and one that fails', async () => {
    expect(await found((from, to) => (from === 2 && to === 0 ? 5 : 1))).toEqual(['slow-pair p2,p0']);
    expect(await found((from, to) => (from === 2 && to === 0 ? 'RETRY_EXC_ERR' : 1))).toEqual([
      'slow-pair p2,p0',
    ]);
  });

  it('says nothing of pairs that were not probed', () => {
    const names = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5'];
    const cell = (from: number, to: number) => {
      if (Math.abs(from - to) === 5 || from === to) return { smallNs: [], largeNs: [] };
      if (to === 5) return { smallNs: [], largeNs: [], failure: 'nobody' };
      const slow = from === 1 && to === 0 ? 9 : 1;
      return { smallNs: [slow * USUAL.smallNs], largeNs: [USUAL.largeNs] };
    };
    const cells = names.map((_, from) => names.map((__, to) => cell(from, to)));
    const said = diagnoseMesh({ names, cells }).map(({ kind, processes }) => [kind, ...processes]);
    expect(said).toEqual([
      ['unreachable', 'p5'],
      ['slow-pair', 'p1', 'p0'],
    ]);
  });

  it('does not call a single sample slow among others that scatter as much', () => {
    const random = new Random(7);
    const names = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5'];
    // From a tenth to ten times the usual: a machine that does other things.
    const drawn = (usualNs: number) => usualNs * 10 ** (random.nextUint32() / 2 ** 31 - 1);
    for (let tries = 0; tries < 50; tries++) {
      const cells = names.map(() =>
        names.map(() => ({ smallNs: [drawn(USUAL.smallNs)], largeNs: [drawn(USUAL.largeNs)] })),
      );
      expect(diagnoseMesh({ names, cells })).toEqual([]);
    }
  });

  it('says that a process does not answer, and asks it once', async () => {
    let asked = 0;
    const stopped = (from: number, to: number) => {
      if (from === 2) asked++;
      return from === 2 ? SILENT : to === 2 ? 'nobody answered' : 1;
    };
    expect(await found(stopped)).toEqual(['unreachable p2']);
    expect(asked).toBe(1);
  });
});

describe('an end of a mesh', () => {
  it('takes the time of writes to others and to itself, and says what failed', async () => {
    const provider = new IdealProvider();
    const contexts = await Promise.all([provider.open('ideal0'), provider.open('ideal1')]);
    const options = { smallBytes: 64, largeBytes: 4096, timeoutNs: 1e9 };
    const ends = contexts.map((context) => new MeshEnd(context, options));
    const addresses = contexts.map((context) => context.queryGid(1, 0));
    for (const address of addresses)
      expect(await ends[0].probe(address)).toMatchObject({ smallNs: expect.any(Number) });
    expect(await ends[1].probe('203.0.113.9')).toEqual(expect.any(String));
    await Promise.all(contexts.map((context) => context.close()));
  });
});

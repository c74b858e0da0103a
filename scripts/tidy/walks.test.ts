import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { describe, expect, it } from 'vitest';
import { Access, connectRcPair, type Context, waitForCompletion } from '../../src/index.js';
import { SimulatedProvider } from '../../src/providers/simulated/index.js';
import { loopbackAddress, SoftwareProvider } from '../../src/providers/software/index.js';
import { walkRows } from './named-code.js';

// Goal: the walks of docs/architecture.md lead where the code goes. Method: the WRITE of each walk with V8 counting calls.

/** Modules of src/ that a signalled WRITE of 4,096 bytes enters, and the functions that it calls there. */
async function calledBy(left: Context, right: Context): Promise<Map<string, ReadonlySet<string>>> {
  const [a, b] = connectRcPair(left, right);
  const source = a.pd.regMr(new Uint8Array(4096), Access.LOCAL_WRITE);
  const target = b.pd.regMr(new Uint8Array(4096), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  const sgList = [{ addr: source.addr, length: 4096, lkey: source.lkey }];
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  a.qp.postSend({
    opcode: 'RDMA_WRITE',
    sgList,
    remoteAddr: target.iova,
    rkey: target.rkey,
    signaled: true,
  });
  expect((await waitForCompletion(a.sendCq)).status).toBe('SUCCESS');
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const called = new Map<string, ReadonlySet<string>>();
  for (const { url, functions } of result) {
    const path = /\/(src\/(?!.*\.test\.)[\w./-]+\.ts)$/.exec(url)?.[1];
    const names = functions.flatMap(({ functionName, ranges: [{ count }] }) =>
      count > 0 ? functionName.replace(/^get /, '') : [],
    );
    if (path !== undefined && names.length > 0) called.set(path, new Set(names));
  }
  return called;
}

/** What a walk of the page says is called and was not. */
function missingSteps(walk: number, called: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const [, ...walks] = readFileSync('docs/architecture.md', 'utf8').split(/^## (?=Walk \d)|^## Words/m);
  const rows = walkRows(walks[walk - 1]);
  expect(rows.length).toBeGreaterThan(15);
  return rows.flatMap(({ path, names }) =>
    names.filter((name) => called.get(path)?.has(name) !== true).map((name) => `${path} ${name}`),
  );
}

describe('docs/architecture.md', () => {
  it('walks a WRITE through the simulated device as it goes', async () => {
    const provider = new SimulatedProvider();
    const called = await calledBy(await provider.open('sim0'), await provider.open('sim1'));
    expect(missingSteps(1, called)).toEqual([]);
  });

  it('walks a WRITE through the software device as it goes', async () => {
    const provider = new SoftwareProvider();
    const contexts = [
      await provider.open(loopbackAddress(0)),
      await provider.open(loopbackAddress(1)),
    ] as const;
    const called = await calledBy(...contexts);
    for (const context of contexts) await context.close();
    expect(missingSteps(2, called)).toEqual([]);
  });
});

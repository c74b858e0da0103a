import { afterEach, expect, it } from 'vitest';
import { Access } from '../../../verbs/index.js';
import { parseGid } from '../../../wire/index.js';
import { type SoftwareContext, SoftwareProvider } from '../provider.js';
import { Hub } from '../testing/fuzz/hub.js';

const opened: SoftwareContext[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((context) => context.close()));
});

async function open(seed?: number): Promise<SoftwareContext> {
  const hub = new Hub();
  const provider = new SoftwareProvider({ openLink: async (name) => hub.open(parseGid(name)), seed });
  const context = await provider.open('::ffff:10.7.0.1');
  opened.push(context);
  return context;
}

/** What the first objects of a device are named by. */
function firstNames(context: SoftwareContext): number[] {
  const pd = context.allocPd();
  const cq = context.createCq({ cqe: 1 });
  const { qpNum } = pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap: {} });
  const { rkey, addr } = pd.regMr(new Uint8Array(8), Access.LOCAL_WRITE);
  return [qpNum, rkey, addr];
}

it('an old key opens nothing after a hundred thousand regions in its place', async () => {
  const pd = (await open()).allocPd();
  const memory = new Uint8Array(64);
  const rights = Access.LOCAL_WRITE | Access.REMOTE_READ;
  const old = pd.regMr(memory, rights);
  old.dereg();
  let same = 0;
  let sameIndex = 0;
  for (let turn = 0; turn < 100_000; turn++) {
    const region = pd.regMr(memory, rights);
    if (region.rkey === old.rkey) same++;
    if (region.rkey >>> 8 === old.rkey >>> 8) sameIndex++;
    region.dereg();
  }
  // 32 random bits: by chance the first fails once in 43,000 runs, the second never.
  expect(same).toBe(0);
  expect(sameIndex).toBeLessThan(3);
});

it('names begin anywhere, and at the same place for the same seed', async () => {
  const [one, two, again, other] = [await open(), await open(), await open(7), await open(7)].map(firstNames);
  for (const [at, name] of one.entries()) expect(name).not.toBe(two[at]);
  expect(again).toEqual(other);
  const [qpNum, , addr] = again;
  expect(qpNum).toBeGreaterThanOrEqual(0x11);
  expect(qpNum).toBeLessThan(2 ** 24);
  expect(addr).toBeGreaterThanOrEqual(2 ** 32);
  expect(addr + 2 ** 40).toBeLessThan(2 ** 47);
  expect(firstNames(await open(8))).not.toEqual(again);
});

import { describe, expect, it } from 'vitest';
import { findProfile, ProfileLibrary, resolveSubsystem } from '../../../profiles/index.js';
import type { VerbsError } from '../../../verbs/index.js';
import { SimulatedProvider } from '../provider.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

const STREAM = { from: 0, to: 1, messageBytes: 65536, outstanding: 16 };
const WEIGHTS = [1, 1, 1, 3, 1, 1, 1, 1];

function shared(options: Partial<ConstructorParameters<typeof StreamBench>[0]>): StreamBench {
  return new StreamBench({ subsystem: 'srnic-fpga', ...options });
}

/** Gb/s of the first four streams, and of the others. */
async function halves(bench: StreamBench): Promise<[number, number]> {
  await bench.run(300);
  const gbps = await bench.measure(600);
  bench.stop();
  expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
  const sum = (some: readonly number[]) => some.reduce((all, each) => all + each, 0);
  return [sum(gbps.slice(0, 4)), sum(gbps.slice(4))];
}

describe('the schedule of SRNIC', () => {
  it('serves queue pairs in turn, whatever their class, where classes weigh the same', async () => {
    const bench = shared({});
    for (let index = 0; index < 8; index++) await bench.stream({ ...STREAM, sl: index < 4 ? 0 : 3 });
    const [first, second] = await halves(bench);
    expect(second / first).toBeGreaterThan(0.9);
    expect(second / first).toBeLessThan(1.1);
  });

  it('gives classes shares of the port by their weights', async () => {
    const bench = shared({ trafficClassWeights: WEIGHTS });
    for (let index = 0; index < 8; index++) await bench.stream({ ...STREAM, sl: index < 4 ? 0 : 3 });
    const [first, second] = await halves(bench);
    expect(second / first).toBeGreaterThan(2.7);
    expect(second / first).toBeLessThan(3.3);
    expect(first + second).toBeGreaterThan(85);
  });

  it('lets a strict class go first', async () => {
    const bench = shared({ strictTrafficClasses: [3] });
    for (let index = 0; index < 8; index++) await bench.stream({ ...STREAM, sl: index < 4 ? 0 : 3 });
    const [first, second] = await halves(bench);
    expect(second).toBeGreaterThan(10 * first);
  });

  it('keeps the rate limit of a function', async () => {
    const bench = shared({ functionGbps: [10] });
    for (let index = 0; index < 4; index++) await bench.stream(STREAM);
    const [all] = await halves(bench);
    expect(all).toBeGreaterThan(9);
    expect(all).toBeLessThan(10.1);
  });

  it('gives tenants their shares, however many queue pairs each has', async () => {
    const library = new ProfileLibrary();
    library.add(
      `{ profile: device, name: virtual, extends: srnic-fpga-100g, title: SRNIC with functions, constants: {
         virtualFunctions: { value: 1, evidence: calibrated, source: made up for this test } } }`,
      'virtual.yaml',
    );
    const profile = { ...library.find('subsystem', 'srnic-fpga'), device: 'virtual' };
    const subsystem = resolveSubsystem(profile, { library });
    const bench = shared({ subsystem, functionGbps: [0, 0], tenantShares: [1, 2] });
    for (let index = 0; index < 12; index++) {
      const { source } = await bench.stream(STREAM);
      bench.provider.assignFunction(source.qp, index < 4 ? 1 : 0);
    }
    const [second, first] = await halves(bench);
    expect(second / first).toBeGreaterThan(1.8);
    expect(second / first).toBeLessThan(2.2);
  });
});

describe('READs of SRNIC', () => {
  it.each([
    { pairs: 1, messageBytes: 4096 },
    { pairs: 8, messageBytes: 1024 },
  ])(
    'of $messageBytes B on $pairs queue pair(s) fill the port, though each WQE is read again',
    async ({ pairs, messageBytes }) => {
      const bench = shared({});
      const opcode = 'RDMA_READ';
      for (let index = 0; index < pairs; index++)
        await bench.stream({ ...STREAM, messageBytes, opcode, outstanding: 64 });
      await bench.run(50);
      const gbps = await bench.measure(100);
      expect(gbps.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(85);
      expect((await bench.counters(0))['send_wqe_cache_miss']).toBeGreaterThan(100);
    },
  );
});

describe('contexts on chip', () => {
  const cap = { maxSendWr: 1, maxRecvWr: 1, maxSendSge: 1, maxRecvSge: 1 };

  /** Makes queue pairs on a device until it refuses one, at most this many. */
  async function made(subsystem: string, most: number): Promise<{ count: number; code: string | null }> {
    const context = await new SimulatedProvider({ subsystem }).open('sim0');
    const pd = context.allocPd();
    const cq = context.createCq({ cqe: 1 });
    for (let count = 0; count < most; count++) {
      try {
        pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap });
      } catch (error) {
        return { count, code: (error as VerbsError).code };
      }
    }
    return { count: most, code: null };
  }

  it('are as many as the ledger has room for: queue pair 10,001 is refused, unless contexts may spill', async () => {
    const constants = resolveSubsystem(findProfile('subsystem', 'srnic-fpga')).device.constants;
    const room = constants.residentContexts!;
    expect(room).toBe(10_000);
    expect(await made('srnic-fpga', room + 1)).toEqual({ count: room, code: 'LIMIT_REACHED' });
    expect(await made('srnic-fpga-spill', room + 1)).toEqual({ count: room + 1, code: null });
  });
});

import { describe, expect, it } from 'vitest';
import { Member } from '../../../models/rnic/parts/send-path.js';
import { findProfile, resolveSubsystem, type Subsystem } from '../../../profiles/index.js';
import { Access, connectRcPair } from '../../../verbs/index.js';
import { connectxSendPath } from '../testing/connectx.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

function drained(bench: StreamBench): void {
  bench.stop();
  expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
}

/** A subsystem whose device has other constants. */
function variant(name: string, constants: Record<string, number>): Subsystem {
  const subsystem = resolveSubsystem(findProfile('subsystem', name));
  const device = { ...subsystem.device, constants: { ...subsystem.device.constants, ...constants } };
  return { ...subsystem, device };
}

/** For how long the short WRITEs are counted. */
const MOUSE_US = 2000;

/** Mean time of short WRITEs, one at a time, beside long ones that fill the port, in ns. */
async function mouseNs(
  sl: number,
  subsystem: string | Subsystem = 'collie-b',
  elephants = 8,
): Promise<number> {
  const bench = new StreamBench({ subsystem });
  for (let index = 0; index < elephants; index++)
    await bench.stream({ from: 0, to: 1, messageBytes: 131072 });
  const mouse = await bench.stream({ from: 0, to: 1, messageBytes: 128, outstanding: 1, sl });
  await bench.run(100);
  const before = mouse.placedBytes();
  await bench.run(MOUSE_US);
  const messages = (mouse.placedBytes() - before) / 128;
  drained(bench);
  return (1000 * MOUSE_US) / messages;
}

describe('the transmit buffer', () => {
  it('never holds more of a queue pair than its limit, nor more than its bytes', async () => {
    const bench = new StreamBench({ subsystem: 'husky' });
    for (let index = 0; index < 3; index++)
      await bench.stream({ from: 0, to: 1, messageBytes: 65536, outstanding: 64 });
    const { nic } = bench.provider.world.devices[0];
    const { qpTransmitPackets, transmitBufferBytes } = nic.constants;
    let [most, mostBytes] = [0, 0];
    for (let step = 0; step < 500; step++) {
      await bench.run(0.1);
      const packets = nic.pairs.map(({ send }) => send.transmitting);
      most = Math.max(most, ...packets);
      mostBytes = Math.max(mostBytes, 4096 * packets.reduce((sum, count) => sum + count));
    }
    drained(bench);
    expect(most).toBeGreaterThan(2);
    expect(most).toBeLessThanOrEqual(qpTransmitPackets);
    expect(mostBytes).toBeLessThanOrEqual(transmitBufferBytes);
    expect(nic.pairs.map(({ send }) => send.transmitting)).toEqual([0, 0, 0]);
  });

  it.each([104_960, 105_984, 107_008, 108_032])(
    'of %i B is taken in turns by a queue pair of short messages and one of long ones (PeRF §2.2)',
    async (transmitBufferBytes) => {
      const bench = new StreamBench({ subsystem: variant('perf', { transmitBufferBytes }) });
      const path = { from: 0, to: 1, pathMtu: 2048 as const };
      await bench.stream({ ...path, messageBytes: 65536 });
      await bench.stream({ ...path, messageBytes: 16, outstanding: 128, batch: 32 });
      await bench.run(60);
      const [long, short] = await bench.measure(80);
      drained(bench);
      expect(Math.abs(short / 16 / (long / 2048) - 1)).toBeLessThan(0.03);
    },
  );

  it('is each class for itself: long messages of another do not hold a short one up (Lamda §2.1.3)', async () => {
    expect((await mouseNs(0)) / (await mouseNs(1))).toBeGreaterThan(2);
  });

  it.each([1, 4])(
    'is shared by visits: one of %i packets of each long message passes a short one',
    async (visitPackets) => {
      const subsystem = variant('perf', { visitPackets });
      const [beside2, beside8] = [await mouseNs(0, subsystem, 2), await mouseNs(0, subsystem, 8)];
      // A packet of 4 KB takes the port of 100 Gb/s 335 ns.
      expect((beside8 - beside2) / (6 * visitPackets * 335)).toBeCloseTo(1, 0.3);
    },
  );
});

describe('a hold of the scheduler', () => {
  it('stops all sending until its end, and no longer', async () => {
    const bench = new StreamBench({ subsystem: 'husky' });
    await bench.stream({ from: 0, to: 1, messageBytes: 4096 });
    await bench.run(50);
    const { world } = bench.provider;
    const { nic } = world.devices[0];
    nic.sendPath.scheduler.hold(world.simulation.now + 100e6, 0);
    await bench.run(20);
    const [held] = await bench.measure(75);
    expect(held).toBe(0);
    await bench.run(20);
    const [after] = await bench.measure(100);
    expect(after).toBeGreaterThan(90);
    drained(bench);
  });
});

describe('a queue pair that fails while a unit serves it', () => {
  // The P2100G takes a slot of a full packet before it knows what it sends (C14): that slot must come back.
  it.each(['husky', 'collie-h'])('leaves nothing behind in the buffer of %s', async (subsystem) => {
    const bench = new StreamBench({ subsystem });
    const contexts = await Promise.all([bench.provider.open('sim0'), bench.provider.open('sim1')]);
    const [a, b] = contexts;
    const pairs = Array.from({ length: 24 }, () => connectRcPair(a, b));
    for (const [left, right] of pairs) {
      const local = left.pd.regMr({ lengthBytes: 65536 }, Access.LOCAL_WRITE);
      const remote = right.pd.regMr({ lengthBytes: 65536 }, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
      const sgList = [{ addr: local.addr, length: 65536, lkey: local.lkey }];
      for (let index = 0; index < 4; index++)
        left.qp.postSend({ opcode: 'RDMA_WRITE', sgList, remoteAddr: remote.iova, rkey: remote.rkey });
    }
    for (const [left] of pairs) {
      await bench.run(1.3);
      left.qp.modify({ state: 'ERR' });
    }
    const { nic } = bench.provider.world.devices[0];
    drained(bench);
    const { scheduler } = connectxSendPath(nic);
    for (const pair of nic.pairs) {
      expect(pair.send.transmitting).toBe(0);
      for (const member of [Member.REQUESTS, Member.RESPONSES])
        expect(scheduler.member(pair, member)).toMatchObject({ slotBytes: 0, scheduled: false });
    }
    // And another has all of it again.
    await bench.stream({ from: 0, to: 1, messageBytes: 65536, outstanding: 64 });
    await bench.run(100);
    const [gbps] = await bench.measure(200);
    expect(gbps).toBeGreaterThan(90);
    drained(bench);
  });
});

describe('processing units', () => {
  it('are busy while a context is fetched: with one of them the rate is that of the misses', async () => {
    const rateWith = async (processingUnits: number) => {
      const slow = {
        processingUnits,
        contextCacheEntries: 2,
        contextMissSlots: 64,
        contextMissSlotsReceive: 64,
      };
      const bench = new StreamBench({ subsystem: variant('husky', slow) });
      for (let index = 0; index < 16; index++)
        await bench.stream({ from: 0, to: 1, messageBytes: 512, outstanding: 32 });
      await bench.run(100);
      const rates = await bench.measure(200);
      drained(bench);
      return rates.reduce((sum, rate) => sum + rate);
    };
    const [one, many] = [await rateWith(1), await rateWith(16)];
    expect(many / one).toBeGreaterThan(4);
  });

  it.each([
    { queuePairsBoundToUnits: 1, least: 1.8, most: 2.6 },
    { queuePairsBoundToUnits: 0, least: 0.9, most: 1.1 },
  ])(
    'serve their own queue pairs alone where those are bound to them: $queuePairsBoundToUnits',
    async (row) => {
      const { queuePairsBoundToUnits, least, most } = row;
      // Most visits are misses, so that a unit is what a queue pair waits for; the first and the third have the same.
      const slow = {
        processingUnits: 2,
        contextCacheEntries: 2,
        contextMissSlots: 64,
        visitPackets: 2,
        queuePairsBoundToUnits,
      };
      const bench = new StreamBench({ subsystem: variant('husky', slow) });
      for (let index = 0; index < 3; index++)
        await bench.stream({ from: 0, to: 1, messageBytes: 512, outstanding: 32 });
      await bench.run(100);
      const [first, second, third] = await bench.measure(1500);
      drained(bench);
      expect(first / third).toBeCloseTo(1, 1);
      expect(second / first).toBeGreaterThan(least);
      expect(second / first).toBeLessThan(most);
    },
  );
});

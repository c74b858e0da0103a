import { describe, expect, it } from 'vitest';
import { Access, connectRcPair } from '../../../verbs/index.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

function drained(bench: StreamBench): void {
  bench.stop();
  expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
}

describe('a simulated device', () => {
  it('counts what was placed for a queue pair by the byte, and for nobody else', async () => {
    const bench = new StreamBench({ subsystem: 'husky' });
    const { target } = await bench.stream({ from: 0, to: 1, messageBytes: 1 << 20, outstanding: 1 });
    // The first message takes 85 us: it counts as it arrives.
    await bench.run(40);
    const device = bench.provider.world.devices[1];
    const placed = device.placedBytes(target.qp.qpNum);
    expect(placed).toBeGreaterThan(100_000);
    expect(placed).toBeLessThan(1 << 20);
    expect(placed % 4096).toBe(0);
    expect(device.placedBytes(999_999)).toBe(0);
    drained(bench);
    expect((await bench.counters(1))['rx_goodput_bytes']).toBe(device.placedBytes(target.qp.qpNum));
  });

  it('shows a completion only when it has been written to host memory', async () => {
    const bench = new StreamBench({ subsystem: 'husky' });
    const [left, right] = await Promise.all([bench.provider.open('sim0'), bench.provider.open('sim1')]);
    const [a, b] = connectRcPair(left, right);
    b.qp.postRecv({ wrId: 7 });
    a.qp.postSend({ opcode: 'SEND', wrId: 8, signaled: true });
    let seenUs = 0;
    while (a.sendCq.poll(1).length === 0 && seenUs < 50) {
      await bench.run(0.1);
      seenUs += 0.1;
    }
    const { completionLatencyNs } = bench.provider.subsystem.host.constants;
    expect(seenUs).toBeGreaterThan(completionLatencyNs / 1000);
    expect(seenUs).toBeLessThan(10);
    expect(b.recvCq.poll(2)).toMatchObject([{ wrId: 7, status: 'SUCCESS' }]);
    drained(bench);
  });

  it('knows how long its send queues had nothing to send', async () => {
    const bench = new StreamBench({ subsystem: 'husky' });
    await bench.stream({ from: 0, to: 1, messageBytes: 65536, outstanding: 32 });
    await bench.run(20);
    const [device, other] = bench.provider.world.devices;
    const before = device.idleSendQueueNs();
    await bench.run(100);
    expect(device.idleSendQueueNs() - before).toBeLessThan(5000);
    bench.stop();
    await bench.run(1000);
    const stopped = device.idleSendQueueNs();
    await bench.run(100);
    expect(device.idleSendQueueNs() - stopped).toBeCloseTo(100_000, 0);
    // The peer's queue pair never sent anything, and is not counted.
    expect(other.idleSendQueueNs()).toBe(0);
    drained(bench);
  });

  it('counts a wait for receives of the peer as such', async () => {
    const bench = new StreamBench({ subsystem: 'husky' });
    const [left, right] = await Promise.all([bench.provider.open('sim0'), bench.provider.open('sim1')]);
    const [a, b] = connectRcPair(left, right);
    a.qp.postSend(Array.from({ length: 8 }, () => ({ opcode: 'SEND' as const })));
    await bench.run(20);
    const device = bench.provider.world.devices[0];
    const before = device.idleSendQueueNs();
    await bench.run(5);
    expect(device.idleSendQueueNs() - before).toBeCloseTo(5000, 0);
    b.qp.postRecv(Array.from({ length: 8 }, (_, wrId) => ({ wrId })));
    drained(bench);
    expect(b.recvCq.poll(16)).toHaveLength(8);
  });

  it('reads and writes where the program put its memory', async () => {
    const bench = new StreamBench({ subsystem: 'collie-f' });
    const [left] = await Promise.all([bench.provider.open('sim0'), bench.provider.open('sim1')]);
    const pd = left.allocPd();
    const { host, nic } = bench.provider.world.devices[0];
    const there = pd.regMr({ lengthBytes: 4096, placement: 'gpu0' }, Access.LOCAL_WRITE);
    const here = pd.regMr({ lengthBytes: 4096 }, Access.LOCAL_WRITE);
    expect(host.placements).toContain('gpu0');
    expect(nic.regions.pathOf(nic.memory.slotOf(there.lkey)).name).not.toBe(nic.queuePath.name);
    expect(nic.regions.pathOf(nic.memory.slotOf(here.lkey))).toBe(nic.queuePath);
    expect(() => pd.regMr({ lengthBytes: 4096, placement: 'gpu99' }, 0)).toThrow();
    drained(bench);
  });
});

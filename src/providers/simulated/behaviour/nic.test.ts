import { describe, expect, it } from 'vitest';
import { connectRcPair } from '../../../verbs/index.js';
import { checkDrained } from '../testing/conservation.js';
import { StreamBench } from '../testing/stream.js';

function drained(bench: StreamBench): void {
  bench.stop();
  expect(checkDrained(bench.provider.world)).toBeGreaterThan(0);
}

/** Millions of 8 B WRITEs a second over some queue pairs. */
async function millions(qps: number): Promise<number> {
  const bench = new StreamBench({ subsystem: 'srnic' });
  for (let index = 0; index < qps; index++) {
    await bench.stream({ from: 0, to: 1, messageBytes: 8, outstanding: 128, batch: 32 });
  }
  await bench.run(50);
  const gbps = await bench.measure(200);
  drained(bench);
  return (gbps.reduce((sum, each) => sum + each) * 1000) / 64;
}

describe('the send side', () => {
  it('sends as fast as one queue pair may, and several as fast as the device may (PeRF)', async () => {
    const one = await millions(1);
    expect(one).toBeGreaterThan(12);
    expect(one).toBeLessThan(13.5);
    const many = await millions(12);
    expect(many).toBeGreaterThan(95);
    expect(many).toBeLessThan(106);
  });

  it('shares the port equally between queue pairs, whatever their messages (PeRF §2)', async () => {
    const bench = new StreamBench({ subsystem: 'husky' });
    for (const messageBytes of [4096, 65536, 1 << 20]) {
      await bench.stream({ from: 0, to: 1, messageBytes, outstanding: 64 });
    }
    await bench.run(200);
    const rates = await bench.measure(1000);
    drained(bench);
    const mean = rates.reduce((sum, rate) => sum + rate) / 3;
    for (const rate of rates) expect(Math.abs(rate / mean - 1)).toBeLessThan(0.05);
    expect(3 * mean).toBeGreaterThan(95);
  });

  it('turns packets to its own host round inside, without the port', async () => {
    const bench = new StreamBench({ subsystem: 'husky' });
    await bench.stream({ from: 0, to: 0, messageBytes: 65536 });
    await bench.run(100);
    drained(bench);
    const counters = await bench.counters(0);
    expect(counters['vport_loopback_bytes']).toBeGreaterThan(500_000);
    expect(counters['tx_packets_phy']).toBe(0);
  });
});

describe('the receive side', () => {
  it('pauses its peer when it cannot place what arrives, and loses nothing', async () => {
    const bench = new StreamBench({ subsystem: 'husky' });
    // Hold the engine by messages that find no receive; the victim shares it (Husky §4).
    const [a, b] = connectRcPair(await bench.provider.open('sim0'), await bench.provider.open('sim1'));
    await bench.stream({ from: 0, to: 1, messageBytes: 65536, outstanding: 64 });
    await bench.run(50);
    a.qp.postSend({ opcode: 'SEND', sgList: [] });
    await bench.run(50);
    const [gbps] = await bench.measure(200);
    expect(gbps).toBeLessThan(1);
    const held = await bench.counters(1);
    expect(held['rnr_holds']).toBeGreaterThan(0);
    expect(held['tx_prio0_pause_duration']).toBeGreaterThan(100);
    b.qp.postRecv({ wrId: 1 });
    await bench.run(3000);
    expect((await bench.measure(200))[0]).toBeGreaterThan(90);
    expect((await bench.counters(1))['rx_discards_phy']).toBe(0);
    drained(bench);
  });
});

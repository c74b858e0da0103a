import { describe, expect, it } from 'vitest';
import { IdealProvider } from '../providers/ideal/index.js';
import { buildTestbed } from '../testbeds/index.js';
import type { WorkloadInput } from './description/description.js';
import { resolveWorkload } from './description/load.js';
import { deterministicPart, type Measurement } from './measure/measurement.js';
import { type RunOptions, runWorkload } from './run.js';
import type { Testbed } from './testbed.js';

// Goal: on a provider that keeps every promise at once, all that is posted is delivered and counted where it belongs.
// Method: short runs on ideal devices of every transport, operation and direction, and their books balanced.

async function openIdeal(hosts = 2, latencyNs = 1000): Promise<Testbed> {
  const provider = new IdealProvider({ devices: hosts, latencyNs });
  const opened = [];
  for (let index = 0; index < hosts; index++)
    opened.push({ devices: [{ context: await provider.open(`ideal${index}`) }] });
  return buildTestbed({ provider: 'ideal', hosts: opened });
}

const short = { sliceNs: 5000, minNs: 100_000, maxNs: 200_000 };

async function run(input: WorkloadInput, options: RunOptions = {}, hosts = 2): Promise<Measurement> {
  return runWorkload(
    resolveWorkload({ measure: short, ...input } as WorkloadInput),
    await openIdeal(hosts),
    options,
  );
}

describe('the engine on ideal devices', () => {
  it.each([
    ['RC', 'WRITE'],
    ['RC', 'WRITE_WITH_IMM'],
    ['RC', 'SEND'],
    ['RC', 'SEND_WITH_IMM'],
    ['UC', 'WRITE'],
    ['UC', 'SEND'],
    ['UD', 'SEND'],
  ] as const)('delivers %s %s towards the peer', async (transport, opcode) => {
    const measurement = await run({
      transport,
      opcode,
      qps: 3,
      batch: 4,
      sendQueueDepth: 16,
      sge: 2,
      sizes: [1000, 64],
      mtu: 1024,
    });
    expect(measurement.directions.map(({ from, to }) => from + to)).toEqual(['ab']);
    expect(measurement.total.goodputGbps).toBeGreaterThan(0);
    // The two sizes alternate: 532 bytes per message on average.
    expect((measurement.total.goodputGbps * 1e9) / 8 / measurement.total.messagesPerSecond).toBeCloseTo(
      532,
      -1,
    );
    expect(measurement.tenants[0].failures).toEqual({});
    expect(measurement.steadyState.steady).toBe(true);
    expect(measurement.total.wireGbps).toBeGreaterThan(measurement.total.goodputGbps);
  });

  it.each(['READ', 'COMPARE_SWAP', 'FETCH_ADD'] as const)(
    'delivers RC %s, READ counting for the way back',
    async (opcode) => {
      const measurement = await run({ opcode, qps: 2, sizes: [8], sendQueueDepth: 8 });
      expect(measurement.directions.map(({ from, to }) => from + to)).toEqual([
        opcode === 'READ' ? 'ba' : 'ab',
      ]);
      expect(measurement.total.messagesPerSecond).toBeGreaterThan(0);
      expect(measurement.tenants[0].failures).toEqual({});
    },
  );

  it('counts exactly what was asked for', async () => {
    const input: WorkloadInput = {
      opcode: 'SEND',
      iterations: 1001,
      qps: 5,
      batch: 16,
      sizes: [100, 3000],
      receiveBatch: 8,
    };
    const measurement = await run(input);
    const seconds = measurement.steadyState.measuredNs / 1e9;
    expect(Math.round(measurement.total.messagesPerSecond * seconds)).toBe(5005);
    expect(Math.round((measurement.total.goodputGbps * 1e9 * seconds) / 8)).toBe(
      5 * (501 * 100 + 500 * 3000),
    );
    expect(measurement.steadyState).toMatchObject({ warmupNs: 0, reason: 'all iterations were done' });
  });

  it('counts a mix of operations in its shares, each way', async () => {
    const opcode = [
      { opcode: 'WRITE', share: 3 },
      { opcode: 'READ', share: 1 },
    ] as const;
    const { directions } = await run({ opcode: [...opcode], iterations: 4096, sizes: [512] });
    const rate = (way: string) => directions.find(({ from, to }) => from + to === way)!.messagesPerSecond;
    expect(rate('ab') / rate('ba')).toBeCloseTo(3, 1);
  });

  it('goes both ways, in a loop, and from many to one', async () => {
    const ways = async (input: WorkloadInput, hosts = 2) =>
      (await run({ sizes: [256], ...input } as WorkloadInput, {}, hosts)).directions
        .map(({ from, to }) => from + to)
        .sort();
    expect(await ways({ direction: 'bi' })).toEqual(['ab', 'ba']);
    expect(await ways({ direction: 'loopback', from: 'b' })).toEqual(['bb']);
    expect(await ways({ direction: 'nToOne', to: 'b', senders: { sameHost: 2, otherHost: 2 } })).toEqual([
      'ab',
      'bb',
    ]);
    expect(await ways({ direction: 'nToOne', to: 'a', senders: { otherHost: 1, hosts: 3 } }, 4)).toEqual([
      'ba',
      'ca',
      'da',
    ]);
  });

  it('keeps tenants apart, and their times', async () => {
    const measurement = await run({
      measure: { ...short, maxNs: 120_000 },
      tenants: [
        { name: 'victim', sizes: [4096] },
        { name: 'late', opcode: 'READ', sizes: [64], sendQueueDepth: 8, startNs: 40_000, stopNs: 80_000 },
      ],
    });
    const { timeNs, tenants } = measurement.series;
    const late = timeNs.filter((_, index) => tenants['late'].goodputGbps[index] > 0);
    expect(Math.min(...late)).toBeGreaterThan(40_000);
    expect(Math.max(...late)).toBeLessThanOrEqual(90_000);
    expect(tenants['victim'].goodputGbps.at(-1)).toBeGreaterThan(0);
    expect(measurement.steadyState.warmupNs).toBeGreaterThanOrEqual(60_000);
    expect(measurement.steadyState.warmupNs + measurement.steadyState.measuredNs).toBeLessThanOrEqual(80_000);
    expect(measurement.tenants.map(({ name }) => name)).toEqual(['victim', 'late']);
  });

  it('keeps to a rate', async () => {
    const gbps = await run({ qps: 4, threads: 2, sizes: [1000], rateLimit: { gbps: 10 } });
    expect(gbps.total.goodputGbps).toBeGreaterThan(9.5);
    expect(gbps.total.goodputGbps).toBeLessThan(10.5);
    const messages = await run({ qps: 4, batch: 2, sizes: [8], rateLimit: { messagesPerSecond: 2e6 } });
    expect(messages.total.messagesPerSecond / 2e6).toBeCloseTo(1, 1);
  });

  it('measures half a round trip in a ping-pong and the whole of a READ', async () => {
    const opcodes = ['SEND', 'WRITE', 'READ', 'FETCH_ADD'] as const;
    const latencies = await Promise.all(
      opcodes.map(
        async (opcode) =>
          (await run({ mode: 'pingPong', opcode, sizes: [8], sendQueueDepth: 1, iterations: 50 })).tenants[0]
            .latencyNs!,
      ),
    );
    for (const latency of latencies) expect(latency.samples).toBe(50);
    // One microsecond each way; the receiver looks once a microsecond, so at most that much later.
    for (const latency of latencies) expect(latency.p50).toBeGreaterThanOrEqual(1000);
    expect(latencies[0].p50).toBeLessThanOrEqual(2000);
    expect(latencies[1].p50).toBeLessThanOrEqual(2000);
    expect(latencies[2].p50).toBeGreaterThanOrEqual(2000);
  });

  it('stalls without receives and says so', async () => {
    const measurement = await run({ opcode: 'SEND', receives: 'none', sizes: [4096], sendQueueDepth: 4 });
    expect(measurement.total.messagesPerSecond).toBe(0);
  });

  it('stops when every queue pair failed, with the status', async () => {
    const measurement = await run({ opcode: 'SEND', receives: 'none', rnrRetry: 0, sizes: [64], qps: 2 });
    expect(Object.keys(measurement.tenants[0].failures)).toContain('RNR_RETRY_EXC_ERR');
    expect(measurement.steadyState.reason).toContain('every queue pair failed');
  });

  it('uses many regions, by each rule, and shares completion queues or not', async () => {
    for (const mrChoice of ['roundRobin', 'random', 'sequential', 'perPost'] as const)
      for (const cqSharing of ['qp', 'thread'] as const) {
        const measurement = await run({
          mrs: 7,
          mrBytes: 5000,
          sizes: [512],
          qps: 24,
          threads: 2,
          sendQueueDepth: 4,
          mrChoice,
          mrOffsets: cqSharing === 'qp' ? 'sequential' : 'random',
          cqSharing,
          opcode: 'SEND',
          deal: 'blocks',
        });
        expect(measurement.tenants[0].failures).toEqual({});
        expect(measurement.total.messagesPerSecond).toBeGreaterThan(0);
      }
  });

  it('calls control verbs at their rate, long enough to see them', async () => {
    const control = [
      { verb: 'register' as const, perSecond: 50_000 },
      { host: 'b', verb: 'deregister' as const, perSecond: 20_000 },
      { verb: 'both' as const, perSecond: 1e6, pds: 'own' as const },
    ];
    const measurement = await run({ sizes: [64], control });
    expect(measurement.simulatedNs).toBeGreaterThanOrEqual(8 * 50_000);
    expect(measurement.notes.join()).toContain('control verbs');
    expect(measurement.tenants[0].failures).toEqual({});
  });

  it('says when regions had to be larger than asked for', async () => {
    expect((await run({ mrBytes: 12288, sizes: [65536] })).notes.join()).toContain('mrBytes 12288');
  });

  it('refuses a place that the host does not have', async () => {
    await expect(run({ memory: 'gpu0' })).rejects.toMatchObject({
      code: 'WORKLOAD_REFUSED',
      field: 'memory',
      given: 'gpu0',
    });
    await expect(run({ to: 'z' })).rejects.toMatchObject({ code: 'CANNOT_RUN', given: 'z' });
  });

  it('refuses more than the device has in the words of the workload', async () => {
    await expect(run({ tenants: [{}, { sge: 200 }] })).rejects.toMatchObject({
      ...{ code: 'WORKLOAD_REFUSED', tenant: 1, field: 'sge', given: 200 },
      allowed: expect.stringContaining('to 32'),
    });
  });

  it('gives the same Measurement for the same seed, and another for another', async () => {
    const input: WorkloadInput = { qps: 8, sizes: [65536, 128, 128], mrs: 16, mrChoice: 'random', batch: 4 };
    const text = async (seed: number) => JSON.stringify(deterministicPart(await run(input, { seed })));
    expect(await text(1)).toBe(await text(1));
    expect(await text(1)).not.toBe(await text(2));
  });

  it('is marked partial when it is interrupted', async () => {
    const interrupt = new AbortController();
    let slices = 0;
    const onSlice = () => void (++slices === 5 && interrupt.abort());
    const measurement = await run({ sizes: [64] }, { signal: interrupt.signal, onSlice });
    expect(measurement).toMatchObject({ partial: true, simulatedNs: 25_000, wallSeconds: null });
    expect(measurement.steadyState.reason).toContain('interrupted');
    expect(measurement.total.goodputGbps).toBeGreaterThan(0);
  });

  it('reads what a device counts under the names that operators know, and judges by its bounds', async () => {
    const ideal = await openIdeal();
    // A NIC that pauses its peer a fifth of the time on priority 3, sends 50 Gb/s in 10 M packets/s and drops 1 M/s.
    const counters = (nowNs: number) => ({
      tx_prio3_pause_duration: nowNs / 5000,
      tx_prio4_pause_duration: 0,
      tx_vport_rdma_unicast_bytes: (nowNs * 50) / 8,
      rx_vport_rdma_unicast_bytes: 0,
      tx_vport_rdma_unicast_packets: nowNs / 100,
      rx_vport_rdma_unicast_packets: 0,
      rx_discards_phy: nowNs / 1000,
    });
    const [{ context }] = ideal.hosts;
    const bounds = {
      lineRateGbps: 100,
      packetsPerSecond: 60e6,
      packetsPerSecondPerQp: 13e6,
      readsPerSecondPerQp: 7e6,
    };
    // The device says that it has placed 25 Gb/s at the receiver, whatever completed.
    const placedBytes = [() => 0, () => (context.clock.nowNs * 25) / 8];
    const hosts = ideal.hosts.map((host, index) => ({
      devices: [
        {
          context: Object.create(host.context, { counters: { value: () => counters(context.clock.nowNs) } }),
          bounds,
          probe: { placedBytes: placedBytes[index] },
        },
      ],
    }));
    const workload = resolveWorkload({ measure: short, sizes: [4096] });
    const testbed = buildTestbed({ provider: 'ideal', hosts, events: () => 42 });
    const measurement = await runWorkload(workload, testbed, {});
    expect(measurement.hosts[0].pauseRatio).toBeCloseTo(0.2, 6);
    expect(measurement.hosts[0].port?.txGbps).toBeCloseTo(50, 6);
    expect(measurement.hosts[0].port?.txPacketsPerSecond).toBeCloseTo(10e6, 0);
    expect(measurement.hosts[0].absent).toEqual({});
    expect(measurement.dropped).toBeCloseTo((2 * measurement.steadyState.measuredNs) / 1000, 6);
    expect(measurement.total.goodputGbps).toBeCloseTo(25, 6);
    expect(measurement.total.messagesPerSecond).toBeCloseTo(25e9 / 8 / 4096, 3);
    expect(measurement.total.wireGbps).toBeCloseTo((25 * (4096 + 62 + 16)) / 4096, 6);
    expect(measurement.verdict).toMatchObject({ anomaly: true, symptom: 'pause' });
    expect(measurement.series.hosts['a'].pauseRatio?.at(-1)).toBeCloseTo(0.2, 6);
    expect(measurement.events).toBe(42);
  });

  it('names what the provider does not count, and why', async () => {
    const [host] = (await run({ sizes: [64] })).hosts;
    expect(host.pauseRatio).toBeNull();
    expect(host.absent['pauseRatio']).toContain('an ideal device carries whole messages');
    expect(host.counters).toHaveProperty('out_of_buffer', 0);
  });
});

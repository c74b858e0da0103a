import { describe, expect, it } from 'vitest';
import { explain } from '../jobs/explain/index.js';
import { mechanisms } from '../models/index.js';
import {
  hostsNeeded,
  type LimitKind,
  type Measurement,
  resolveWorkload,
  runWorkload,
  type WorkloadInput,
} from '../workload/index.js';
import { openTestbed, subsystemOf, type TestbedDescription } from './index.js';

// Goal: the limit of a run is named, and proved by rerunning without it. Method: workloads with a known limit.

const measure = { minNs: 200_000, maxNs: 400_000 };

type Impairments = NonNullable<TestbedDescription['impairments']>;

async function run(
  subsystem: string,
  input: WorkloadInput,
  impairments: Impairments = {},
): Promise<Measurement> {
  const workload = resolveWorkload({ measure, ...input } as WorkloadInput);
  const { settings } = workload;
  const hosts = hostsNeeded(workload);
  const testbed = await openTestbed({ subsystem, hosts, seed: 1, settings, impairments });
  try {
    return await runWorkload(workload, testbed, { seed: 1 });
  } finally {
    await testbed.close();
  }
}

function prove(subsystem: string, measurement: Measurement, impairments: Impairments = {}) {
  return explain(measurement, {
    subsystem: subsystemOf({ subsystem, settings: measurement.workload.settings }),
    mechanisms,
    open: (workload, changed, ablate, lossless) =>
      openTestbed({
        impairments: lossless ? {} : impairments,
        subsystem: changed,
        hosts: hostsNeeded(workload),
        seed: 1,
        ablate: ablate as (keyof typeof mechanisms)[],
      }),
  });
}

const small = { sizes: [8], threads: 16 } satisfies WorkloadInput;
const otherSocket = { a: 'memory2', b: 'memory2' };

describe('what limited a run', () => {
  it.each<[LimitKind, RegExp, string, WorkloadInput]>([
    ['line', /^host [ab]'s port, (sending|receiving): (199\.9|200\.0) of 200 Gb\/s/, 'collie-f', { qps: 8 }],
    // One queue pair: its bound is on messages, and WQEs that it reads twice are not packets that it drops.
    [
      'line',
      /^host [ab]'s port, (sending|receiving): (99\.\d|100\.0) of 100 Gb\/s[^;]*$/,
      'srnic-fpga',
      { sizes: [4096], mtu: 1024 },
    ],
    [
      'posting core',
      /^posting core of host a: the busiest is 100 % busy/,
      'collie-f',
      { ...small, threads: 1 },
    ],
    [
      'processing units',
      /^processing units of a: 105\.2[67] M packets/,
      'collie-f',
      { ...small, qps: 32, batch: 16 },
    ],
    [
      'processing units',
      /^the one processing unit .* of a has: 13\.\d+ M of/,
      'collie-f',
      { ...small, batch: 16 },
    ],
    [
      'processing units',
      /^processing units of b: 15\.\d+ M packets\/s sent, one in 64 ns/,
      'collie-h',
      { opcode: 'READ', qps: 16, sizes: [65536], mtu: 256 },
    ],
    [
      'workload',
      /^the workload, a to b: its requests take 1\.0 times as long as the quickest/,
      'collie-h',
      { opcode: 'READ', qps: 1, sendQueueDepth: 16, sizes: [1024], mtu: 2048 },
    ],
    ['context cache', /^context cache of a: icm_cache_miss/, 'husky', { ...small, opcode: 'READ', qps: 640 }],
    [
      'workload',
      /^the workload, a to b: its send queues are empty/,
      'collie-f',
      { ...small, sendQueueDepth: 4 },
    ],
    ['workload', /it limits its own rate$/, 'collie-f', { rateLimit: { gbps: 10 } }],
    ['workload', /it sends one message at a time$/, 'collie-f', { mode: 'pingPong', opcode: 'SEND' }],
    [
      'host link',
      /^inter-socket link [ab]\/socket0-socket1 both ways: 32\d\.\d of 330 Gb\/s/,
      'collie-g',
      { qps: 8, direction: 'bi', memory: otherSocket },
    ],
    [
      'PCIe ordering',
      /^PCIe ordering of [ab]: turns \d+ % of the time, .* used (9\d|100) % of the time; [ab] pauses its peer/,
      'collie-e',
      { qps: 8, direction: 'bi', sizes: [65536, 128] },
    ],
    [
      'PCIe ordering',
      /^PCIe ordering of [ab]: turns 0.* used (9\d|100) % of the time/,
      'collie-g',
      { qps: 8, settings: { ordering: 'strict' } },
    ],
    [
      'PCIe link',
      /^PCIe link b\/rnic0-up towards switch0: 2[34]\d\.\d of 240 Gb\/s/,
      'collie-f',
      { direction: 'nToOne', to: 'b', senders: { sameHost: 8, otherHost: 8 } },
    ],
    [
      'receive WQE cache',
      /^receive WQE cache of b: .*b drops \d+ %/,
      'collie-f',
      {
        transport: 'UD',
        opcode: 'SEND',
        qps: 16,
        sendQueueDepth: 1024,
        receiveQueueDepth: 1024,
        mtu: 1024,
        batch: 4,
        sizes: [1024],
      },
    ],
    // Packets that come behind one that was dropped are of no use either: the sender is not what is slow.
    [
      'receive WQE cache',
      /^receive WQE cache of b: .*b drops [\d.]+ % .*, and refuses \d\d %/,
      'collie-f',
      {
        ...{ opcode: 'SEND', qps: 32, sendQueueDepth: 1024, receiveQueueDepth: 1024, mtu: 1024 },
        ...{ batch: 8, sge: 2, sizes: [64], mrChoice: 'perPost' },
      },
    ],
    // Pauses come in bursts: the engine is not at its end all the time.
    [
      'receive engine',
      /^receive engine of b: .* stalled [67]\d %, receive_wqe_window_miss .*; b pauses its peer/,
      'collie-f',
      {
        ...{ transport: 'UD', opcode: 'SEND', sendQueueDepth: 256, mtu: 2048, batch: 64 },
        ...{ sizes: [2048], mrChoice: 'perPost' },
      },
    ],
    [
      'processing units',
      /^processing units of a: .* M packets\/s sent, one in 16.5 ns/,
      'collie-f',
      { ...small, opcode: 'READ', qps: 32, batch: 16 },
    ],
    // Requests and answers: the units are as busy with both as they can be.
    [
      'processing units',
      /^processing units of [ab]: .* M packets\/s sent, one in 13 ns/,
      'collie-f',
      { ...small, opcode: 'READ', direction: 'bi', qps: 32, batch: 16 },
    ],
    [
      'workload',
      /messages find no receive posted at b, and the first of them holds all others 100 %/,
      'collie-f',
      { opcode: 'SEND', qps: 4, receives: 'none', sizes: [4096] },
    ],
  ])('is named: %s', async (kind, words, subsystem, input) => {
    const { limits } = await run(subsystem, input);
    expect(limits.by).toMatch(words);
    expect(limits.part).toMatchObject({ kind });
    expect(limits.parts.every(({ share }) => share > 0 && share <= 1)).toBe(true);
  });

  it.each<[RegExp, WorkloadInput, number, number]>([
    // Told of a gap the sender goes back: its port is full, of packets that are of no use.
    [/^packets lost between a and b: [01].* % of what was sent; \d\d % of what arrives/, { qps: 8 }, 0.01, 0],
    // Refusals are lost as well, so that timers must run out.
    [
      /requests spend \d+ % .*: the timeout is 67\.1 ms, the run took 0\.\d ms$/,
      { sizes: [4096] },
      0.05,
      0.3,
    ],
    [/requests spend \d\d % of their time waiting/, { ...small, mode: 'pingPong', iterations: 500 }, 0.02, 0],
  ])('is what was lost on the way: %s', async (words, input, loss, backLoss) => {
    const impairments = { h1: { loss }, h0: { loss: backLoss } };
    const measurement = await run('collie-f', input, impairments);
    expect(measurement.limits.by).toMatch(words);
    expect(measurement.limits.part).toMatchObject({ kind: 'loss', at: null });
    const { outcomes, conclusion } = await prove('collie-f', measurement, impairments);
    expect(outcomes.find(({ ofLimit }) => ofLimit)).toMatchObject({
      ...{ name: 'nothing is lost on the way', matters: true },
    });
    // Who waits for each answer would gain even more by not waiting: then both are told.
    expect(conclusion).toMatch(/this proves what was named|what was named matters too \(if nothing is lost/);
  });

  it('blames no device for messages that a lost packet broke', async () => {
    const unreliable = { transport: 'UC', qps: 4 } satisfies WorkloadInput;
    const { limits } = await run('collie-f', unreliable, { h1: { loss: 0.01 } });
    expect(limits.by).toMatch(/^host a's port, sending: 200.0 of 200 Gb\/s[^;]*$/);
    const { limits: many } = await run('collie-f', unreliable, { h1: { loss: 0.05 } });
    expect(many.by).toMatch(/^packets lost between a and b: [45] % .* is of no use/);
  });

  it('is no loss where little of it costs little', async () => {
    const { limits } = await run('collie-f', { qps: 8 }, { h1: { loss: 0.0005 } });
    expect(limits.part?.kind).toBe('line');
    expect(limits.parts.map(({ kind }) => kind)).not.toContain('loss');
  });

  it('is not made up where the provider says nothing of its parts', async () => {
    const testbed = await openTestbed({ provider: 'ideal' });
    const workload = resolveWorkload({ qps: 4, measure });
    const { limits } = await runWorkload(workload, testbed, { seed: 1 });
    expect(limits.by).not.toBe('');
    for (const { kind } of limits.parts) expect(['workload', 'posting core']).toContain(kind);
  });

  it.each<[RegExp, string, WorkloadInput]>([
    [/^the cores are twice as fast$/, 'collie-f', { ...small, threads: 1 }],
    [/without context-cache/, 'husky', { ...small, opcode: 'READ', qps: 2560 }],
    [/^twice as many requests are in flight$/, 'collie-f', { ...small, sendQueueDepth: 4 }],
    [
      /^queues are kept full$/,
      'collie-f',
      { mode: 'pingPong', opcode: 'SEND', sendQueueDepth: 1, sizes: [64] },
    ],
    [/^a receive is posted for every message$/, 'collie-f', { opcode: 'SEND', receives: 'none' }],
    [/^no rate limit$/, 'collie-f', { rateLimit: { gbps: 10 } }],
    [/without cross-socket-link/, 'collie-g', { qps: 8, direction: 'bi', memory: otherSocket }],
  ])('is proved by a run without it: %s', async (cause, subsystem, input) => {
    const measurement = await run(subsystem, input);
    const explanation = await prove(subsystem, measurement);
    expect(explanation.cause?.name).toMatch(cause);
    expect(explanation.cause!.clears || explanation.cause!.faster > 1.05).toBe(true);
    expect(explanation.conclusion).toContain(measurement.limits.by);
  });

  it('says where nothing confirms what was named', async () => {
    const measurement = await run('collie-f', { ...small, threads: 1 });
    const [part] = measurement.limits.parts;
    const { conclusion } = await prove('collie-f', {
      ...measurement,
      limits: { ...measurement.limits, part: { ...part, kind: 'control verbs' } },
    });
    expect(conclusion).toContain('what was named is busy but makes no difference by itself');
  });

  it('goes on to every mechanism where an anomaly does not end', async () => {
    // The vendor names no cause of #14: no part is used up.
    const measurement = await run('collie-h', {
      ...{ direction: 'bi', qps: 1024, mrs: 82, sge: 4, mrChoice: 'perPost', sizes: [65536] },
      measure: { minNs: 100_000, maxNs: 300_000 },
    });
    expect(measurement.limits.part).toBeNull();
    const { cause, conclusion } = await prove('collie-h', measurement);
    expect(cause).toMatchObject({ clears: true });
    expect(conclusion).toMatch(/the anomaly is gone: no part is saturated/);
  });

  it('tries every mechanism where no part is used up', async () => {
    const measurement = await run('collie-f', { ...small, measure: { minNs: 50_000, maxNs: 50_000 } });
    const { outcomes } = await prove('collie-f', {
      ...measurement,
      limits: { by: '', part: null, parts: [] },
    });
    expect(outcomes).toHaveLength(Object.keys(mechanisms).length);
  });
});

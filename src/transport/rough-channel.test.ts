import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ACCESS_REMOTE, Access, type Mtu, type QpAttr, type QueuePair, type SendWr } from '../verbs/index.js';
import {
  type ControlSpec,
  controlPreset,
  createControl,
  Dctcp,
  dcqcnNicDefaults,
  goBackN,
  goBackZero,
  irn,
  type LossRecovery,
  melo,
  PacedFlow,
  srnic,
} from './index.js';
import type { Faults } from './testing/channel.js';
import { DelayedSlowPath } from './testing/delayed-slow-path.js';
import { Loopback, type LoopbackOptions } from './testing/loopback.js';

/** One request of a side: sizes and places are such that the end does not depend on who is faster. */
interface Step {
  opcode:
    | 'SEND'
    | 'SEND_WITH_IMM'
    | 'RDMA_WRITE'
    | 'RDMA_WRITE_WITH_IMM'
    | 'RDMA_READ'
    | 'ATOMIC_FETCH_AND_ADD'
    | 'ATOMIC_CMP_AND_SWP';
  bytes: number;
  fence: boolean;
}

interface Outcome {
  memories: Uint8Array[];
  completions: string[][];
}

const PLACE_BYTES = 8192;
const STEPS = 12;
/** Each side's memory: its own data, the targets of WRITEs and SENDs, the results of READs and atomics, one counter. */
const AREA_BYTES = STEPS * PLACE_BYTES;
const MEMORY_BYTES = 4 * AREA_BYTES;

class Side {
  readonly memory = new Uint8Array(MEMORY_BYTES);
  readonly qp: QueuePair;
  readonly mr;
  readonly sendCq;
  readonly recvCq;

  constructor(loopback: Loopback, index: number) {
    const context = loopback.contexts[index];
    for (let at = 0; at < AREA_BYTES; at++) this.memory[at] = at * 31 + (at >> 9) + index;
    const pd = context.allocPd();
    this.mr = pd.regMr(this.memory, Access.LOCAL_WRITE | ACCESS_REMOTE);
    this.sendCq = context.createCq({ cqe: 64 });
    this.recvCq = context.createCq({ cqe: 64 });
    const cap = { maxSendWr: 32, maxRecvWr: 32 };
    this.qp = pd.createQp({ qpType: 'RC', sendCq: this.sendCq, recvCq: this.recvCq, cap, sqSigAll: true });
  }

  at(area: number, place: number, length: number) {
    return [{ addr: this.mr.addr + area * AREA_BYTES + place * PLACE_BYTES, length, lkey: this.mr.lkey }];
  }

  connect(peer: Side, dgid: string, pathMtu: Mtu): void {
    const attr: QpAttr = { pkeyIndex: 0, portNum: 1, qpAccessFlags: ACCESS_REMOTE };
    this.qp.modify({ state: 'INIT', ...attr });
    for (let place = 0; place < STEPS; place++) {
      this.qp.postRecv({ wrId: place, sgList: this.at(1, place, PLACE_BYTES) });
    }
    const path = { ahAttr: { dgid, sgidIndex: 0 }, pathMtu, destQpNum: peer.qp.qpNum };
    this.qp.modify({ state: 'RTR', ...path, rqPsn: 0xfffff0, maxDestRdAtomic: 3, minRnrTimer: 1 });
    const retries = { timeout: 4, retryCnt: 7, rnrRetry: 7 };
    this.qp.modify({ state: 'RTS', sqPsn: 0xfffff0, maxRdAtomic: 3, ...retries });
  }

  post(peer: Side, step: Step, place: number): void {
    const atomic = step.opcode.startsWith('ATOMIC');
    const reads = atomic || step.opcode === 'RDMA_READ';
    // READs take from what nobody writes; WRITEs have a place each, away from the receives.
    const from = step.opcode === 'RDMA_READ' ? place * PLACE_BYTES : 2 * AREA_BYTES + place * PLACE_BYTES;
    const target = atomic ? 3 * AREA_BYTES + AREA_BYTES - 8 : from;
    const { rkey, iova } = peer.mr;
    this.qp.postSend({
      opcode: step.opcode,
      wrId: place,
      fence: step.fence,
      sgList: this.at(reads ? 3 : 0, place, atomic ? 8 : step.bytes),
      ...(step.opcode.startsWith('SEND') ? {} : { remoteAddr: iova + target, rkey }),
      ...(step.opcode.endsWith('IMM') ? { immData: 1000 + place } : {}),
      ...(atomic ? { compareAdd: BigInt(place) } : {}),
      ...(step.opcode === 'ATOMIC_CMP_AND_SWP' ? { swap: BigInt(place * 3 + 1) } : {}),
    } as SendWr);
  }

  completions(): string[] {
    const texts = (cq: typeof this.sendCq) =>
      cq
        .poll(64)
        .map(
          ({ wrId, status, opcode, byteLen, immData }) => `${wrId} ${status} ${opcode} ${byteLen} ${immData}`,
        );
    return [...texts(this.sendCq), ...texts(this.recvCq)];
  }
}

/** Both sides post all they have; then time passes until all is done. */
function run(
  plans: readonly [Step[], Step[]],
  mtu: Mtu,
  options: LoopbackOptions,
  slowPath?: DelayedSlowPath,
): Outcome & { loopback: Loopback } {
  const loopback = new Loopback(options);
  slowPath?.join(loopback.simulation);
  const [a, b] = [new Side(loopback, 0), new Side(loopback, 1)];
  a.connect(b, '::ffff:10.0.0.2', mtu);
  b.connect(a, '::ffff:10.0.0.1', mtu);
  for (const [place, step] of plans[0].entries()) a.post(b, step, place);
  for (const [place, step] of plans[1].entries()) b.post(a, step, place);
  loopback.time.advance(4e12);
  loopback.checkers.finish();
  return { memories: [a.memory, b.memory], completions: [a.completions(), b.completions()], loopback };
}

const step: fc.Arbitrary<Step> = fc.record({
  opcode: fc.constantFrom(
    'SEND',
    'SEND_WITH_IMM',
    'RDMA_WRITE',
    'RDMA_WRITE_WITH_IMM',
    'RDMA_READ',
    'ATOMIC_FETCH_AND_ADD',
    'ATOMIC_CMP_AND_SWP',
  ),
  bytes: fc.oneof(fc.constantFrom(0, 1, 256, 4096, 4097), fc.integer({ min: 0, max: PLACE_BYTES })),
  fence: fc.boolean(),
});
const plan = fc.array(step, { minLength: 1, maxLength: STEPS });
const faults: fc.Arbitrary<Partial<Faults>> = fc.record({
  loss: fc.constantFrom(0, 0.01, 0.05, 0.08),
  duplication: fc.constantFrom(0, 0.05, 0.3),
  reordering: fc.constantFrom(0, 0.05, 0.3),
  reorderPs: fc.constantFrom(300_000, 3_000_000, 20_000_000),
});
const transport = fc.record({
  ackRequestInterval: fc.constantFrom(1, 4, 64),
  maxOutstandingPackets: fc.constantFrom(1, 5, 1000),
  endToEndCredits: fc.boolean(),
});

// Retries are bounded, so that a channel can be too bad: every run of the suite is the same run.
const FIXED = { seed: 20260101, numRuns: 120 };

// A message of many packets must come through as a whole, and seven retries must do.
const MILD = { loss: 0.01, reordering: 0.01 };

const RECOVERIES: Record<string, () => LossRecovery> = {
  'go-back-n': () => goBackN,
  'go-back-0': () => goBackZero,
  irn: () => irn(),
  srnic: () => srnic(),
  melo: () => melo({ poolBits: 20 }),
};

it.each(Object.keys(RECOVERIES))('delivers the same bytes and completions over any channel by %s', (name) => {
  const mtu = fc.constantFrom<Mtu>(256, 1024, 4096);
  const seed = fc.integer({ min: 0, max: 1e6 });
  let lost = 0;
  let retransmitted = 0;
  fc.assert(
    fc.property(
      fc.tuple(plan, plan),
      mtu,
      faults,
      transport,
      seed,
      (plans, pathMtu, faulty, choices, seeded) => {
        const wanted = run(plans, pathMtu, {});
        expect(wanted.completions.map((list) => list.length)).toEqual(
          plans.map((own, index) => own.length + plans[1 - index].filter(takesReceive).length),
        );
        expect(wanted.completions.flat().every((text) => text.includes('SUCCESS'))).toBe(true);
        const given = run(plans, pathMtu, {
          faults: name === 'go-back-0' ? { ...faulty, ...MILD } : faulty,
          transport: { ...choices, lossRecovery: RECOVERIES[name]() },
          seed: seeded,
        });
        expect(given.completions).toEqual(wanted.completions);
        for (const index of [0, 1]) {
          expect(Buffer.compare(given.memories[index], wanted.memories[index])).toBe(0);
          retransmitted += given.loopback.devices[index].counters.retransmitted_packets;
        }
        lost += given.loopback.channel.lost;
      },
    ),
    FIXED,
  );
  expect(lost).toBeGreaterThan(name === 'go-back-0' ? 30 : 300);
  expect(retransmitted).toBeGreaterThan(lost);
});

it('through software that takes no time does what it does without, packet for packet', () => {
  fc.assert(
    fc.property(fc.tuple(plan, plan), faults, transport, fc.nat(1e6), (plans, faulty, choices, seed) => {
      const by = (lossRecovery: LossRecovery) =>
        run(plans, 256, { faults: faulty, transport: { ...choices, lossRecovery }, seed });
      const [hardware, software] = [by(irn()), by(srnic())];
      expect(software.completions).toEqual(hardware.completions);
      expect(software.loopback.checkers.resent).toEqual(hardware.loopback.checkers.resent);
      for (const index of [0, 1]) {
        expect({ ...software.loopback.devices[index].counters }).toEqual({
          ...hardware.loopback.devices[index].counters,
        });
        expect(Buffer.compare(software.memories[index], hardware.memories[index])).toBe(0);
      }
    }),
    { ...FIXED, numRuns: 60 },
  );
});

it('delivers through software that takes its time, also where its queue is too short', () => {
  let full = 0;
  fc.assert(
    fc.property(
      fc.tuple(plan, plan),
      faults,
      fc.constantFrom(200_000, 5_000_000, 40_000_000),
      fc.constantFrom(1, 4, 1000),
      fc.nat(1e6),
      (plans, faulty, delayPs, mostEvents, seed) => {
        const slowPath = new DelayedSlowPath(delayPs, mostEvents);
        const lossRecovery = srnic({ slowPath });
        const wanted = run(plans, 256, {});
        const given = run(plans, 256, { faults: faulty, transport: { lossRecovery }, seed }, slowPath);
        expect(given.completions).toEqual(wanted.completions);
        full += slowPath.full;
        for (const index of [0, 1])
          expect(Buffer.compare(given.memories[index], wanted.memories[index])).toBe(0);
      },
    ),
    { ...FIXED, numRuns: 60 },
  );
  expect(full).toBeGreaterThan(10);
});

it.each(['irn', 'srnic'])('delivers READ data of both sides within a window, by %s', (name) => {
  const reads = fc.array(
    fc.record<Step>({
      opcode: fc.constant('RDMA_READ'),
      bytes: fc.integer({ min: 0, max: PLACE_BYTES }),
      fence: fc.boolean(),
    }),
    { minLength: 1, maxLength: STEPS },
  );
  const windows = fc.constantFrom(1, 2, 7, 30);
  const reached = new Set<number>();
  fc.assert(
    fc.property(fc.tuple(reads, reads), faults, transport, windows, fc.nat(1e6), (plans, ...rest) => {
      const [faulty, choices, windowPackets, seed] = rest;
      const lossRecovery = name === 'irn' ? irn({ windowPackets }) : srnic({ windowPackets });
      const wanted = run(plans, 256, {});
      const given = run(plans, 256, { faults: faulty, transport: { ...choices, lossRecovery }, seed });
      expect(given.completions).toEqual(wanted.completions);
      for (const index of [0, 1])
        expect(Buffer.compare(given.memories[index], wanted.memories[index])).toBe(0);
      reached.add(given.loopback.checkers.mostReadData);
    }),
    { ...FIXED, numRuns: 60 },
  );
  // The checkers see that no window is exceeded; here that each is used.
  expect([...reached]).toEqual(expect.arrayContaining([1, 2, 7, 30]));
});

it('narrows the window of READ data where that arrives marked', () => {
  const reads: Step[] = Array.from({ length: STEPS }, () => ({
    opcode: 'RDMA_READ' as const,
    bytes: PLACE_BYTES,
    fence: false,
  }));
  const most = (marking: number) => {
    const spec = {
      gain: 1 / 16,
      additiveBps: 1e6,
      payloadBytes: 1,
      minRateBps: 1e6,
      window: 'scaled',
    } as const;
    const congestion = () => {
      const control = new Dctcp(1, spec);
      control.open(0, { lineBps: 16e6, windowBytes: 16, baseRttNs: 0 });
      return new PacedFlow(control, 0, {
        mtuBytes: 1,
        overheadBytes: 0,
        paces: false,
        spare: 0,
        measures: false,
      });
    };
    const transport = { lossRecovery: irn(), echoMarks: true, ackRequestInterval: 4 };
    const { completions, loopback } = run([reads, []], 256, { congestion, transport, marking, seed: 5 });
    expect(completions[0].filter((text) => text.includes('SUCCESS'))).toHaveLength(STEPS);
    const [endpoint] = loopback.devices[1].endpoints.values();
    return [loopback.checkers.mostReadData, endpoint.congestion.windowPackets];
  };
  expect(most(0)).toEqual([16, 16]);
  expect(most(0.5)[1]).toBeLessThan(8);
});

it('delivers under congestion control, at a lower rate', () => {
  const plans: [Step[], Step[]] = [
    Array.from({ length: STEPS }, () => ({
      opcode: 'RDMA_WRITE' as const,
      bytes: PLACE_BYTES,
      fence: false,
    })),
    [{ opcode: 'SEND', bytes: 8, fence: false }],
  ];
  const wanted = run(plans, 1024, {});
  const congestion = () => paced({ kind: 'dcqcn-nic', ...dcqcnNicDefaults() }, 10e9);
  const given = run(plans, 1024, { congestion, marking: 0.3, seed: 3 });
  expect(given.completions).toEqual(wanted.completions);
  expect(Buffer.compare(given.memories[1], wanted.memories[1])).toBe(0);
  expect(given.loopback.devices[0].counters.rp_cnp_handled).toBeGreaterThan(10);
  expect(given.loopback.devices[1].counters.np_ecn_marked_roce_packets).toBeGreaterThan(10);
});

/** A queue pair under a control of its own. */
function paced(spec: ControlSpec, lineBps: number): PacedFlow {
  const control = createControl(spec, 1);
  control.open(0, { lineBps, windowBytes: 64_000, baseRttNs: 5000 });
  return new PacedFlow(control, 0, {
    mtuBytes: 1024,
    overheadBytes: 62,
    paces: true,
    spare: 0,
    measures: false,
  });
}

it('paces READ data by the rate of whoever sends it', () => {
  const reads: Step[] = Array.from({ length: STEPS }, () => ({
    opcode: 'RDMA_READ' as const,
    bytes: PLACE_BYTES,
    fence: false,
  }));
  /** When the last data left, and how often its sender was told of marks. */
  const lastSend = (recovery: 'go-back-n' | 'irn', marking: number) => {
    let lastPs = 0;
    const congestion = () => {
      const flow = paced({ kind: 'dcqcn-nic', ...dcqcnNicDefaults() }, 10e9);
      const onSend = flow.onSend.bind(flow);
      flow.onSend = (bytes, nowPs, counted) => {
        lastPs = nowPs;
        onSend(bytes, nowPs, counted);
      };
      return flow;
    };
    const transport = recovery === 'irn' ? { lossRecovery: irn() } : {};
    const { completions, loopback } = run([reads, []], 1024, { congestion, transport, marking, seed: 5 });
    expect(completions[0].filter((text) => text.includes('SUCCESS'))).toHaveLength(STEPS);
    return [lastPs, loopback.devices[1].counters.rp_cnp_handled];
  };
  for (const recovery of ['go-back-n', 'irn'] as const) {
    const [freePs] = lastSend(recovery, 0);
    const [heldPs, notified] = lastSend(recovery, 0.3);
    expect(notified).toBeGreaterThan(0);
    expect(heldPs).toBeGreaterThan(3 * freePs);
  }
});

it.each(['timely', 'swift', 'dcqcn', 'dcqcn-paper', 'none'] as const)('delivers under %s', (name) => {
  const plans: [Step[], Step[]] = [
    Array.from({ length: STEPS }, (_, step) => ({
      opcode: step % 3 === 0 ? ('RDMA_READ' as const) : ('RDMA_WRITE' as const),
      bytes: PLACE_BYTES,
      fence: false,
    })),
    [{ opcode: 'SEND', bytes: 8, fence: false }],
  ];
  const wanted = run(plans, 1024, {});
  const congestion = () => paced(controlPreset(name, 10e9, 1024), 10e9);
  const given = run(plans, 1024, { congestion, marking: 0.2, faults: { loss: 0.01 }, seed: 3 });
  expect(given.completions).toEqual(wanted.completions);
  expect(Buffer.compare(given.memories[1], wanted.memories[1])).toBe(0);
});

function takesReceive({ opcode }: Step): boolean {
  return opcode.startsWith('SEND') || opcode === 'RDMA_WRITE_WITH_IMM';
}

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { write24 } from '../../wire/bytes/bytes.js';
import { crc32Update } from '../../wire/bytes/crc32.js';
import { isRefusal } from '../../wire/bytes/refusal.js';
import { concatenate } from '../../wire/capture/pcapng.js';
import { readPcapng } from '../../wire/capture/pcapng-reader.js';
import { writeIcrc } from '../../wire/ib/icrc.js';
import { OPCODE } from '../../wire/ib/opcode.js';
import { PACKET_KINDS } from '../../wire/ib/packet-kind.js';
import { parseRocePacket } from '../../wire/packet/packet.js';
import type { DatagramBatch } from '../datagram-batch.js';
import { IcrcFlow } from '../icrc-flow.js';
import type { Link } from '../link.js';
import { memoryPair } from '../testing/pair.js';
import {
  capture,
  type NetworkFaults,
  FaultPlan,
  faults,
  PacketRecorder,
  statistics,
  withMiddlewares,
} from './index.js';

/** Appends a SEND ONLY of four bytes with a good ICRC. */
function append(batch: DatagramBatch, link: Link, to: Uint8Array, psn: number, qpn = 0x12): void {
  const at = batch.open(24);
  const { bytes } = batch;
  bytes.fill(0, at, at + 24);
  bytes[at] = OPCODE.RC_SEND_ONLY;
  bytes[at + 2] = 0xff;
  bytes[at + 3] = 0xff;
  write24(bytes, at + 5, qpn);
  write24(bytes, at + 9, psn);
  bytes[at + 12] = psn;
  const flow = new IcrcFlow(link.port, crc32Update);
  flow.set(link.gids[0], to, link.sourcePort);
  writeIcrc(bytes, at + 16, flow.icrcOf(bytes, at, at + 16));
  batch.commit(at + 20, new Uint32Array(to.slice().buffer), 0);
}

interface Tasks {
  schedule(delayNs: number, task: () => void): void;
  run(): void;
}

function tasks(): Tasks {
  const waiting: (() => void)[] = [];
  return {
    schedule: (_delayNs, task) => void waiting.push(task),
    run: () => {
      for (const task of waiting.splice(0)) task();
    },
  };
}

/** Sends PSNs 100 to 109 through faults and gives the PSNs that arrive, and those after all time has passed. */
function through(description: NetworkFaults, side: 'sent' | 'received' = 'sent') {
  const [left, right] = memoryPair();
  const clock = tasks();
  const plan = new FaultPlan(description);
  const middleware = [faults(plan, clock.schedule)];
  const from = side === 'sent' ? withMiddlewares(left, middleware) : left;
  const to = side === 'received' ? withMiddlewares(right, middleware) : right;
  const arrived: number[] = [];
  const marks: number[] = [];
  const listener = (keep: boolean) => ({
    received: (batch: DatagramBatch) => {
      if (!keep) return;
      for (let index = 0; index < batch.count; index++) {
        arrived.push(batch.bytes[batch.offset[index] + 11]);
        if (batch.trafficClass[index] === 3) marks.push(batch.bytes[batch.offset[index] + 11]);
      }
    },
    writable: () => {},
    failed: () => {},
  });
  from.start(listener(false));
  to.start(listener(true));
  const batch = from.createBatch(16, 4096);
  for (let psn = 100; psn < 110; psn++) append(batch, from, right.gids[0], psn);
  expect(from.send(batch, 0)).toBe(10);
  const atOnce = [...arrived];
  clock.run();
  return { atOnce, arrived, marks, plan };
}

const all = [100, 101, 102, 103, 104, 105, 106, 107, 108, 109];

describe('faults', () => {
  it('strike the packet that a rule names, in either direction, and nothing else', () => {
    for (const side of ['sent', 'received'] as const) {
      const rule = { qp: 0, psn: 3, transmission: 1, direction: side } as const;
      const of = (action: 'drop' | 'duplicate' | 'reorder' | 'delay' | 'mark') =>
        through({ rules: [{ ...rule, action }] }, side);
      expect(of('drop').arrived).toEqual(all.filter((psn) => psn !== 103));
      expect(of('duplicate').arrived).toEqual([100, 101, 102, 103, 103, 104, 105, 106, 107, 108, 109]);
      expect(of('reorder').arrived).toEqual([100, 101, 102, 104, 103, 105, 106, 107, 108, 109]);
      expect(of('delay').atOnce).toEqual(all.filter((psn) => psn !== 103));
      expect(of('delay').arrived).toEqual([...all.filter((psn) => psn !== 103), 103]);
      expect(of('mark').marks).toEqual([103]);
      expect(through({ rules: [{ ...rule, qp: 1, action: 'drop' }] }, side).arrived).toEqual(all);
    }
  });

  it('hold the last packet until time has passed', () => {
    const { atOnce, arrived } = through({ rules: [{ action: 'reorder', psn: 9 }] });
    expect(atOnce).toHaveLength(9);
    expect(arrived).toEqual(all);
  });

  it('count transmissions', () => {
    const plan = new FaultPlan({ rules: [{ action: 'drop', psn: 1, transmission: 2 }] });
    const fates = [5, 6, 6, 6, 7].map((psn) => plan.decide('sent', OPCODE.RC_SEND_ONLY, 9, psn));
    expect(fates).toEqual([0, 0, 1, 0, 0]);
  });

  it('tell requests from responses', () => {
    const plan = new FaultPlan({ rules: [{ action: 'drop', stream: 'response', psn: 0 }] });
    expect(plan.decide('sent', OPCODE.RC_SEND_ONLY, 9, 5)).toBe(0);
    expect(plan.decide('sent', OPCODE.RC_ACKNOWLEDGE, 9, 77)).toBe(1);
    expect(plan.decide('sent', OPCODE.RC_ACKNOWLEDGE, 9, 78)).toBe(0);
  });

  it('are the same for the same seed, and come at the rate asked for', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const run = () => {
          const plan = new FaultPlan({ rates: { loss: 0.1, duplication: 0.2, corruption: 0.05 }, seed });
          return Array.from({ length: 500 }, (_, psn) => plan.decide('sent', OPCODE.RC_SEND_ONLY, 1, psn));
        };
        const fates = run();
        expect(run()).toEqual(fates);
        const lost = fates.filter((fate) => fate === 1).length;
        expect(lost).toBeGreaterThan(15);
        expect(lost).toBeLessThan(100);
      }),
      { numRuns: 20 },
    );
  });

  it('lose nothing where the link is full for a while', () => {
    const [left, right] = memoryPair();
    const link = withMiddlewares(left, [faults(new FaultPlan({}), tasks().schedule)]);
    const arrived: number[] = [];
    right.start({
      received: (batch) => {
        for (let index = 0; index < batch.count; index++) arrived.push(batch.bytes[batch.offset[index] + 11]);
      },
      writable: () => {},
      failed: () => {},
    });
    let writable = 0;
    link.start({ received: () => {}, writable: () => void writable++, failed: () => {} });
    const batch = link.createBatch(16, 4096);
    for (const psn of all) append(batch, link, right.gids[0], psn);
    left.accepts = 4;
    expect(link.send(batch, 0)).toBe(10);
    expect(link.send(batch, 0)).toBe(0);
    left.accepts = 100;
    left.listener?.writable();
    expect(writable).toBe(1);
    expect(arrived).toEqual(all);
  });

  it('refuse what is no probability and no action', () => {
    expect(() => new FaultPlan({ rates: { loss: 1.5 } })).toThrow(/probability/);
    for (const [rates, code, field] of [
      [{ burst: { begin: 0.1, end: -1, loss: 1 } }, 'FAULT_RATE', 'rates.burst.end'],
      [{ kinds: ['ack', 'acks'] }, 'FAULT_KIND', 'rates.kinds[1]'],
      [{ direction: 'up' }, 'FAULT_KIND', 'rates.direction'],
    ] as const)
      expect(() => new FaultPlan({ rates } as unknown as NetworkFaults)).toThrow(
        expect.objectContaining({ code, field }),
      );
    expect(() => new FaultPlan({ rules: [{ action: 'melt' as 'drop' }] })).toThrow(/no such fault/);
  });
});

describe('a capture', () => {
  function captured(): Uint8Array {
    const [left, right] = memoryPair();
    const runs: Uint8Array[] = [];
    let now = 0;
    const link = withMiddlewares(left, [
      capture({ recorder: new PacketRecorder('left', (bytes) => void runs.push(bytes)), nowNs: () => ++now }),
    ]);
    link.start({ received: () => {}, writable: () => {}, failed: () => {} });
    const batch = link.createBatch(16, 4096);
    for (const psn of all) append(batch, link, right.gids[0], psn);
    link.send(batch, 0);
    expect(link.counters()).toMatchObject({ captured_packets: 10 });
    return concatenate(runs);
  }

  it('has whole packets with a good ICRC', () => {
    const file = readPcapng(captured());
    const packets = file.packets.map(({ bytes }) => parseRocePacket(bytes));
    expect(packets.map((packet) => !isRefusal(packet) && packet.bth.psn)).toEqual(all);
    expect(packets[0]).toMatchObject({ ip: { source: 0x0a000001, destination: 0x0a000002 } });
  });

  it('is read by tshark', ({ skip }) => {
    try {
      execFileSync('tshark', ['--version'], { stdio: 'ignore' });
    } catch {
      skip('tshark is not installed');
    }
    const folder = mkdtempSync(join(tmpdir(), 'kelpie-capture-'));
    try {
      writeFileSync(join(folder, 'a.pcapng'), captured());
      const fields = ['-T', 'fields', '-e', 'infiniband.bth.psn', '-e', 'ip.src'];
      const text = execFileSync('tshark', ['-r', join(folder, 'a.pcapng'), ...fields], { encoding: 'utf8' });
      expect(text.trim().split('\n')).toEqual(all.map((psn) => `${psn}\t10.0.0.1`));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('statistics', () => {
  it('count by direction and opcode', () => {
    const [left, right] = memoryPair();
    const link = withMiddlewares(left, [statistics]);
    const peer = withMiddlewares(right, [statistics]);
    for (const end of [link, peer]) end.start({ received: () => {}, writable: () => {}, failed: () => {} });
    const batch = link.createBatch(16, 4096);
    for (const psn of all) append(batch, link, right.gids[0], psn);
    link.send(batch, 0);
    expect(link.counters()).toMatchObject({ tx_datagrams: 10, tx_bytes: 200, tx_rc_send_only: 10 });
    expect(peer.counters()).toMatchObject({ rx_datagrams: 10, rx_rc_send_only: 10, tx_datagrams: 0 });
  });
});

describe('a plan of losses', () => {
  const fates = (description: NetworkFaults, packets: readonly (readonly [number, number])[]) => {
    const plan = new FaultPlan(description);
    return packets.map(([opcode, syndrome], psn) => plan.decide('sent', opcode, 1, psn, syndrome));
  };
  const MIXED = [
    [OPCODE.RC_WRITE_MIDDLE, 0],
    [OPCODE.RC_ACKNOWLEDGE, 0x1f],
    [OPCODE.RC_ACKNOWLEDGE, 0x60],
    [OPCODE.RC_READ_RESPONSE_MIDDLE, 0],
    [OPCODE.CNP, 0],
  ] as const;

  it.each(['data', 'ack', 'nak', 'read-response', 'cnp'] as const)('can be of one kind: %s', (kind) => {
    const place = PACKET_KINDS.indexOf(kind);
    const wanted = MIXED.map((_, index) => (index === place ? 1 : 0));
    expect(fates({ rates: { loss: 1, kinds: [kind] } }, MIXED)).toEqual(wanted);
    expect(fates({ rules: [{ action: 'drop', kind }] }, MIXED)).toEqual(wanted);
  });

  it('can be of one direction', () => {
    const plan = new FaultPlan({ rates: { loss: 1, direction: 'received' } });
    const [opcode] = MIXED[0];
    expect([plan.decide('sent', opcode, 1, 0), plan.decide('received', opcode, 1, 0)]).toEqual([0, 1]);
  });

  it('can be of bursts', () => {
    const burst = { begin: 0.01, end: 0.2, loss: 1 };
    const lost = fates({ rates: { burst }, seed: 4 }, Array(20_000).fill(MIXED[0]));
    const share = lost.filter((fate) => fate !== 0).length / lost.length;
    expect(share).toBeCloseTo(0.01 / 0.21, 1);
    const runs = lost.filter((fate, index) => fate !== 0 && lost[index - 1] === 0).length;
    expect((share * lost.length) / runs).toBeGreaterThan(4);
  });
});

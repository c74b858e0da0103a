import { describe, expect, it } from 'vitest';
import { OPCODE } from '../../../wire/index.js';
import { Member } from '../parts/send-path.js';
import { constantsOf, TestParts } from '../testing/test-parts.js';
import { AckGenerator } from './ack-generator.js';

const US = 1e6;

function makeBench(shares: readonly number[] | null = null) {
  const parts = new TestParts(constantsOf('connectx-6-100g'), [], shares);
  const { packets, simulation } = parts;
  const sent: { opcode: number; index: number; atPs: number; destination: number; priority: number }[] = [];
  const reads: number[] = [];
  let charged = 0;
  const acks = new AckGenerator({
    ...parts,
    name: parts.name,
    router: { route: (packet) => (packets.destination[packet] = 9) },
    receiver: { charge: () => charged++ },
    port: {
      frame: (packet, pair) => (packets.deviceFirst[packet] = pair.index),
      transmit: (packet) => {
        const { opcode, deviceFirst, destination, priority } = packets;
        sent.push({
          opcode: opcode[packet],
          index: deviceFirst[packet],
          atPs: simulation.now,
          destination: destination[packet],
          priority: priority[packet],
        });
        packets.free(packet);
      },
    },
  });
  acks.join({ ready: ({ index }, member) => member === Member.RESPONSES && reads.push(index) });
  return { parts, acks, sent, reads, charged: () => charged };
}

const { ackGapNs, ackDelayNs } = constantsOf('connectx-6-100g');

describe('acknowledgements', () => {
  it('leave one per gap, each queue pair once, so that those of a busy device coalesce', () => {
    const { parts, acks, sent, charged } = makeBench();
    const ends = [0, 1, 2].map(() => parts.pair());
    // Each message is acknowledged by whichever acknowledgement leaves next: the transport keeps one for all.
    let messages = 0;
    for (let round = 0; round < 400; round++) {
      for (const { pair, endpoint } of ends) {
        messages++;
        if (endpoint.answers.length === 0) endpoint.answers.push('ack');
        acks.answer(pair);
      }
      parts.run(0.01 * US);
    }
    parts.run(US);
    expect(messages).toBeGreaterThan(3 * sent.length);
    expect(charged()).toBe(sent.length);
    const gaps = sent.slice(1).map(({ atPs }, index) => atPs - sent[index].atPs);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(Math.round(ackGapNs * 1000));
    // In turns.
    for (const [index, ack] of sent.slice(3).entries()) expect(ack.index).toBe(sent[index].index);
  });

  it('answer each message when there is time, after a delay', () => {
    const { parts, acks, sent } = makeBench();
    const { pair, endpoint } = parts.pair();
    for (let message = 0; message < 5; message++) {
      endpoint.answers.push('ack');
      acks.answer(pair);
      parts.run(10 * US);
    }
    const delayPs = Math.round(ackDelayNs * 1000);
    expect(sent.map(({ atPs }) => atPs)).toEqual([0, 1, 2, 3, 4].map((round) => round * 10 * US + delayPs));
    expect(sent[0]).toMatchObject({ opcode: OPCODE.RC_ACKNOWLEDGE, destination: 9 });
  });

  it('leave READ data to the send side, and go on with what comes behind it', () => {
    const { parts, acks, sent, reads } = makeBench();
    const { pair, endpoint } = parts.pair();
    endpoint.answers.push('ack', 4096, 'ack');
    acks.answer(pair);
    parts.run(10 * US);
    expect([sent.length, reads]).toEqual([1, [0]]);
    endpoint.answers.shift();
    acks.answer(pair);
    parts.run(10 * US);
    expect([sent.length, reads, endpoint.answers]).toEqual([2, [0], []]);
  });

  it('that are not needed any more are not sent', () => {
    const { parts, acks, sent } = makeBench();
    const { pair, endpoint } = parts.pair();
    acks.answer(pair);
    endpoint.answers.push('ack');
    acks.answer(pair);
    endpoint.answers.length = 0;
    parts.run(10 * US);
    expect(sent).toEqual([]);
  });

  it('are shared out by tenant, however many queue pairs each has', () => {
    const { parts, acks, sent } = makeBench([3, 1]);
    const ends = Array.from({ length: 24 }, (_, index) => {
      const end = parts.pair();
      end.pair.tenant = index < 6 ? 0 : 1;
      return end;
    });
    for (let round = 0; round < 400; round++) {
      for (const { pair, endpoint } of ends) {
        if (endpoint.answers.length === 0) endpoint.answers.push('ack');
        acks.answer(pair);
      }
      parts.run(0.1 * US);
    }
    const of = (tenant: number) => sent.filter(({ index }) => parts.pairs[index].tenant === tenant).length;
    expect(of(1)).toBeGreaterThan(40);
    expect(of(0) / of(1)).toBeCloseTo(3, 0);
  });
});

describe('congestion notifications', () => {
  it('go before acknowledgements, in the class of notifications', () => {
    const { parts, acks, sent } = makeBench();
    const [one, other] = [parts.pair(), parts.pair()];
    one.endpoint.answers.push('ack');
    acks.answer(one.pair);
    acks.notify(other.pair, 5, 99);
    parts.run(10 * US);
    expect(sent.map(({ opcode }) => opcode)).toEqual([OPCODE.CNP, OPCODE.RC_ACKNOWLEDGE]);
    expect(sent[0]).toMatchObject({ index: 1, destination: 5, priority: parts.constants.cnpPriority });
    expect(parts.counters.np_cnp_sent).toBe(1);
  });
});

import { describe, expect, it } from 'vitest';
import type { QpAttr } from '../../verbs/index.js';
import { irn } from '../index.js';
import { Script } from '../testing/script.js';

const NAK = 0x60;
const US = 1_000_000;
const FAR = { remoteAddr: 0x1000, rkey: 7 };
const OPTIONS = { windowPackets: 16, timeoutLowPs: 100 * US, timeoutHighPs: 320 * US, fewPackets: 3 };

function script(attr: QpAttr = {}): Script {
  const transport = { lossRecovery: irn(OPTIONS) };
  return new Script('RC', { timeout: 14, retryCnt: 7, ...attr }, { transport });
}

function write(to: Script, packets: number, wrId = 1): void {
  to.qp.postSend({ opcode: 'RDMA_WRITE', wrId, sgList: to.at(0, packets * 1024), ...FAR });
}

function psns(texts: string[]): number[] {
  return texts.map((text) => Number(text.split(' ')[1]));
}

function nak(to: Script, psn: number, sack: number): void {
  to.arrive('RC_ACKNOWLEDGE', psn, { syndrome: NAK, sack });
}

describe('a requester', () => {
  it('sends again what lies below a PSN that arrived, once, before anything new', () => {
    const own = script();
    write(own, 12);
    expect(psns(own.pull(6))).toEqual([0, 1, 2, 3, 4, 5]);
    nak(own, 1, 3);
    nak(own, 1, 4);
    expect(own.pull(5)).toEqual([
      'WRITE_MIDDLE 1 1024B A',
      'WRITE_MIDDLE 2 1024B A',
      'WRITE_MIDDLE 6 1024B',
      'WRITE_MIDDLE 7 1024B',
      'WRITE_MIDDLE 8 1024B',
    ]);
    expect(own.device.counters).toMatchObject({ retransmitted_packets: 2, packet_seq_err: 2 });
  });

  it('passes over what arrived meanwhile, and moves over what it knows to have arrived', () => {
    const own = script();
    write(own, 6);
    own.pull(6);
    nak(own, 0, 2);
    nak(own, 0, 4);
    own.arrive('RC_ACKNOWLEDGE', 0);
    // 1 and 3 are missing, 5 is not known of.
    expect(psns(own.pull())).toEqual([1, 3]);
    own.arrive('RC_ACKNOWLEDGE', 5, { msn: 1 });
    expect(own.completions()).toEqual(['1 RDMA_WRITE 6144']);
    own.wait(400 * US);
    expect(own.pull()).toEqual([]);
  });

  it('enters a second recovery for what was lost during the first', () => {
    const own = script();
    write(own, 12);
    own.pull(4);
    nak(own, 0, 1);
    expect(psns(own.pull(3))).toEqual([0, 4, 5]);
    // 0 is there now, and 4 is missing; it was sent after recovery began.
    nak(own, 4, 5);
    expect(psns(own.pull(1))).toEqual([4]);
    own.arrive('RC_ACKNOWLEDGE', 5);
    expect(psns(own.pull())).toEqual([6, 7, 8, 9, 10, 11]);
  });

  it('hears which packet came from a responder that lags behind what it told before', () => {
    const own = script();
    write(own, 12);
    own.pull(6);
    for (const sack of [1, 2]) nak(own, 0, sack);
    expect(psns(own.pull(1))).toEqual([0]);
    // 0 is there, as an acknowledgement says; what was sent before that still names it as expected.
    own.arrive('RC_ACKNOWLEDGE', 2);
    nak(own, 0, 4);
    expect(psns(own.pull(2))).toEqual([3, 6]);
    expect(own.device.counters.dropped_packets).toBe(0);
    // A packet that no responder would keep, and one that is acknowledged, are no news.
    nak(own, 0, 17);
    nak(own, 0, 1);
    nak(own, 0xfffff3, 5);
    expect(own.device.counters.dropped_packets).toBe(3);
    expect(psns(own.pull(1))).toEqual([7]);
  });

  it('sends no more than its window beyond the oldest', () => {
    const own = script();
    write(own, 30);
    expect(own.pull()).toHaveLength(16);
    for (let sack = 1; sack < 16; sack++) nak(own, 0, sack);
    expect(psns(own.pull())).toEqual([0]);
  });

  it('waits shorter with few packets in flight, and sends the oldest again after any wait', () => {
    const few = script();
    write(few, 3);
    few.pull();
    few.wait(100 * US - 1);
    expect(few.pull()).toEqual([]);
    few.wait(1);
    expect(psns(few.pull())).toEqual([0]);
    const many = script();
    write(many, 4);
    many.pull();
    many.wait(320 * US - 1);
    expect(many.pull()).toEqual([]);
    many.wait(1);
    expect(psns(many.pull())).toEqual([0]);
    // Known to have arrived is not in flight.
    nak(many, 0, 3);
    expect(psns(many.pull())).toEqual([1, 2]);
    many.wait(320 * US);
    many.pull();
    many.wait(100 * US);
    expect(psns(many.pull())).toContain(0);
  });

  it('goes through a lost tail packet by packet, and through retransmissions that are lost again and again', () => {
    const own = script();
    write(own, 3);
    own.pull();
    for (let lost = 0; lost < 20; lost++) {
      own.wait(100 * US);
      expect(psns(own.pull())).toEqual([0]);
    }
    for (const psn of [0, 1]) {
      own.arrive('RC_ACKNOWLEDGE', psn);
      expect(psns(own.pull())).toEqual([psn + 1]);
    }
    own.arrive('RC_ACKNOWLEDGE', 2, { msn: 1 });
    expect(own.completions()).toEqual(['1 RDMA_WRITE 3072']);
  });

  it('gives up after the retries that the queue pair has, each as long as its own timeout', () => {
    // 4.2 ms are 42 waits of 100 us.
    const own = script({ timeout: 10, retryCnt: 1 });
    write(own, 1);
    own.pull();
    for (let wait = 0; wait < 83; wait++) {
      own.wait(100 * US);
      expect(own.pull()).toHaveLength(1);
    }
    own.wait(100 * US);
    expect(own.completions()).toEqual(['1 RETRY_EXC_ERR']);
  });

  it('asks for the missing parts of a READ alone', () => {
    const own = script();
    own.qp.postSend({ opcode: 'RDMA_READ', wrId: 1, sgList: own.at(0, 5000), ...FAR });
    expect(own.pull()).toEqual(['READ_REQUEST 0 va=4096 len=5000']);
    own.arrive('RC_READ_RESPONSE_FIRST', 0, { payload: 1024 });
    own.arrive('RC_READ_RESPONSE_MIDDLE', 3, { payload: 1024 });
    expect(own.pull()).toEqual(['READ_REQUEST 1 va=5120 len=2048']);
    own.arrive('RC_READ_RESPONSE_LAST', 4, { payload: 904 });
    own.arrive('RC_READ_RESPONSE_LAST', 2, { payload: 1024 });
    expect(own.completions()).toEqual([]);
    own.arrive('RC_READ_RESPONSE_FIRST', 1, { payload: 1024 });
    expect(own.completions()).toEqual(['1 RDMA_READ 5000']);
  });

  it('asks for a READ whole where nobody is known to have executed it', () => {
    const own = script();
    own.qp.postSend({ opcode: 'RDMA_READ', wrId: 1, sgList: own.at(0, 5000), ...FAR });
    own.pull();
    own.wait(320 * US);
    expect(own.pull()).toEqual(['READ_REQUEST 0 va=4096 len=5000']);
    own.arrive('RC_READ_RESPONSE_FIRST', 0, { payload: 1024 });
    own.wait(320 * US);
    expect(own.pull()).toEqual(['READ_REQUEST 1 va=5120 len=3976']);
  });

  it('asks again for an atomic whose response is missing, and not for a READ that the responder keeps', () => {
    const own = script({ maxRdAtomic: 3 });
    own.qp.postSend({
      opcode: 'ATOMIC_FETCH_AND_ADD',
      wrId: 1,
      sgList: own.at(0, 8),
      compareAdd: 1n,
      ...FAR,
    });
    own.qp.postSend({ opcode: 'RDMA_READ', wrId: 2, sgList: own.at(0, 2048), ...FAR });
    write(own, 1, 3);
    expect(psns(own.pull())).toEqual([0, 1, 3]);
    nak(own, 0, 1);
    expect(own.pull()).toEqual(['FETCH_ADD 0 va=4096']);
    nak(own, 0, 3);
    expect(own.pull()).toEqual([]);
    own.arrive('RC_READ_RESPONSE_FIRST', 1, { payload: 1024 });
    own.arrive('RC_READ_RESPONSE_LAST', 2, { payload: 1024 });
    own.arrive('RC_ATOMIC_ACKNOWLEDGE', 0, { words: [9, 0, 0, 0] });
    own.arrive('RC_ACKNOWLEDGE', 3);
    expect(own.completions()).toEqual(['1 FETCH_ADD 8', '2 RDMA_READ 2048', '3 RDMA_WRITE 1024']);
  });
});

describe('a responder', () => {
  const PLACE = { payload: 1024, ackRequest: false };

  it('places what comes early, says what it misses and what came, and acknowledges all once the gap is filled', () => {
    const own = script();
    own.memory.fill(0);
    const data = (fill: number) => new Uint8Array(1024).fill(fill);
    const at = (index: number) => Number(own.mr.iova) + 1024 * index;
    own.arrive('RC_WRITE_FIRST', 0, { payload: data(1), addr: at(0), dmaBytes: 3072 });
    own.arrive('RC_WRITE_LAST', 2, { payload: data(3), addr: at(2), ackRequest: true });
    expect(own.pull()).toEqual(['ACKNOWLEDGE 1 60 msn=0 sack=2']);
    expect(own.memory[2048]).toBe(3);
    own.arrive('RC_WRITE_MIDDLE', 1, { payload: data(2), addr: at(1) });
    expect(own.pull()).toEqual(['ACKNOWLEDGE 2 1f msn=1']);
    expect([0, 1024, 2048].map((each) => own.memory[each])).toEqual([1, 2, 3]);
    expect(own.loopback.packets.inUse).toBe(0);
  });

  it('finds the receives of early SENDs, and completes in order, with what an early last packet said', () => {
    const own = script();
    for (const wrId of [10, 11, 12]) own.qp.postRecv({ wrId, sgList: own.at(4096 * (wrId - 10), 4096) });
    own.arrive('RC_SEND_LAST_IMMEDIATE', 2, { payload: 10, imm: 77, solicited: true, place: [1, 1] });
    own.arrive('RC_SEND_ONLY', 3, { payload: 20, place: [2, 0] });
    own.arrive('RC_SEND_FIRST', 1, { ...PLACE, place: [1, 0] });
    expect(own.completions()).toEqual([]);
    own.arrive('RC_SEND_ONLY', 0, { payload: 30, place: [0, 0], ackRequest: true });
    expect(own.completions()).toEqual(['10 RECV 30', '11 RECV 1034 imm=77', '12 RECV 20']);
    expect(own.pull().at(-1)).toBe('ACKNOWLEDGE 3 1f msn=3');
  });

  it('answers what it keeps already with the same word, and completes it once', () => {
    const own = script();
    own.qp.postRecv({ wrId: 5, sgList: own.at(0, 100) });
    for (let copy = 0; copy < 3; copy++) own.arrive('RC_SEND_ONLY', 1, { payload: 20, place: [0, 0] });
    expect(own.pull()).toEqual(Array(3).fill('ACKNOWLEDGE 0 60 msn=0 sack=1'));
    own.arrive('RC_WRITE_ONLY', 0, { payload: 8 });
    own.arrive('RC_SEND_ONLY', 1, { payload: 20, place: [0, 0] });
    expect(own.completions()).toEqual(['5 RECV 20']);
    expect(own.device.counters.duplicate_request).toBe(3);
  });

  it('executes an early READ in its turn, after what comes before it', () => {
    const own = script();
    const address = Number(own.mr.iova);
    own.arrive('RC_READ_REQUEST', 1, { addr: address, dmaBytes: 2048 });
    own.arrive('RC_WRITE_ONLY', 3, { payload: 8, addr: address + 5000, ackRequest: true });
    expect(own.pull()).toEqual(['ACKNOWLEDGE 0 60 msn=0 sack=1', 'ACKNOWLEDGE 0 60 msn=0 sack=3']);
    own.arrive('RC_WRITE_ONLY', 0, { payload: new Uint8Array(8).fill(9), addr: address });
    expect(own.pull()).toEqual([
      'READ_RESPONSE_FIRST 1 1024B 1f msn=2',
      'READ_RESPONSE_LAST 2 1024B 1f msn=2 A',
      'ACKNOWLEDGE 3 1f msn=3',
    ]);
  });

  it('drops what lies beyond its window, or has no receive or no right, as if it had not come', () => {
    const own = script();
    own.arrive('RC_WRITE_MIDDLE', 16, PLACE);
    own.arrive('RC_SEND_ONLY', 2, { payload: 20, place: [0, 0] });
    own.arrive('RC_WRITE_ONLY', 3, { payload: 8, rkey: 12345 });
    own.arrive('RC_WRITE_ONLY', 4, { payload: 0 });
    expect(own.pull()).toEqual(['ACKNOWLEDGE 0 60 msn=0 sack=4']);
    expect(own.device.counters.dropped_packets).toBe(3);
  });

  it('frees what it keeps when the connection ends, and flushes the receives that it took', () => {
    const own = script();
    for (const wrId of [1, 2, 3]) own.qp.postRecv({ wrId, sgList: own.at(0, 100) });
    own.arrive('RC_SEND_ONLY', 2, { payload: 20, place: [1, 0] });
    expect(own.loopback.packets.inUse).toBe(1);
    own.qp.modify({ state: 'ERR' });
    expect(own.completions()).toEqual(['1 WR_FLUSH_ERR', '2 WR_FLUSH_ERR', '3 WR_FLUSH_ERR']);
    expect(own.loopback.packets.inUse).toBe(0);
  });
});

it('refuses options that cannot work', () => {
  for (const [field, given] of [
    ['windowPackets', 0],
    ['windowPackets', 1.5],
    ['timeoutLowPs', 0],
    ['timeoutLowPs', 400 * US],
    ['fewPackets', -1],
  ] as const) {
    const wanted = { code: 'TRANSPORT_OPTION_OUT_OF_RANGE', field, given };
    expect(() => irn({ ...OPTIONS, [field]: given })).toThrow(expect.objectContaining(wanted));
  }
});

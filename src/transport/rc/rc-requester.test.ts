import { describe, expect, it } from 'vitest';
import { NO_SLOT } from '../../verbs/base/codes.js';
import { Script } from '../testing/script.js';
import { ACK_TIMEOUT_PS, RNR_DELAY_PS } from '../timers.js';

const FAR = { remoteAddr: 0x1000, rkey: 7 };
const NAK_SEQUENCE = 0x60;
const RNR_10_US = 0x21;

function write(script: Script, wrId: number, bytes: number): void {
  script.qp.postSend({ opcode: 'RDMA_WRITE', wrId, sgList: script.at(0, bytes), ...FAR });
}

function read(script: Script, wrId: number, bytes: number): void {
  script.qp.postSend({ opcode: 'RDMA_READ', wrId, sgList: script.at(0, bytes), ...FAR });
}

describe('segmentation', () => {
  it('cuts by the path MTU, names the packets, and asks for an acknowledgement at the end', () => {
    const script = new Script();
    write(script, 1, 2500);
    expect(script.pull()).toEqual([
      'WRITE_FIRST 0 1024B va=4096 len=2500',
      'WRITE_MIDDLE 1 1024B',
      'WRITE_LAST 2 452B A',
    ]);
  });

  it('has opcodes for immediate and invalidate, and a packet for nothing', () => {
    const script = new Script();
    const { qp } = script;
    const sgList = script.at(0, 8);
    qp.postSend({ opcode: 'SEND' });
    qp.postSend({ opcode: 'SEND_WITH_IMM', sgList, immData: 5, solicited: true });
    qp.postSend({ opcode: 'SEND_WITH_INV', sgList, invalidateRkey: 6 });
    qp.postSend({ opcode: 'RDMA_WRITE_WITH_IMM', sgList, immData: 7, ...FAR });
    qp.postSend({ opcode: 'SEND_WITH_INV', sgList: script.at(0, 1025), invalidateRkey: 6 });
    qp.postSend({ opcode: 'RDMA_WRITE_WITH_IMM', sgList: script.at(0, 2048), immData: 7, ...FAR });
    expect(script.pull()).toEqual([
      'SEND_ONLY 0 0B A',
      'SEND_ONLY_IMMEDIATE 1 8B imm=5 A SE',
      'SEND_ONLY_INVALIDATE 2 8B inv=6 A',
      'WRITE_ONLY_IMMEDIATE 3 8B va=4096 len=8 imm=7 A',
      'SEND_FIRST 4 1024B',
      'SEND_LAST_INVALIDATE 5 1B inv=6 A',
      'WRITE_FIRST 6 1024B va=4096 len=2048',
      'WRITE_LAST_IMMEDIATE 7 1024B imm=7 A',
    ]);
  });

  it('asks for an acknowledgement every so many packets, and where the window is full', () => {
    const every = new Script('RC', {}, { transport: { ackRequestInterval: 2 } });
    write(every, 1, 5 * 1024);
    expect(every.pull().map((text) => text.endsWith(' A'))).toEqual([false, true, false, true, true]);
    const window = new Script('RC', {}, { transport: { maxOutstandingPackets: 3 } });
    write(window, 1, 5 * 1024);
    expect(window.pull()).toEqual([
      'WRITE_FIRST 0 1024B va=4096 len=5120',
      'WRITE_MIDDLE 1 1024B',
      'WRITE_MIDDLE 2 1024B A',
    ]);
    window.arrive('RC_ACKNOWLEDGE', 0);
    expect(window.pull()).toEqual(['WRITE_MIDDLE 3 1024B A']);
  });
});

describe('acknowledgements', () => {
  it('end every request up to their PSN, in order, across the wrap of the PSN', () => {
    const script = new Script();
    for (const wrId of [1, 2, 3]) write(script, wrId, 2048);
    script.pull();
    script.arrive('RC_ACKNOWLEDGE', 2);
    expect(script.completions()).toEqual(['1 RDMA_WRITE 2048']);
    script.arrive('RC_ACKNOWLEDGE', 5);
    expect(script.completions()).toEqual(['2 RDMA_WRITE 2048', '3 RDMA_WRITE 2048']);
  });

  it('of what was acknowledged or never sent are ignored', () => {
    const script = new Script();
    write(script, 1, 8);
    write(script, 2, 8);
    script.pull(1);
    script.arrive('RC_ACKNOWLEDGE', 1);
    script.arrive('RC_ACKNOWLEDGE', 0xfffff0);
    expect(script.completions()).toEqual([]);
    script.arrive('RC_ACKNOWLEDGE', 0);
    script.arrive('RC_ACKNOWLEDGE', 0);
    expect(script.completions()).toEqual(['1 RDMA_WRITE 8']);
    expect(script.device.counters.dropped_packets).toBe(3);
  });

  it('with an unknown syndrome change nothing', () => {
    const script = new Script();
    write(script, 1, 8);
    script.pull();
    for (const syndrome of [0x40, 0x80, 0xff, 0x7f]) script.arrive('RC_ACKNOWLEDGE', 0, { syndrome });
    expect(script.completions()).toEqual([]);
    expect(script.qp.state).toBe('RTS');
  });
});

describe('a NAK for a sequence error', () => {
  it('acknowledges what lies before it and sends again from there, in the middle of a request', () => {
    const script = new Script();
    write(script, 1, 8);
    write(script, 2, 3 * 1024);
    script.pull();
    script.arrive('RC_ACKNOWLEDGE', 2, { syndrome: NAK_SEQUENCE });
    expect(script.completions()).toEqual(['1 RDMA_WRITE 8']);
    expect(script.endpoint.canRequest(script.nowPs) && script.endpoint.nextRequestRepeats()).toBe(true);
    expect(script.endpoint.takenRequest(0)).toBe(script.endpoint.nextRequestWqe());
    expect(script.endpoint.takenRequest(1)).toBe(NO_SLOT);
    expect(script.pull()).toEqual(['WRITE_MIDDLE 2 1024B', 'WRITE_LAST 3 1024B A']);
    write(script, 3, 8);
    expect(script.endpoint.canRequest(script.nowPs) && !script.endpoint.nextRequestRepeats()).toBe(true);
    expect(script.device.counters).toMatchObject({ packet_seq_err: 1, retransmitted_packets: 2 });
  });

  it('is answered with what is new where a late acknowledgement has overtaken the rewind', () => {
    const script = new Script();
    write(script, 1, 4 * 1024);
    script.pull();
    script.arrive('RC_ACKNOWLEDGE', 1, { syndrome: NAK_SEQUENCE });
    script.arrive('RC_ACKNOWLEDGE', 2);
    expect(script.pull()).toEqual(['WRITE_LAST 3 1024B A']);
  });

  it('uses up retries, which progress gives back', () => {
    const script = new Script('RC', { retryCnt: 1, rnrRetry: 7 });
    write(script, 1, 4 * 1024);
    script.pull();
    for (const psn of [0, 1, 2]) {
      script.arrive('RC_ACKNOWLEDGE', psn, { syndrome: NAK_SEQUENCE });
      script.pull();
    }
    expect(script.qp.state).toBe('RTS');
    script.arrive('RC_ACKNOWLEDGE', 2, { syndrome: NAK_SEQUENCE });
    expect(script.completions()).toEqual(['1 RETRY_EXC_ERR']);
    expect(script.qp.state).toBe('ERR');
  });
});

describe('READs and atomics', () => {
  it('ask at addresses of 64 bits, and go on beyond a multiple of 2^32', () => {
    const script = new Script();
    const remoteAddr = 0xffff_8881_ffff_fc00n;
    const sgList = script.at(0, 2500);
    script.qp.postSend({ opcode: 'RDMA_READ', wrId: 1, sgList, remoteAddr, rkey: 7 });
    expect(script.pull()).toEqual([`READ_REQUEST 0 va=${remoteAddr} len=2500`]);
    script.arrive('RC_READ_RESPONSE_FIRST', 0, { payload: 1024 });
    script.wait(ACK_TIMEOUT_PS[1]);
    expect(script.pull()).toEqual([`READ_REQUEST 1 va=${0xffff_8882_0000_0000n} len=1476`]);
  });

  it('take the PSNs of their responses', () => {
    const script = new Script();
    read(script, 1, 2500);
    write(script, 2, 8);
    expect(script.pull()).toEqual(['READ_REQUEST 0 va=4096 len=2500', 'WRITE_ONLY 3 8B va=4096 len=8 A']);
  });

  it('place responses and complete with the last', () => {
    const script = new Script();
    read(script, 1, 1500);
    script.pull();
    script.arrive('RC_READ_RESPONSE_FIRST', 0, { payload: new Uint8Array(1024).fill(1) });
    expect(script.completions()).toEqual([]);
    script.arrive('RC_READ_RESPONSE_LAST', 1, { payload: new Uint8Array(476).fill(2) });
    expect(script.completions()).toEqual(['1 RDMA_READ 1500']);
    expect([script.memory[1023], script.memory[1024], script.memory[1499]]).toEqual([1, 2, 2]);
  });

  it('resume in the middle: a new request for the rest', () => {
    const script = new Script();
    read(script, 1, 3500);
    script.pull();
    script.arrive('RC_READ_RESPONSE_FIRST', 0, { payload: 1024 });
    script.wait(ACK_TIMEOUT_PS[1]);
    expect(script.pull()).toEqual(['READ_REQUEST 1 va=5120 len=2476']);
    script.arrive('RC_READ_RESPONSE_FIRST', 1, { payload: 1024 });
    script.arrive('RC_READ_RESPONSE_MIDDLE', 2, { payload: 1024 });
    script.arrive('RC_READ_RESPONSE_LAST', 3, { payload: 428 });
    expect(script.completions()).toEqual(['1 RDMA_READ 3500']);
  });

  it('are missed when a later response comes: an implied NAK, once', () => {
    const script = new Script();
    read(script, 1, 3 * 1024);
    write(script, 2, 8);
    write(script, 3, 8);
    script.pull();
    script.arrive('RC_READ_RESPONSE_FIRST', 0, { payload: 1024 });
    script.arrive('RC_ACKNOWLEDGE', 3);
    script.arrive('RC_ACKNOWLEDGE', 4);
    expect(script.device.counters.implied_nak_seq_err).toBe(1);
    expect(script.completions()).toEqual([]);
    expect(script.pull()).toEqual([
      'READ_REQUEST 1 va=5120 len=2048',
      'WRITE_ONLY 3 8B va=4096 len=8 A',
      'WRITE_ONLY 4 8B va=4096 len=8 A',
    ]);
  });

  it('wait for a responder that still sends the rest of an earlier response', () => {
    const script = new Script('RC', { timeout: 1, retryCnt: 1 });
    read(script, 1, 20 * 1024);
    script.pull();
    script.arrive('RC_READ_RESPONSE_FIRST', 0, { payload: 1024 });
    for (let psn = 2; psn < 19; psn++) {
      script.arrive('RC_READ_RESPONSE_MIDDLE', psn, { payload: 1024 });
      script.wait(ACK_TIMEOUT_PS[1] - 1);
    }
    expect(script.pull()).toEqual(['READ_REQUEST 1 va=5120 len=19456']);
    expect(script.device.counters).toMatchObject({ implied_nak_seq_err: 1, local_ack_timeout_err: 0 });
    script.arrive('RC_READ_RESPONSE_FIRST', 1, { payload: 1024 });
    expect(script.completions()).toEqual([]);
  });

  it('are asked for once after a timeout, whatever late responses say', () => {
    const script = new Script('RC', { timeout: 1, retryCnt: 7 });
    read(script, 1, 4 * 1024);
    script.pull();
    script.arrive('RC_READ_RESPONSE_FIRST', 0, { payload: 1024 });
    script.wait(ACK_TIMEOUT_PS[1]);
    expect(script.pull()).toEqual(['READ_REQUEST 1 va=5120 len=3072']);
    script.arrive('RC_READ_RESPONSE_MIDDLE', 2, { payload: 1024 });
    expect(script.pull()).toEqual([]);
  });

  it('are missed when their own response has a gap', () => {
    const script = new Script();
    read(script, 1, 3 * 1024);
    script.pull();
    script.arrive('RC_READ_RESPONSE_FIRST', 0, { payload: 1024 });
    script.arrive('RC_READ_RESPONSE_LAST', 2, { payload: 1024 });
    expect(script.pull()).toEqual(['READ_REQUEST 1 va=5120 len=2048']);
  });

  it('acknowledge the WRITEs before them', () => {
    const script = new Script();
    write(script, 1, 8);
    read(script, 2, 8);
    script.pull();
    script.arrive('RC_READ_RESPONSE_ONLY', 1, { payload: 8 });
    expect(script.completions()).toEqual(['1 RDMA_WRITE 8', '2 RDMA_READ 8']);
  });

  it('wait for each other at maxRdAtomic, and a fence waits for all', () => {
    const script = new Script();
    for (const wrId of [1, 2, 3]) read(script, wrId, 8);
    const sgList = script.at(0, 8);
    script.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 4, fence: true, sgList, ...FAR });
    expect(script.pull()).toEqual(['READ_REQUEST 0 va=4096 len=8', 'READ_REQUEST 1 va=4096 len=8']);
    script.arrive('RC_READ_RESPONSE_ONLY', 0, { payload: 8 });
    expect(script.pull()).toEqual(['READ_REQUEST 2 va=4096 len=8']);
    script.arrive('RC_READ_RESPONSE_ONLY', 1, { payload: 8 });
    expect(script.pull()).toEqual([]);
    script.arrive('RC_READ_RESPONSE_ONLY', 2, { payload: 8 });
    expect(script.pull()).toEqual(['WRITE_ONLY 3 8B va=4096 len=8 A']);
  });

  it('place the value of an atomic', () => {
    const script = new Script();
    const sgList = script.at(8, 8);
    script.qp.postSend({ opcode: 'ATOMIC_FETCH_AND_ADD', wrId: 1, sgList, compareAdd: 3n, ...FAR });
    expect(script.pull()).toEqual(['FETCH_ADD 0 va=4096']);
    script.arrive('RC_ATOMIC_ACKNOWLEDGE', 0, { words: [0x01020304, 0x05060708] });
    expect(script.completions()).toEqual(['1 FETCH_ADD 8']);
    expect([...script.memory.subarray(8, 16)]).toEqual([4, 3, 2, 1, 8, 7, 6, 5]);
  });

  it('fail with BAD_RESP_ERR where a response has another length than asked for', () => {
    const script = new Script();
    read(script, 1, 8);
    script.pull();
    script.arrive('RC_READ_RESPONSE_ONLY', 0, { payload: 9 });
    expect(script.completions()).toEqual(['1 BAD_RESP_ERR']);
  });

  it('drop a READ response that no READ asked for', () => {
    const script = new Script();
    write(script, 1, 8);
    script.pull();
    script.arrive('RC_READ_RESPONSE_ONLY', 0, { payload: 8 });
    expect(script.completions()).toEqual([]);
    expect(script.device.counters.dropped_packets).toBe(1);
  });
});

describe('the acknowledgement timer', () => {
  it('sends again from the oldest unacknowledged PSN, retryCnt times, then gives up', () => {
    const script = new Script();
    write(script, 1, 8);
    write(script, 2, 8);
    script.pull();
    for (let retry = 0; retry < 2; retry++) {
      script.wait(ACK_TIMEOUT_PS[1] - 1);
      expect(script.pull()).toEqual([]);
      script.wait(1);
      expect(script.pull()).toEqual(['WRITE_ONLY 0 8B va=4096 len=8 A', 'WRITE_ONLY 1 8B va=4096 len=8 A']);
    }
    script.wait(ACK_TIMEOUT_PS[1]);
    expect(script.completions()).toEqual(['1 RETRY_EXC_ERR', '2 WR_FLUSH_ERR']);
    expect(script.device.counters.local_ack_timeout_err).toBe(3);
  });

  it('starts anew with every progress', () => {
    const script = new Script();
    write(script, 1, 3 * 1024);
    script.pull();
    script.wait(ACK_TIMEOUT_PS[1] - 1);
    script.arrive('RC_ACKNOWLEDGE', 0);
    script.wait(ACK_TIMEOUT_PS[1] - 1);
    expect(script.pull()).toEqual([]);
    script.wait(1);
    expect(script.pull()).toEqual(['WRITE_MIDDLE 1 1024B', 'WRITE_LAST 2 1024B A']);
  });

  it('does not run while what it waits for has not left the device', () => {
    const script = new Script('RC', { retryCnt: 0 });
    write(script, 1, 2048);
    script.pull();
    script.arrive('RC_ACKNOWLEDGE', 0, { syndrome: NAK_SEQUENCE });
    expect(script.completions()).toEqual(['1 RETRY_EXC_ERR']);
    const slow = new Script('RC', { retryCnt: 1 });
    write(slow, 1, 2048);
    slow.pull();
    slow.arrive('RC_ACKNOWLEDGE', 0, { syndrome: NAK_SEQUENCE });
    slow.wait(10 * ACK_TIMEOUT_PS[1]);
    expect(slow.completions()).toEqual([]);
    expect(slow.pull()).toHaveLength(2);
  });

  it('never comes with code 0', () => {
    const script = new Script('RC', { timeout: 0 });
    write(script, 1, 8);
    script.pull();
    script.wait(1e15);
    expect(script.pull()).toEqual([]);
    expect(script.qp.state).toBe('RTS');
  });
});

describe('an RNR NAK', () => {
  it('holds the queue as long as it asks, then sends again from its PSN', () => {
    const script = new Script();
    for (const wrId of [1, 2]) script.qp.postSend({ opcode: 'SEND', wrId, sgList: script.at(0, 8) });
    script.pull();
    script.arrive('RC_ACKNOWLEDGE', 1, { syndrome: RNR_10_US });
    expect(script.completions()).toEqual(['1 SEND 8']);
    expect(script.endpoint.rnrWaitedPs(script.nowPs)).toBe(0);
    script.wait(RNR_DELAY_PS[1] - 1);
    expect(script.pull()).toEqual([]);
    expect(script.endpoint.rnrWaitedPs(script.nowPs)).toBe(RNR_DELAY_PS[1] - 1);
    script.wait(1);
    expect(script.endpoint.rnrWaitedPs(script.nowPs + 1000)).toBe(RNR_DELAY_PS[1]);
    expect(script.pull()).toEqual(['SEND_ONLY 1 8B A']);
  });

  it('makes the sequence NAKs that follow it mean nothing', () => {
    const script = new Script('RC', { retryCnt: 1, rnrRetry: 7 });
    script.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: script.at(0, 3000) });
    for (let turn = 0; turn < 5; turn++) {
      expect(script.pull()).toHaveLength(3);
      script.arrive('RC_ACKNOWLEDGE', 0, { syndrome: RNR_10_US });
      script.arrive('RC_ACKNOWLEDGE', 0, { syndrome: NAK_SEQUENCE });
      expect(script.pull()).toEqual([]);
      script.wait(RNR_DELAY_PS[1]);
    }
    expect(script.pull()).toHaveLength(3);
    script.arrive('RC_ACKNOWLEDGE', 2);
    expect(script.completions()).toEqual(['1 SEND 3000']);
  });

  it('gives the retries back that sequence NAKs cost which come after the wait', () => {
    const script = new Script('RC', { retryCnt: 1, rnrRetry: 7 });
    script.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: script.at(0, 3000) });
    for (let turn = 0; turn < 5; turn++) {
      expect(script.pull()).toHaveLength(3);
      script.arrive('RC_ACKNOWLEDGE', 0, { syndrome: RNR_10_US });
      script.wait(RNR_DELAY_PS[1]);
      script.arrive('RC_ACKNOWLEDGE', 0, { syndrome: NAK_SEQUENCE });
    }
    expect(script.pull()).toHaveLength(3);
    script.arrive('RC_ACKNOWLEDGE', 2);
    expect(script.completions()).toEqual(['1 SEND 3000']);
  });

  it('is counted, a copy of it is not, and the third ends the request', () => {
    const script = new Script();
    script.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: script.at(0, 8) });
    for (let retry = 0; retry < 2; retry++) {
      expect(script.pull()).toHaveLength(1);
      for (let copy = 0; copy < 3; copy++) script.arrive('RC_ACKNOWLEDGE', 0, { syndrome: RNR_10_US });
      script.wait(RNR_DELAY_PS[1]);
    }
    expect(script.completions()).toEqual([]);
    script.pull();
    script.arrive('RC_ACKNOWLEDGE', 0, { syndrome: RNR_10_US });
    expect(script.completions()).toEqual(['1 RNR_RETRY_EXC_ERR']);
    expect(script.device.counters.rnr_nak_retry_err).toBe(1);
  });
});

describe('end-to-end credits', () => {
  it('let one message go beyond them, and the rest wait', () => {
    const script = new Script();
    for (const wrId of [1, 2, 3, 4]) script.qp.postSend({ opcode: 'SEND', wrId, sgList: script.at(0, 8) });
    expect(script.pull(1)).toEqual(['SEND_ONLY 0 8B A']);
    script.arrive('RC_ACKNOWLEDGE', 0, { syndrome: 1, msn: 1 });
    expect(script.pull()).toEqual(['SEND_ONLY 1 8B A']);
    script.arrive('RC_ACKNOWLEDGE', 1, { syndrome: 0, msn: 2 });
    expect(script.pull()).toEqual(['SEND_ONLY 2 8B A']);
    write(script, 5, 8);
    script.arrive('RC_ACKNOWLEDGE', 2, { syndrome: 0x1f, msn: 3 });
    expect(script.pull()).toHaveLength(2);
  });
});

describe('failures', () => {
  it('that the peer names end the request with its status and flush the rest', () => {
    for (const [code, status] of [
      [0x61, 'REM_INV_REQ_ERR'],
      [0x62, 'REM_ACCESS_ERR'],
      [0x63, 'REM_OP_ERR'],
    ] as const) {
      const script = new Script();
      for (const wrId of [1, 2, 3]) write(script, wrId, 8);
      script.pull();
      script.arrive('RC_ACKNOWLEDGE', 1, { syndrome: code });
      expect(script.completions()).toEqual(['1 RDMA_WRITE 8', `2 ${status}`, '3 WR_FLUSH_ERR']);
      expect(script.pull()).toEqual([]);
    }
  });

  it('of a local key wait for the requests before them', () => {
    const script = new Script();
    write(script, 1, 8);
    script.qp.postSend({ opcode: 'SEND', wrId: 2, sgList: [{ addr: 0, length: 1, lkey: 1 }] });
    write(script, 3, 8);
    expect(script.pull()).toHaveLength(1);
    expect(script.completions()).toEqual([]);
    script.arrive('RC_ACKNOWLEDGE', 0);
    expect(script.completions()).toEqual(['1 RDMA_WRITE 8', '2 LOC_PROT_ERR', '3 WR_FLUSH_ERR']);
  });

  it('of a key that goes away in the middle of a message', () => {
    const script = new Script();
    const other = new Uint8Array(4096);
    const mr = script.mr.pd.regMr(other, 1);
    write(script, 1, 8);
    script.qp.postSend({ opcode: 'SEND', wrId: 2, sgList: [{ addr: mr.addr, length: 4096, lkey: mr.lkey }] });
    expect(script.pull(2)).toHaveLength(2);
    mr.dereg();
    expect(script.pull()).toEqual([]);
    script.arrive('RC_ACKNOWLEDGE', 0);
    expect(script.completions()).toEqual(['1 RDMA_WRITE 8', '2 LOC_PROT_ERR']);
  });

  it('leave nothing to send after ERR and RESET', () => {
    for (const state of ['ERR', 'RESET'] as const) {
      const script = new Script();
      write(script, 1, 8);
      script.pull();
      write(script, 2, 8);
      script.qp.modify({ state });
      expect(script.pull()).toEqual([]);
      script.arrive('RC_ACKNOWLEDGE', 0);
      expect(script.completions()).toEqual(state === 'ERR' ? ['1 WR_FLUSH_ERR', '2 WR_FLUSH_ERR'] : []);
    }
  });

  it('SQD finishes what was begun and holds the rest', () => {
    const script = new Script();
    write(script, 1, 2048);
    write(script, 2, 8);
    script.pull(1);
    script.qp.modify({ state: 'SQD', enSqdAsyncNotify: true });
    expect(script.pull()).toEqual(['WRITE_LAST 1 1024B A']);
    script.arrive('RC_ACKNOWLEDGE', 1);
    expect(script.completions()).toEqual(['1 RDMA_WRITE 2048']);
    script.qp.modify({ state: 'RTS' });
    expect(script.pull()).toEqual(['WRITE_ONLY 2 8B va=4096 len=8 A']);
  });
});

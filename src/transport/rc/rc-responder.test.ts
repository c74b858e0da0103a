import { describe, expect, it } from 'vitest';
import { Access } from '../../verbs/index.js';
import { Script } from '../testing/script.js';

const A = { ackRequest: true };

function receives(script: Script, ...wrIds: number[]): void {
  for (const wrId of wrIds) script.qp.postRecv({ wrId, sgList: script.at(wrId * 4096, 4096) });
}

function event(script: Script): string | undefined {
  return script.loopback.contexts[0].tryGetAsyncEvent()?.type;
}

describe('acknowledgements', () => {
  it('are sent where asked for, one for all that came', () => {
    const script = new Script();
    script.arrive('RC_WRITE_ONLY', 0, { payload: 8 });
    expect(script.pull()).toEqual([]);
    script.arrive('RC_WRITE_ONLY', 1, { payload: 8, ...A });
    script.arrive('RC_WRITE_ONLY', 2, { payload: 8, ...A });
    script.arrive('RC_WRITE_ONLY', 3, { payload: 8, ...A });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 3 1f msn=4']);
  });

  it('count messages, not packets', () => {
    const script = new Script();
    script.arrive('RC_WRITE_FIRST', 0, { payload: 1024, dmaBytes: 2000, ...A });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 0 1f msn=0']);
    script.arrive('RC_WRITE_LAST', 1, { payload: 976, ...A });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 1 1f msn=1']);
  });

  it('never overtake the data of a READ', () => {
    const script = new Script();
    script.arrive('RC_WRITE_ONLY', 0, { payload: 8, ...A });
    script.arrive('RC_READ_REQUEST', 1, { dmaBytes: 1500 });
    script.arrive('RC_WRITE_ONLY', 3, { payload: 8, ...A });
    script.arrive('RC_WRITE_ONLY', 4, { payload: 8, ...A });
    expect(script.pull()).toEqual([
      'ACKNOWLEDGE 0 1f msn=1',
      'READ_RESPONSE_FIRST 1 1024B 1f msn=2',
      'READ_RESPONSE_LAST 2 476B 1f msn=2',
      'ACKNOWLEDGE 4 1f msn=4',
    ]);
  });

  it('carry credits where that is chosen', () => {
    const script = new Script('RC', {}, { transport: { endToEndCredits: true } });
    receives(script, 1, 2, 3);
    script.arrive('RC_SEND_ONLY', 0, { payload: 8, ...A });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 0 2 msn=1']);
  });
});

describe('a request that the device dropped', () => {
  it('is asked for at once, and again each time that it is dropped', () => {
    const script = new Script();
    receives(script, 1);
    for (let time = 0; time < 2; time++) {
      script.arrive('RC_SEND_ONLY', 0, { payload: 8, dropped: true, ...A });
      expect(script.pull()).toEqual(['ACKNOWLEDGE 0 60 msn=0']);
      // What comes behind it is part of the same gap.
      script.arrive('RC_SEND_ONLY', 1, { payload: 8, ...A });
      expect(script.pull()).toEqual([]);
    }
    script.arrive('RC_SEND_ONLY', 0, { payload: 8, ...A });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 0 1f msn=1']);
    expect(script.device.counters.nak_sent).toBe(2);
  });

  it('is not asked for where another is expected, or nothing any more', () => {
    const script = new Script();
    script.arrive('RC_WRITE_ONLY', 0, { payload: 8 });
    script.arrive('RC_WRITE_ONLY', 0, { payload: 8, dropped: true });
    script.arrive('RC_WRITE_ONLY', 2, { payload: 8, dropped: true });
    expect(script.pull()).toEqual([]);
    const ud = new Script('UD');
    ud.arrive('UD_SEND_ONLY', 0, { payload: 8, dropped: true });
    expect(ud.pull()).toEqual([]);
  });
});

describe('a gap', () => {
  it('is reported once, and again only after progress', () => {
    const script = new Script();
    script.arrive('RC_WRITE_ONLY', 0, { payload: 8 });
    for (const psn of [2, 3, 4]) script.arrive('RC_WRITE_ONLY', psn, { payload: 8, ...A });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 1 60 msn=1']);
    script.arrive('RC_WRITE_ONLY', 1, { payload: 8 });
    script.arrive('RC_WRITE_ONLY', 3, { payload: 8, ...A });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 2 60 msn=2']);
    expect(script.device.counters).toMatchObject({ out_of_sequence: 4, nak_sent: 2 });
  });
});

describe('duplicates', () => {
  it('of SENDs and WRITEs are acknowledged again with the newest PSN and not executed again', () => {
    const script = new Script();
    receives(script, 1, 2);
    script.arrive('RC_SEND_ONLY', 0, { payload: Uint8Array.of(1), ...A });
    script.arrive('RC_WRITE_ONLY', 1, { payload: Uint8Array.of(2), ...A });
    script.pull();
    script.memory[0] = 99;
    script.arrive('RC_SEND_ONLY', 0, { payload: Uint8Array.of(1) });
    script.arrive('RC_WRITE_ONLY', 1, { payload: Uint8Array.of(2) });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 1 1f msn=2']);
    expect(script.memory[0]).toBe(99);
    expect(script.completions()).toEqual(['1 RECV 1']);
    expect(script.device.counters.duplicate_request).toBe(2);
  });

  it('of READs are executed again, from the PSN that they ask for', () => {
    const script = new Script();
    script.arrive('RC_READ_REQUEST', 0, { dmaBytes: 2500 });
    expect(script.pull()).toHaveLength(3);
    script.arrive('RC_READ_REQUEST', 1, { addr: script.mr.iova + 1024, dmaBytes: 1476 });
    expect(script.pull()).toEqual([
      'READ_RESPONSE_FIRST 1 1024B 1f msn=1',
      'READ_RESPONSE_LAST 2 452B 1f msn=1',
    ]);
  });

  it('of READs above 2^63 and across a multiple of 2^32 are known too', () => {
    const script = new Script();
    const iova = 0xffff_8881_ffff_fc00n;
    const { rkey } = script.qp.pd.regMr(script.memory, Access.REMOTE_READ, { iova });
    script.arrive('RC_READ_REQUEST', 0, { addr: iova, rkey, dmaBytes: 2500 });
    expect(script.pull()).toHaveLength(3);
    script.arrive('RC_READ_REQUEST', 1, { addr: iova + 1024n, rkey, dmaBytes: 1476 });
    expect(script.pull()).toEqual([
      'READ_RESPONSE_FIRST 1 1024B 1f msn=1',
      'READ_RESPONSE_LAST 2 452B 1f msn=1',
    ]);
    script.arrive('RC_READ_REQUEST', 1, { addr: iova + 1024n - 2n ** 32n, rkey, dmaBytes: 1476 });
    expect(script.pull()).toEqual([]);
  });

  it('of READs whose response still waits change nothing', () => {
    const script = new Script();
    script.arrive('RC_READ_REQUEST', 0, { dmaBytes: 2500 });
    expect(script.pull(1)).toHaveLength(1);
    script.arrive('RC_READ_REQUEST', 1, { addr: script.mr.iova + 1024, dmaBytes: 1476 });
    expect(script.pull()).toEqual(['READ_RESPONSE_MIDDLE 1 1024B', 'READ_RESPONSE_LAST 2 452B 1f msn=1']);
  });

  it('of READs that ask for something else are dropped', () => {
    const script = new Script();
    script.arrive('RC_READ_REQUEST', 0, { dmaBytes: 2500 });
    script.pull();
    script.arrive('RC_READ_REQUEST', 0, { addr: script.mr.iova + 8, dmaBytes: 2500 });
    script.arrive('RC_READ_REQUEST', 1, { dmaBytes: 2500 });
    expect(script.pull()).toEqual([]);
    expect(script.qp.state).toBe('RTS');
  });

  it('of atomics are answered with the saved result', () => {
    const script = new Script();
    script.memory.fill(0, 0, 8);
    script.memory[0] = 40;
    const fields = { words: [2, 0, 0, 0] };
    script.arrive('RC_FETCH_ADD', 0, fields);
    script.arrive('RC_FETCH_ADD', 1, fields);
    expect(script.pull()).toEqual([
      'ATOMIC_ACKNOWLEDGE 0 1f msn=1 value=40',
      'ATOMIC_ACKNOWLEDGE 1 1f msn=2 value=42',
    ]);
    script.arrive('RC_FETCH_ADD', 0, fields);
    expect(script.pull()).toEqual(['ATOMIC_ACKNOWLEDGE 0 1f msn=2 value=40']);
    expect(script.memory[0]).toBe(44);
  });

  it('older than the connection are ghosts', () => {
    const script = new Script();
    script.arrive('RC_WRITE_ONLY', -1, { payload: 8, ...A });
    script.arrive('RC_READ_REQUEST', -3, { dmaBytes: 8 });
    expect(script.pull()).toEqual([]);
    expect(script.device.counters.dropped_packets).toBe(2);
  });
});

describe('receives', () => {
  it('are taken by the first packet of a SEND and the last of a WRITE with immediate', () => {
    const script = new Script();
    receives(script, 1, 2);
    script.arrive('RC_SEND_FIRST', 0, { payload: 1024 });
    script.arrive('RC_SEND_LAST_IMMEDIATE', 1, { payload: 1, imm: 9 });
    script.arrive('RC_WRITE_FIRST', 2, { payload: 1024, dmaBytes: 1025 });
    script.arrive('RC_SEND_ONLY', 9, { payload: 1 });
    script.arrive('RC_WRITE_LAST_IMMEDIATE', 3, { payload: 1, imm: 8, solicited: true });
    expect(script.completions()).toEqual(['1 RECV 1025 imm=9', '2 RECV_RDMA_WITH_IMM 1025 imm=8']);
  });

  it('that are missing give an RNR NAK with our timer, and silence until the PSN comes again', () => {
    const script = new Script('RC', { minRnrTimer: 5 });
    script.arrive('RC_SEND_ONLY', 0, { payload: 8, ...A });
    script.arrive('RC_SEND_ONLY', 1, { payload: 8, ...A });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 0 25 msn=0']);
    receives(script, 1);
    script.arrive('RC_SEND_ONLY', 0, { payload: 8, ...A });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 0 1f msn=1']);
  });

  it('that are missing for a WRITE with immediate leave its data where they were', () => {
    const script = new Script();
    script.arrive('RC_WRITE_FIRST', 0, { payload: new Uint8Array(1024).fill(1), dmaBytes: 1025 });
    script.memory[1024] = 0;
    script.arrive('RC_WRITE_LAST_IMMEDIATE', 1, { payload: Uint8Array.of(5), ...A });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 1 21 msn=0']);
    expect(script.memory[1024]).toBe(0);
    receives(script, 3);
    script.arrive('RC_WRITE_LAST_IMMEDIATE', 1, { payload: Uint8Array.of(5), ...A });
    expect(script.memory[1024]).toBe(5);
    expect(script.completions()).toEqual(['3 RECV_RDMA_WITH_IMM 1025 imm=0']);
  });

  it('that are too small fail with LOC_LEN_ERR, the request with an invalid request', () => {
    const script = new Script();
    script.qp.postRecv({ wrId: 1, sgList: script.at(0, 1500) });
    receives(script, 2);
    script.arrive('RC_SEND_FIRST', 0, { payload: 1024 });
    script.arrive('RC_SEND_LAST', 1, { payload: 477, ...A });
    expect(script.completions()).toEqual(['1 LOC_LEN_ERR', '2 WR_FLUSH_ERR']);
    expect(script.pull()).toEqual(['ACKNOWLEDGE 1 61 msn=0']);
  });

  it('with a bad key fail with LOC_PROT_ERR, the request with a remote operational error', () => {
    const script = new Script();
    script.qp.postRecv({ wrId: 1, sgList: [{ addr: 0, length: 64, lkey: 1 }] });
    script.arrive('RC_SEND_ONLY', 0, { payload: 8, ...A });
    expect(script.completions()).toEqual(['1 LOC_PROT_ERR']);
    expect(script.pull()).toEqual(['ACKNOWLEDGE 0 63 msn=0']);
  });
});

describe('rights', () => {
  const refusals: [string, (script: Script) => void, string, string][] = [
    [
      'a wrong rkey',
      (s) => s.arrive('RC_WRITE_ONLY', 0, { payload: 8, rkey: s.mr.rkey ^ 1 }),
      '62',
      'QP_ACCESS_ERR',
    ],
    [
      'one byte too many',
      (s) => s.arrive('RC_READ_REQUEST', 0, { addr: s.mr.iova + s.memory.length - 7, dmaBytes: 8 }),
      '62',
      'QP_ACCESS_ERR',
    ],
    [
      'a misaligned atomic',
      (s) => s.arrive('RC_FETCH_ADD', 0, { addr: s.mr.iova + 4, words: [1] }),
      '61',
      'QP_REQ_ERR',
    ],
    [
      'an invalidation of nothing',
      (s) => s.arrive('RC_SEND_ONLY_INVALIDATE', 0, { inv: 77 }),
      '62',
      'QP_ACCESS_ERR',
    ],
  ];
  it.each(refusals)('refuse %s', (_, act, code, raised) => {
    const script = new Script();
    receives(script, 1);
    act(script);
    expect(script.pull()).toEqual([`ACKNOWLEDGE 0 ${code} msn=0`]);
    expect(event(script)).toBe(raised);
    expect(script.qp.state).toBe('ERR');
    expect(script.completions()).toEqual(['1 WR_FLUSH_ERR']);
    script.arrive('RC_WRITE_ONLY', 0, { payload: 8, ...A });
    expect(script.pull()).toEqual([]);
  });

  it('are those of the queue pair first', () => {
    const script = new Script('RC', { qpAccessFlags: Access.REMOTE_READ });
    script.arrive('RC_READ_REQUEST', 0, { dmaBytes: 8 });
    expect(script.pull()).toEqual(['READ_RESPONSE_ONLY 0 8B 1f msn=1']);
    script.arrive('RC_WRITE_ONLY', 1, { payload: 8 });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 1 61 msn=1']);
  });

  it('are not asked for where nothing is touched', () => {
    const script = new Script();
    script.arrive('RC_WRITE_ONLY', 0, { rkey: 1, addr: 5, ...A });
    script.arrive('RC_READ_REQUEST', 1, { rkey: 1, addr: 5, dmaBytes: 0 });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 0 1f msn=1', 'READ_RESPONSE_ONLY 1 0B 1f msn=2']);
  });

  it('cover the whole WRITE before its first byte moves', () => {
    const script = new Script();
    const before = script.memory.slice();
    const addr = script.mr.iova + script.memory.length - 1025;
    script.arrive('RC_WRITE_FIRST', 0, { payload: new Uint8Array(1024).fill(1), addr, dmaBytes: 1026 });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 0 62 msn=0']);
    expect(script.memory).toEqual(before);
  });

  it('that go away in the middle of a READ response end it with a NAK', () => {
    const script = new Script();
    const mr = script.mr.pd.regMr(new Uint8Array(4096), Access.REMOTE_READ);
    script.arrive('RC_READ_REQUEST', 0, { addr: mr.iova, rkey: mr.rkey, dmaBytes: 3000 });
    expect(script.pull(1)).toEqual(['READ_RESPONSE_FIRST 0 1024B 1f msn=1']);
    mr.dereg();
    expect(script.pull()).toEqual(['ACKNOWLEDGE 1 62 msn=1']);
    expect(script.qp.state).toBe('ERR');
  });
});

describe('sequence and length', () => {
  const wrong: [string, (script: Script) => void, number][] = [
    ['a middle without a first', (s) => s.arrive('RC_WRITE_MIDDLE', 0, { payload: 1024 }), 0],
    ['a last without a first', (s) => s.arrive('RC_SEND_LAST', 0, { payload: 8 }), 0],
    [
      'a first of less than an MTU',
      (s) => s.arrive('RC_WRITE_FIRST', 0, { payload: 1023, dmaBytes: 2000 }),
      0,
    ],
    ['an only of more than an MTU', (s) => s.arrive('RC_WRITE_ONLY', 0, { payload: 1025 }), 0],
    [
      'an only shorter than its RETH says',
      (s) => s.arrive('RC_WRITE_ONLY', 0, { payload: 8, dmaBytes: 9 }),
      0,
    ],
    ['a READ of more than 2^31 bytes', (s) => s.arrive('RC_READ_REQUEST', 0, { dmaBytes: 2 ** 31 + 1 }), 0],
  ];
  const opened: [string, (script: Script) => void, number][] = [
    ['a first in the middle', (s) => s.arrive('RC_WRITE_FIRST', 1, { payload: 1024, dmaBytes: 2000 }), 1],
    ['another operation', (s) => s.arrive('RC_SEND_LAST', 1, { payload: 8 }), 1],
    ['a READ', (s) => s.arrive('RC_READ_REQUEST', 1, { dmaBytes: 8 }), 1],
    ['a last of nothing', (s) => s.arrive('RC_WRITE_LAST', 1, {}), 1],
    ['a last too long', (s) => s.arrive('RC_WRITE_LAST', 1, { payload: 977 }), 1],
    ['a last too short', (s) => s.arrive('RC_WRITE_LAST', 1, { payload: 975 }), 1],
    ['a middle beyond the end', (s) => s.arrive('RC_WRITE_MIDDLE', 1, { payload: 1024 }), 1],
  ];
  it.each(wrong)('%s is an invalid request', (_, act, psn) => {
    const script = new Script();
    receives(script, 1);
    act(script);
    expect(script.pull()).toEqual([`ACKNOWLEDGE ${psn} 61 msn=0`]);
    expect(event(script)).toBe('QP_REQ_ERR');
  });
  it.each(opened)('%s in a WRITE of 2000 bytes is an invalid request', (_, act, psn) => {
    const script = new Script();
    receives(script, 1);
    script.arrive('RC_WRITE_FIRST', 0, { payload: 1024, dmaBytes: 2000 });
    act(script);
    expect(script.pull()).toEqual([`ACKNOWLEDGE ${psn} 61 msn=0`]);
  });

  it('more READs than resources is an invalid request; an answered one frees its resource', () => {
    const script = new Script();
    script.arrive('RC_READ_REQUEST', 0, { dmaBytes: 8 });
    script.arrive('RC_READ_REQUEST', 1, { dmaBytes: 8 });
    expect(script.pull(1)).toHaveLength(1);
    script.arrive('RC_READ_REQUEST', 2, { dmaBytes: 8 });
    script.arrive('RC_READ_REQUEST', 3, { dmaBytes: 8 });
    expect(script.pull()).toEqual([
      'READ_RESPONSE_ONLY 1 8B 1f msn=2',
      'READ_RESPONSE_ONLY 2 8B 1f msn=3',
      'ACKNOWLEDGE 3 61 msn=3',
    ]);
  });

  it('opcodes of other transports are dropped', () => {
    const script = new Script();
    script.arrive('UC_WRITE_ONLY', 0, { payload: 8, ...A });
    script.arrive('UD_SEND_ONLY', 0, { payload: 8, ...A });
    expect(script.pull()).toEqual([]);
    expect(script.device.counters.dropped_packets).toBe(2);
  });
});

describe('invalidation', () => {
  it('takes the window and says so in the receive', () => {
    const script = new Script();
    const mw = script.mr.pd.allocMw();
    const access = Access.REMOTE_WRITE;
    const { addr } = script.mr;
    script.qp.postSend({ opcode: 'BIND_MW', mw, rkey: mw.rkey + 1, mr: script.mr, addr, length: 64, access });
    expect(script.pull()).toEqual([]);
    expect(script.completions()).toEqual(['0 BIND_MW 0']);
    const key = { rkey: mw.rkey };
    receives(script, 1);
    script.arrive('RC_WRITE_ONLY', 0, { payload: 8, ...key });
    script.arrive('RC_SEND_ONLY_INVALIDATE', 1, { inv: mw.rkey, ...A });
    expect(script.completions()).toEqual([`1 RECV 0 inv=${mw.rkey}`]);
    expect(script.pull()).toEqual(['ACKNOWLEDGE 1 1f msn=2']);
    script.arrive('RC_WRITE_ONLY', 2, { payload: 8, ...key });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 2 62 msn=2']);
  });
});

describe('what Linux soft-RoCE was seen to do', () => {
  it('a PSN gap is NAK 0x60, a key without rights NAK 0x62, a duplicate an ACK of the newest PSN', () => {
    const script = new Script();
    script.arrive('RC_WRITE_ONLY', 1, { payload: 8, ...A });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 0 60 msn=0']);
    script.arrive('RC_WRITE_ONLY', 0, { payload: 8, ...A });
    script.arrive('RC_WRITE_ONLY', 1, { payload: 8, ...A });
    script.arrive('RC_WRITE_ONLY', 0, { payload: 8, ...A });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 1 1f msn=2']);
    script.arrive('RC_WRITE_ONLY', 2, { payload: 8, rkey: 1, ...A });
    expect(script.pull()).toEqual(['ACKNOWLEDGE 2 62 msn=2']);
  });

  it('answers a duplicate before the first request with the PSN before it, which we take for old', () => {
    const script = new Script();
    script.qp.postSend({ opcode: 'SEND', wrId: 1 });
    script.pull();
    script.arrive('RC_ACKNOWLEDGE', -1);
    expect(script.completions()).toEqual([]);
    script.arrive('RC_ACKNOWLEDGE', 0);
    expect(script.completions()).toEqual(['1 SEND 0']);
  });
});

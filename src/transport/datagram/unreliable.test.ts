import { describe, expect, it } from 'vitest';
import { Script } from '../testing/script.js';

const FAR = { remoteAddr: 0x1000, rkey: 7 };

describe('UC', () => {
  it('completes a request when its last packet leaves', () => {
    const script = new Script('UC');
    script.qp.postSend({
      opcode: 'RDMA_WRITE_WITH_IMM',
      wrId: 1,
      sgList: script.at(0, 1025),
      immData: 4,
      ...FAR,
    });
    expect(script.pull(1)).toEqual(['WRITE_FIRST 0 1024B va=4096 len=1025']);
    expect(script.completions()).toEqual([]);
    expect(script.pull()).toEqual(['WRITE_LAST_IMMEDIATE 1 1B imm=4']);
    expect(script.completions()).toEqual(['1 RDMA_WRITE 1025']);
  });

  it('drops a message with a gap until the next first, which gets the same receive', () => {
    const script = new Script('UC');
    for (const wrId of [1, 2]) script.qp.postRecv({ wrId, sgList: script.at(wrId * 8192, 8192) });
    script.arrive('UC_SEND_FIRST', 0, { payload: 1024 });
    script.arrive('UC_SEND_LAST', 2, { payload: 8 });
    script.arrive('UC_SEND_LAST', 3, { payload: 8 });
    expect(script.completions()).toEqual([]);
    script.arrive('UC_SEND_FIRST', 7, { payload: new Uint8Array(1024).fill(3) });
    script.arrive('UC_SEND_LAST', 8, { payload: 8 });
    expect(script.completions()).toEqual(['1 RECV 1032']);
    expect(script.memory[8192]).toBe(3);
    expect(script.device.counters.out_of_sequence).toBe(2);
  });

  it('takes a first packet in the middle of a message for a new one', () => {
    const script = new Script('UC');
    script.qp.postRecv({ wrId: 1, sgList: script.at(0, 8192) });
    script.arrive('UC_SEND_FIRST', 0, { payload: 1024 });
    script.arrive('UC_SEND_ONLY', 1, { payload: 8 });
    expect(script.completions()).toEqual(['1 RECV 8']);
  });

  it('is silent about all that it refuses', () => {
    const script = new Script('UC');
    script.arrive('UC_SEND_ONLY', 0, { payload: 8 });
    script.arrive('UC_WRITE_ONLY', 1, { payload: 8, rkey: 1 });
    script.qp.postRecv({ wrId: 1, sgList: script.at(0, 4) });
    script.arrive('UC_SEND_ONLY', 2, { payload: 8 });
    expect(script.pull()).toEqual([]);
    expect(script.completions()).toEqual([]);
    script.arrive('UC_SEND_ONLY', 3, { payload: 4 });
    expect(script.completions()).toEqual(['1 RECV 4']);
    expect(script.qp.state).toBe('RTS');
  });

  it('fails its send queue alone, and comes back', () => {
    const script = new Script('UC');
    const bad = [{ addr: 0, length: 1, lkey: 1 }];
    script.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: bad });
    script.qp.postSend({ opcode: 'SEND', wrId: 2 });
    expect(script.pull()).toEqual([]);
    expect(script.completions()).toEqual(['1 LOC_PROT_ERR', '2 WR_FLUSH_ERR']);
    expect(script.qp.state).toBe('SQE');
    script.qp.modify({ state: 'RTS' });
    script.qp.postSend({ opcode: 'SEND', wrId: 3 });
    expect(script.pull()).toEqual(['SEND_ONLY 0 0B']);
  });
});

describe('UD', () => {
  function datagram(script: Script, remoteQkey: number): void {
    const ah = script.mr.pd.createAh({ dgid: '::ffff:10.0.0.2', sgidIndex: 0 });
    const target = { ah, remoteQpn: 0x77, remoteQkey };
    script.qp.postSend({ opcode: 'SEND_WITH_IMM', wrId: 1, sgList: script.at(0, 9), immData: 3, ...target });
  }

  it('sends single packets with Q_Key and source; the top bit asks for its own key', () => {
    const script = new Script('UD');
    datagram(script, 0x55);
    datagram(script, 0x80000000);
    expect(script.pull()).toEqual([
      'SEND_ONLY_IMMEDIATE 0 9B qkey=55 imm=3',
      'SEND_ONLY_IMMEDIATE 1 9B qkey=1234 imm=3',
    ]);
    expect(script.completions()).toEqual(['1 SEND 9', '1 SEND 9']);
  });

  it('receives behind 40 bytes and says who sent', () => {
    const script = new Script('UD');
    script.qp.postRecv({ wrId: 1, sgList: script.at(0, 100) });
    script.arrive('UD_SEND_ONLY', 9, { payload: Uint8Array.of(1, 2), srcQpn: 0x42 });
    const [completion] = script.cq.poll();
    expect(completion).toMatchObject({ wrId: 1, status: 'SUCCESS', byteLen: 42, srcQp: 0x42, grh: true });
    expect([...script.memory.subarray(40, 42)]).toEqual([1, 2]);
  });

  it('drops another Q_Key and what finds no receive', () => {
    const script = new Script('UD');
    script.arrive('UD_SEND_ONLY', 0, { payload: 2 });
    script.qp.postRecv({ wrId: 1, sgList: script.at(0, 100) });
    script.arrive('UD_SEND_ONLY', 1, { payload: 2, qkey: 0x1235 });
    expect(script.completions()).toEqual([]);
    expect(script.device.counters).toMatchObject({ out_of_buffer: 1, dropped_packets: 1 });
  });
});

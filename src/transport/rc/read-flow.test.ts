import { expect, it } from 'vitest';
import { irn, Syndrome } from '../index.js';
import { Script } from '../testing/script.js';

const US = 1_000_000;
const FAR = { remoteAddr: 0x1000, rkey: 7 };
const READ_ACK = { syndrome: Syndrome.READ_ACK };

function script(windowPackets = 4): Script {
  const options = { windowPackets, timeoutLowPs: 100 * US, timeoutHighPs: 320 * US, fewPackets: 3 };
  return new Script('RC', { timeout: 14, retryCnt: 7 }, { transport: { lossRecovery: irn(options) } });
}

function request(to: Script, psn: number, packets: number): void {
  const addr = Number(to.mr.iova) + 1024 * psn;
  to.arrive('RC_READ_REQUEST', psn, { addr, dmaBytes: 1024 * packets });
}

function psns(texts: string[]): number[] {
  return texts.map((text) => Number(text.split(' ')[1]));
}

it('sends READ data no further than its window, and on as that is acknowledged', () => {
  const own = script();
  request(own, 0, 10);
  expect(own.pull()).toEqual([
    'READ_RESPONSE_FIRST 0 1024B 1f msn=1',
    'READ_RESPONSE_MIDDLE 1 1024B',
    'READ_RESPONSE_MIDDLE 2 1024B',
    'READ_RESPONSE_MIDDLE 3 1024B A',
  ]);
  own.arrive('RC_ACKNOWLEDGE', 1, READ_ACK);
  expect(psns(own.pull())).toEqual([4, 5]);
  // Said before, and of what was never sent.
  own.arrive('RC_ACKNOWLEDGE', 0, READ_ACK);
  own.arrive('RC_ACKNOWLEDGE', 6, READ_ACK);
  expect(own.pull()).toEqual([]);
  own.arrive('RC_ACKNOWLEDGE', 5, READ_ACK);
  expect(psns(own.pull())).toEqual([6, 7, 8, 9]);
});

it('counts what is asked for again as lost, and sends it before the rest', () => {
  const own = script();
  request(own, 0, 10);
  own.pull();
  request(own, 1, 2);
  expect(psns(own.pull())).toEqual([1, 2]);
  // All of it again: what has not been sent yet comes in its turn.
  request(own, 0, 10);
  expect(psns(own.pull())).toEqual([0, 1, 2, 3]);
  // Ten packets have left, the last of them with number 9.
  own.arrive('RC_ACKNOWLEDGE', 9, READ_ACK);
  expect(psns(own.pull())).toEqual([4, 5, 6, 7]);
  expect(own.device.counters.duplicate_request).toBe(2);
});

it('opens a window whose last acknowledgement was lost when the next READ is asked for again', () => {
  const own = script();
  request(own, 0, 4);
  expect(own.pull()).toHaveLength(4);
  request(own, 4, 2);
  expect(own.pull()).toEqual([]);
  request(own, 4, 2);
  expect(psns(own.pull())).toEqual([4, 5]);
});

it('acknowledges READ data where that asks for it, before data of its own that has no room', () => {
  const own = script(2);
  request(own, 0, 4);
  expect(own.pull()).toHaveLength(2);
  own.qp.postSend({ opcode: 'RDMA_READ', wrId: 1, sgList: own.at(0, 2048), ...FAR });
  expect(own.pull()).toEqual(['READ_REQUEST 0 va=4096 len=2048']);
  own.arrive('RC_READ_RESPONSE_FIRST', 0, { payload: 1024, place: [0, 0] });
  expect(own.pull()).toEqual([]);
  const last = { payload: 1024, place: [0, 1], ackRequest: true } as const;
  own.arrive('RC_READ_RESPONSE_LAST', 1, last);
  expect(own.completions()).toEqual(['1 RDMA_READ 2048']);
  expect(own.pull()).toEqual(['ACKNOWLEDGE 1 40 msn=1']);
  // Once more: the acknowledgement may have been lost.
  own.arrive('RC_READ_RESPONSE_LAST', 1, last);
  expect(own.pull()).toEqual(['ACKNOWLEDGE 1 40 msn=1']);
});

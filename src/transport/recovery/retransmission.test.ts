import { describe, expect, it } from 'vitest';
import type { QpAttr } from '../../verbs/index.js';
import { goBackNTimed, type RetransmissionTiming } from '../index.js';
import { Script } from '../testing/script.js';
import { ACK_TIMEOUT_PS } from '../timers.js';

const NAK_SEQUENCE = 0x60;
const US = 1_000_000;

function writing(bytes: number, timing: Partial<RetransmissionTiming>, attr: QpAttr = {}): Script {
  const transport = { lossRecovery: goBackNTimed(timing) };
  const script = new Script('RC', attr, { transport });
  script.qp.postSend({ opcode: 'RDMA_WRITE', sgList: script.at(0, bytes), remoteAddr: 0, rkey: 7 });
  return script;
}

function psns(texts: string[]): number[] {
  return texts.map((text) => Number(text.split(' ')[1]));
}

describe('a sequence NAK', () => {
  it('takes its time, and new packets leave meanwhile', () => {
    const script = writing(8192, { nakHandlingPs: 17 * US }, { timeout: 14 });
    expect(psns(script.pull(4))).toEqual([0, 1, 2, 3]);
    script.arrive('RC_ACKNOWLEDGE', 1, { syndrome: NAK_SEQUENCE });
    script.wait(16 * US);
    expect(psns(script.pull(2))).toEqual([4, 5]);
    script.wait(US);
    expect(psns(script.pull())).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('that repeats itself meanwhile counts once, and one that was answered meanwhile does nothing', () => {
    const script = writing(4096, { nakHandlingPs: 17 * US }, { timeout: 14 });
    script.pull();
    for (let copy = 0; copy < 9; copy++) script.arrive('RC_ACKNOWLEDGE', 1, { syndrome: NAK_SEQUENCE });
    expect(script.device.counters.packet_seq_err).toBe(1);
    script.arrive('RC_ACKNOWLEDGE', 3, { msn: 1 });
    script.wait(20 * US);
    expect(script.pull()).toEqual([]);
    expect(script.completions()).toEqual(['0 RDMA_WRITE 4096']);
  });

  it('is handled no more once a timeout has sent everything again', () => {
    const script = writing(4096, { nakHandlingPs: 17 * US }, { timeout: 1, retryCnt: 7 });
    script.pull();
    script.arrive('RC_ACKNOWLEDGE', 2, { syndrome: NAK_SEQUENCE });
    script.wait(ACK_TIMEOUT_PS[1]);
    expect(psns(script.pull())).toEqual([2, 3]);
    script.wait(9 * US);
    // The second wait is over by now, and the NAK's time as well: one round is sent again, not two.
    expect(psns(script.pull())).toEqual([2, 3]);
    expect(script.device.counters.local_ack_timeout_err).toBe(2);
  });
});

describe('a responder', () => {
  const requests = (script: Script, list: number[]) => {
    for (const psn of list) script.arrive('RC_WRITE_MIDDLE', psn, { payload: 1024 });
    return script.pull();
  };

  it('reports a gap once, as specified', () => {
    const script = new Script('RC');
    expect(requests(script, [2, 3, 4, 2, 3])).toEqual(['ACKNOWLEDGE 0 60 msn=0']);
  });

  it('of a device that reports each round does so when the packets beyond the gap start over', () => {
    const script = new Script(
      'RC',
      {},
      { transport: { lossRecovery: goBackNTimed({ nakEachRound: true }) } },
    );
    expect(requests(script, [2, 3, 4])).toEqual(['ACKNOWLEDGE 0 60 msn=0']);
    expect(requests(script, [1, 2, 3])).toEqual(['ACKNOWLEDGE 0 60 msn=0']);
    expect(script.device.counters.nak_sent).toBe(2);
  });
});

describe('the wait for an acknowledgement', () => {
  it('is as many ACK timeouts as the device takes', () => {
    const script = writing(100, { ackTimeoutWaits: 2 }, { timeout: 1 });
    script.pull();
    script.wait(2 * ACK_TIMEOUT_PS[1] - 1);
    expect(script.pull()).toEqual([]);
    script.wait(1);
    expect(psns(script.pull())).toEqual([0]);
  });

  it('is short and doubles where the device adapts, at no cost of retries, until the ACK timeout is shorter', () => {
    // 4 us, 8 us and 16 us are shorter than the ACK timeout of code 3, 32.8 us; two retries follow.
    const script = writing(100, { adaptiveBasePs: 4 * US }, { timeout: 3, retryCnt: 2 });
    script.pull();
    for (const waitPs of [4 * US, 8 * US, 16 * US, 32 * US, ACK_TIMEOUT_PS[3], ACK_TIMEOUT_PS[3]]) {
      script.wait(waitPs - 1);
      expect(script.pull()).toEqual([]);
      script.wait(1);
      expect(psns(script.pull())).toEqual([0]);
    }
    expect(script.device.counters).toMatchObject({ local_ack_timeout_err: 6, roce_adp_retrans: 4 });
    script.wait(ACK_TIMEOUT_PS[3]);
    expect(script.completions()).toEqual(['0 RETRY_EXC_ERR']);
  });

  it('starts short again after progress', () => {
    const script = writing(2048, { adaptiveBasePs: 4 * US }, { timeout: 5 });
    script.pull();
    script.wait(4 * US);
    script.pull();
    script.arrive('RC_ACKNOWLEDGE', 0);
    script.wait(4 * US - 1);
    expect(script.pull()).toEqual([]);
    script.wait(1);
    expect(psns(script.pull())).toEqual([1]);
  });

  it('does not end where the queue pair has no timeout', () => {
    const script = writing(100, { adaptiveBasePs: 4 * US }, { timeout: 0 });
    script.pull();
    script.wait(1e12);
    expect(script.pull()).toEqual([]);
  });
});

it('refuses times that are none', () => {
  for (const [field, given] of [
    ['ackTimeoutWaits', 0],
    ['nakHandlingPs', -1],
    ['adaptiveBasePs', Number.NaN],
  ] as const) {
    const wanted = { code: 'TRANSPORT_OPTION_OUT_OF_RANGE', field, given };
    expect(() => goBackNTimed({ [field]: given })).toThrow(expect.objectContaining(wanted));
  }
});

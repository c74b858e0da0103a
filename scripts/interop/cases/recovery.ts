import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultRule } from '../../../src/link/index.js';
import { type CaseBench, check, type PairOptions, pattern } from '../bench.js';
import type { InteropCase, Requester } from './case.js';

const BYTES = 32 * 1024;

/** WRITEs 32 packets one way, compares, and gives Kelpie's counters a look. */
async function transfer(
  bench: CaseBench,
  requester: Requester,
  look: (count: (name: string) => number) => void,
  options: PairOptions = {},
): Promise<void> {
  const pair = await bench.pair(options);
  const data = pattern(11, BYTES);
  if (requester === 'Kelpie') {
    pair.memory.set(data);
    const { addr: remoteAddr, rkey } = pair.guest;
    const { status } = await pair.request({
      opcode: 'RDMA_WRITE',
      sgList: pair.at(0, BYTES),
      remoteAddr,
      rkey,
    });
    check(status === 'SUCCESS', `the WRITE ended with ${status}`);
    await pair.guestHolds(0, data);
  } else {
    await pair.call('fill', { seed: 11, length: BYTES });
    const remote = pair.region.iova;
    const { status } = await pair.guestRequest({
      opcode: 'RDMA_WRITE',
      length: BYTES,
      remote,
      rkey: pair.region.rkey,
    });
    check(status === 'SUCCESS', `the WRITE ended with ${status}`);
    pair.holds(0, data);
  }
  look((name) => bench.counter(name));
}

function withFaults(
  name: string,
  requester: Requester,
  rules: FaultRule[],
  look: (count: (name: string) => number) => void,
): InteropCase {
  return {
    group: 'Loss, duplication, order',
    name,
    requester,
    faults: { rules },
    run: (bench) => transfer(bench, requester, look),
  };
}

const FIRST = { psn: 5, transmission: 1, stream: 'request' } as const;

function rnr(requester: Requester, recovers: boolean): InteropCase {
  return {
    group: 'Receiver not ready',
    name: recovers ? 'RNR NAK, a receive is posted later, recovery' : 'RNR retries exceeded',
    requester,
    async run(bench) {
      const pair = await bench.pair({ rnrRetry: recovers ? 7 : 2, minRnrTimer: 14 });
      const data = pattern(7, 3000);
      if (requester === 'Kelpie') {
        pair.memory.set(data);
        const sent = pair.request({ opcode: 'SEND', sgList: pair.at(0, 3000) });
        if (recovers) {
          await sleep(150);
          await pair.call('receive', { offset: 0, length: 3000 });
        }
        const { status } = await sent;
        check(status === (recovers ? 'SUCCESS' : 'RNR_RETRY_EXC_ERR'), `the SEND ended with ${status}`);
        check(bench.counter('rnr_nak_received') > 0, 'no RNR NAK came');
        if (recovers) await pair.guestHolds(0, data);
      } else {
        await pair.call('fill', { seed: 7, length: 3000 });
        await pair.call('send', { opcode: 'SEND', length: 3000 });
        await sleep(150);
        if (recovers) pair.qp.postRecv({ sgList: pair.at(0, 3000) });
        const [{ status }] = await pair.guestPoll(1);
        check(status === (recovers ? 'SUCCESS' : 'RNR_RETRY_EXC_ERR'), `the SEND ended with ${status}`);
        check(bench.counter('out_of_buffer') > 0, 'no RNR NAK was sent');
        if (recovers) pair.holds(0, data);
      }
    },
  };
}

function wrap(requester: Requester): InteropCase {
  return {
    group: 'Loss, duplication, order',
    name: 'PSN wrap in the middle of a message',
    requester,
    run: (bench) => transfer(bench, requester, () => {}, { psn: 0xfffff0, guestPsn: 0xfffff0 }),
  };
}

function refused(requester: Requester, what: 'key' | 'range', read: boolean): InteropCase {
  const verb = read ? 'RDMA READ' : 'RDMA WRITE';
  return {
    group: 'Remote access errors',
    name: `${verb} with ${what === 'key' ? 'a wrong key' : 'a range that ends outside'}`,
    requester,
    async run(bench) {
      const pair = await bench.pair({ bytes: 8192 });
      const opcode = read ? 'RDMA_READ' : 'RDMA_WRITE';
      const away = what === 'range' ? 8192 - 100 : 0;
      const flip = what === 'key' ? 0x5500 : 0;
      let status: string;
      if (requester === 'Kelpie') {
        const remoteAddr = pair.guest.addr + away;
        const rkey = (pair.guest.rkey ^ flip) >>> 0;
        ({ status } = await pair.request({ opcode, sgList: pair.at(0, 200), remoteAddr, rkey }));
      } else {
        const remote = pair.region.iova + away;
        const rkey = (pair.region.rkey ^ flip) >>> 0;
        ({ status } = await pair.guestRequest({ opcode, length: 200, remote, rkey }));
        check(
          pair.memory.every((byte) => byte === 0),
          'a byte was written all the same',
        );
      }
      check(status === 'REM_ACCESS_ERR', `the ${verb} ended with ${status}`);
    },
  };
}

/** Recovery from a bad network and a receiver that is not ready, and refusals. */
export const recoveryCases: readonly InteropCase[] = [
  ...(['Kelpie', 'Linux'] as const).flatMap((requester) => [
    rnr(requester, true),
    rnr(requester, false),
    wrap(requester),
    refused(requester, 'key', false),
    refused(requester, 'key', true),
    refused(requester, 'range', false),
    refused(requester, 'range', true),
  ]),
  withFaults(
    'PSN gap, sequence NAK, go back',
    'Kelpie',
    [{ ...FIRST, action: 'drop', direction: 'sent' }],
    (count) => {
      check(count('packet_seq_err') > 0, 'no sequence NAK came');
      check(count('retransmitted_packets') > 0, 'nothing was sent again');
    },
  ),
  withFaults(
    'PSN gap, sequence NAK, go back',
    'Linux',
    [{ ...FIRST, action: 'drop', direction: 'received' }],
    (count) => {
      check(count('out_of_sequence') > 0 && count('nak_sent') > 0, 'no gap was seen');
    },
  ),
  withFaults(
    'duplicate requests',
    'Kelpie',
    [{ action: 'duplicate', direction: 'sent', stream: 'request' }],
    (count) => check(count('fault_duplicated') >= 32, 'nothing was doubled'),
  ),
  withFaults(
    'duplicate requests',
    'Linux',
    [{ action: 'duplicate', direction: 'received', stream: 'request' }],
    (count) => check(count('duplicate_request') >= 30, 'no duplicate was seen'),
  ),
  withFaults(
    'a lost acknowledgement, timeout, resend',
    'Kelpie',
    [{ action: 'drop', direction: 'received', stream: 'response', transmission: 1 }],
    (count) => check(count('local_ack_timeout_err') > 0, 'no timeout was seen'),
  ),
  withFaults(
    'a lost acknowledgement, timeout, resend',
    'Linux',
    [{ action: 'drop', direction: 'sent', stream: 'response', transmission: 1 }],
    (count) => check(count('duplicate_request') > 0, 'nothing came again'),
  ),
  withFaults(
    'packets out of order',
    'Kelpie',
    [{ ...FIRST, action: 'reorder', direction: 'sent' }],
    (count) => check(count('fault_reordered') === 1, 'nothing was reordered'),
  ),
  withFaults(
    'packets out of order',
    'Linux',
    [{ ...FIRST, action: 'reorder', direction: 'received' }],
    (count) => check(count('out_of_sequence') > 0, 'no gap was seen'),
  ),
  withFaults(
    'a corrupted packet is dropped by its ICRC',
    'Kelpie',
    [{ ...FIRST, action: 'corrupt', direction: 'sent' }],
    (count) => check(count('retransmitted_packets') > 0, 'the guest took it'),
  ),
  withFaults(
    'a corrupted packet is dropped by its ICRC',
    'Linux',
    [{ ...FIRST, action: 'corrupt', direction: 'received' }],
    (count) =>
      check(
        count('rx_bad_icrc') +
          count('rx_malformed') +
          count('rx_unknown_qp') +
          count('rx_stranger') +
          count('rx_bad_partition_key') >
          0,
        'nobody noticed',
      ),
  ),
];

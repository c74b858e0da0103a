import { isRefusal, parseReceivedGrh } from '../../../src/wire/index.js';
import { check, pattern } from '../bench.js';
import type { InteropCase, Requester } from './case.js';

const QKEY = 0x11111111;
const GRH_BYTES = 40;

function unreliable(requester: Requester, write: boolean): InteropCase {
  return {
    group: 'UC and UD',
    name: write ? 'UC RDMA WRITE' : 'UC SEND with immediate',
    requester,
    async run(bench) {
      const pair = await bench.pair({ type: 'UC' });
      const data = pattern(21, 5001);
      if (requester === 'Kelpie') {
        pair.memory.set(data);
        await pair.call('receive', { offset: 8192, length: 5001 });
        const sgList = pair.at(0, 5001);
        if (write) {
          const remoteAddr = pair.guest.addr + 8192;
          await pair.request({
            opcode: 'RDMA_WRITE_WITH_IMM',
            sgList,
            remoteAddr,
            rkey: pair.guest.rkey,
            immData: 9,
          });
        } else await pair.request({ opcode: 'SEND_WITH_IMM', sgList, immData: 9 });
        const [received] = await pair.guestPoll(1);
        check(
          received?.status === 'SUCCESS' && received.imm === 9,
          `the guest got ${JSON.stringify(received)}`,
        );
        await pair.guestHolds(8192, data);
      } else {
        await pair.call('fill', { seed: 21, length: 5001 });
        pair.qp.postRecv({ sgList: pair.at(8192, 5001) });
        const opcode = write ? 'RDMA_WRITE_WITH_IMM' : 'SEND_WITH_IMM';
        const remote = pair.region.iova + 8192;
        await pair.guestRequest({ opcode, length: 5001, imm: 9, remote, rkey: pair.region.rkey });
        const [received] = await pair.completions(1);
        check(
          received.status === 'SUCCESS' && received.immData === 9,
          `the receive ended with ${received.status}`,
        );
        pair.holds(8192, data);
      }
    },
  };
}

function datagram(requester: Requester): InteropCase {
  return {
    group: 'UC and UD',
    name: 'UD SEND with immediate, with GRH',
    requester,
    async run(bench) {
      const pair = await bench.pair({ type: 'UD' });
      const data = pattern(22, 1000);
      const { guest } = pair;
      if (requester === 'Kelpie') {
        pair.memory.set(data);
        await pair.call('receive', { offset: 4096, length: 1000 });
        const { status } = await pair.request({
          opcode: 'SEND_WITH_IMM',
          sgList: pair.at(0, 1000),
          immData: 77,
          ah: pair.handle ?? undefined,
          remoteQpn: guest.qpn,
          remoteQkey: QKEY,
        });
        check(status === 'SUCCESS', `the SEND ended with ${status}`);
        const [received] = await pair.guestPoll(1);
        check(
          received?.grh === true && received.bytes === 1000 + GRH_BYTES,
          `the guest got ${JSON.stringify(received)}`,
        );
        check(
          received.src_qp === pair.qp.qpNum && received.imm === 77,
          'the guest got another sender or immediate',
        );
        await pair.guestHolds(4096 + GRH_BYTES, data);
      } else {
        await pair.call('fill', { seed: 22, length: 1000 });
        pair.qp.postRecv({ sgList: pair.at(4096, 1000 + GRH_BYTES) });
        const peer_qpn = pair.qp.qpNum;
        await pair.guestRequest({ opcode: 'SEND_WITH_IMM', length: 1000, imm: 77, peer_qpn });
        const [received] = await pair.completions(1);
        check(received.grh && received.byteLen === 1000 + GRH_BYTES, `${received.byteLen} bytes came`);
        check(received.srcQp === guest.qpn && received.immData === 77, 'another sender or immediate came');
        pair.holds(4096 + GRH_BYTES, data);
        const head = parseReceivedGrh(pair.memory, 4096, 4096 + GRH_BYTES);
        check(!isRefusal(head) && head.version === bench.ip, `what lies before the data is no GRH: ${head}`);
      }
    },
  };
}

/** UC, and UD at user level. */
export const datagramCases: readonly InteropCase[] = (['Kelpie', 'Linux'] as const).flatMap((requester) => [
  unreliable(requester, false),
  unreliable(requester, true),
  datagram(requester),
]);

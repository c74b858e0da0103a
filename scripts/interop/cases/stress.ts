import type { Mtu } from '../../../src/verbs/index.js';
import { type CaseBench, check, pattern, sha256 } from '../bench.js';
import type { InteropCase, Requester } from './case.js';

const LOSSY_BYTES = 1 << 20;
const QPS = 200;

/** Moves bytes by WRITE and by READ, asked for by one side, and compares. */
async function bothVerbs(bench: CaseBench, requester: Requester, bytes: number, mtu: Mtu): Promise<void> {
  const timing = { timeout: 15, retry: 7 };
  const pair = await bench.pair({ bytes: 2 * bytes, mtu, ...timing });
  const data = pattern(31, bytes);
  const { addr, rkey } = pair.guest;
  if (requester === 'Kelpie') {
    pair.memory.set(data);
    const write = { opcode: 'RDMA_WRITE', sgList: pair.at(0, bytes), remoteAddr: addr, rkey } as const;
    const wrote = await pair.request(write, 120e9);
    check(wrote.status === 'SUCCESS', `the WRITE ended with ${wrote.status}`);
    await pair.guestHolds(0, data);
    const read = { opcode: 'RDMA_READ', sgList: pair.at(bytes, bytes), remoteAddr: addr, rkey } as const;
    const got = await pair.request(read, 120e9);
    check(got.status === 'SUCCESS', `the READ ended with ${got.status}`);
    check(sha256(pair.memory.subarray(bytes)) === sha256(data), 'the READ brought other bytes');
    return;
  }
  await pair.call('fill', { seed: 31, length: bytes });
  const common = { length: bytes, remote: pair.region.iova, rkey: pair.region.rkey };
  const wrote = await pair.guestRequest({ ...common, opcode: 'RDMA_WRITE' }, 120);
  check(wrote.status === 'SUCCESS', `the WRITE ended with ${wrote.status}`);
  pair.holds(0, data);
  const got = await pair.guestRequest({ ...common, opcode: 'RDMA_READ', offset: bytes }, 120);
  check(got.status === 'SUCCESS', `the READ ended with ${got.status}`);
  await pair.guestHolds(bytes, data);
}

const NETEM = {
  egress: {
    name: "5 % netem loss on Linux' egress",
    on: 'tc qdisc add dev eth0 root netem loss 5%',
    off: 'tc qdisc del dev eth0 root',
    dropped: "tc -s qdisc show dev eth0 | grep -o 'dropped [0-9]*' | head -1",
  },
  ingress: {
    name: "5 % netem loss on Linux' ingress",
    on: [
      'modprobe ifb numifbs=1',
      '(ip link show ifb0 >/dev/null 2>&1 || ip link add ifb0 type ifb)',
      'ip link set ifb0 mtu 4500 up',
      'tc qdisc add dev eth0 ingress',
      'tc filter add dev eth0 parent ffff: matchall action mirred egress redirect dev ifb0',
      'tc qdisc add dev ifb0 root netem loss 5%',
    ].join(' && '),
    off: 'tc qdisc del dev eth0 ingress; tc qdisc del dev ifb0 root',
    dropped: "tc -s qdisc show dev ifb0 | grep -o 'dropped [0-9]*' | head -1",
  },
} as const;

function lossy(requester: Requester, side: keyof typeof NETEM): InteropCase {
  const { name, on, off, dropped } = NETEM[side];
  return {
    group: 'Loss by netem',
    name: `${name}, 1 MiB by WRITE and 1 MiB by READ`,
    requester,
    async run(bench) {
      await bench.machine.must(on);
      let lost: string;
      try {
        await bothVerbs(bench, requester, LOSSY_BYTES, 4096);
      } finally {
        lost = (await bench.machine.exec(dropped)).output.trim();
        await bench.machine.exec(off);
      }
      check(Number(lost.split(' ')[1]) > 0, `netem says: ${lost}`);
      return lost;
    },
  };
}

function manyQueuePairs(requester: Requester): InteropCase {
  return {
    group: 'Scale',
    name: `${QPS} queue pairs at a time`,
    requester,
    async run(bench) {
      const pairs = await bench.pairs({ count: QPS, bytes: 4096, depth: 4, timeout: 18 });
      const bytes = 3000;
      if (requester === 'Kelpie') {
        for (const [index, pair] of pairs.entries()) {
          pair.memory.set(pattern(index, bytes));
          const { addr: remoteAddr, rkey } = pair.guest;
          pair.qp.postSend({
            opcode: 'RDMA_WRITE',
            sgList: pair.at(0, bytes),
            remoteAddr,
            rkey,
            signaled: true,
          });
        }
        for (const pair of pairs) {
          const [{ status }] = await pair.completions(1, 60e9);
          check(status === 'SUCCESS', `a WRITE ended with ${status}`);
        }
        for (const [index, pair] of pairs.entries()) await pair.guestHolds(0, pattern(index, bytes));
        return;
      }
      const call = (commands: Record<string, unknown>[]) => bench.agent.call({ op: 'many', commands });
      await call(pairs.map(({ guest }, index) => ({ op: 'fill', id: guest.id, seed: index, length: bytes })));
      await call(
        pairs.map(({ guest, region }) => ({
          op: 'send',
          id: guest.id,
          opcode: 'RDMA_WRITE',
          length: bytes,
          remote: region.iova,
          rkey: region.rkey,
        })),
      );
      const { answers } = (await call(
        pairs.map(({ guest }) => ({ op: 'poll', id: guest.id, count: 1, timeout: 30 })),
      )) as {
        answers: { completions: { status: string }[] }[];
      };
      for (const { completions } of answers)
        check(completions[0]?.status === 'SUCCESS', `a WRITE ended with ${completions[0]?.status}`);
      for (const [index, pair] of pairs.entries()) pair.holds(0, pattern(index, bytes));
    },
  };
}

/** MTUs, loss by the kernel's own emulator, and many queue pairs. */
export const stressCases: readonly InteropCase[] = (['Kelpie', 'Linux'] as const).flatMap((requester) => [
  ...([256, 512, 1024, 2048, 4096] as const).map(
    (mtu): InteropCase => ({
      group: 'Path MTU',
      name: `MTU ${mtu}, WRITE and READ of 20001 bytes`,
      requester,
      run: (bench) => bothVerbs(bench, requester, 20_001, mtu),
    }),
  ),
  manyQueuePairs(requester),
  lossy(requester, 'egress'),
  lossy(requester, 'ingress'),
]);

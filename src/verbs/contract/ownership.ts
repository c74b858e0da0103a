import { expectRefused } from './kit/assert.js';
import type { ContractBench } from './kit/bench.js';
import { type ContractCase, casesOf, type Need } from './kit/case.js';
import { qpInit } from './lifetime.js';

const test = casesOf('ownership');

/** Arguments that belong to the other device. */
const STRANGERS: readonly (readonly [string, readonly Need[], (bench: ContractBench) => unknown])[] = [
  [
    'a queue pair with the CQ of another device',
    ['RC'],
    (bench) => bench.pd(bench.left).createQp(qpInit(bench, bench.right)),
  ],
  [
    'a CQ with the channel of another device',
    [],
    (bench) => bench.left.createCq({ cqe: 1, channel: bench.channel(bench.right) }),
  ],
  [
    'a queue pair with the SRQ of another device',
    ['srq', 'RC'],
    (bench) =>
      bench.pd(bench.left).createQp({ ...qpInit(bench, bench.left), srq: bench.srq(bench.pd(bench.right)) }),
  ],
  [
    'a datagram with the address handle of another device',
    ['UD:SEND'],
    (bench) => {
      const { a, b } = bench.pair({ type: 'UD' });
      return a.qp.postSend({ opcode: 'SEND', sgList: a.at(0, 8), ...bench.route(a, b), ah: bench.ah(b, a) });
    },
  ],
  [
    'a REG_MR of the region of another device',
    ['fastRegistration', 'RC:REG_MR'],
    (bench) => {
      const { a, b } = bench.pair();
      const mr = bench.fastMr(b.pd, 64);
      return a.qp.postSend({ opcode: 'REG_MR', mr, key: mr.rkey, access: 0, memory: new Uint8Array(8) });
    },
  ],
  [
    'a bind of the window of another device',
    ['memoryWindows', 'RC:BIND_MW'],
    (bench) => {
      const { a, b } = bench.pair();
      const mw = bench.mw(b.pd);
      return a.qp.postSend({
        opcode: 'BIND_MW',
        mw,
        rkey: mw.rkey,
        mr: a.mr,
        addr: a.mr.addr,
        length: 8,
        access: 0,
      });
    },
  ],
];

/** Objects of two devices do not mix. */
export const ownershipCases: readonly ContractCase[] = [
  ...STRANGERS.map(([what, needs, call]) =>
    test(`${what} is refused with WRONG_OWNER`, needs, async (bench) => {
      expectRefused('WRONG_OWNER', () => call(bench));
    }),
  ),
];

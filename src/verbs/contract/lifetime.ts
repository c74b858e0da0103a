import { Access } from '../access.js';
import type { Context } from '../context.js';
import type { ProtectionDomain } from '../protection-domain.js';
import type { QpInit, QueuePair } from '../queue-pair.js';
import { expectRefused, expectThat } from './kit/assert.js';
import type { ContractBench } from './kit/bench.js';
import { gidOf } from './kit/bring-up.js';
import { type ContractCase, casesOf, type Need } from './kit/case.js';

const test = casesOf('lifetime');

/** An object that another one depends on: refused while that lives, granted afterwards. */
interface Dependence {
  what: string;
  needs: readonly Need[];
  make(bench: ContractBench): { destroy(): void; free(): void };
}

/** The smallest RC queue pair. */
export function qpInit(bench: ContractBench, context: Context): QpInit {
  const cq = bench.cq(context);
  return {
    qpType: 'RC',
    sendCq: cq,
    recvCq: cq,
    cap: { maxSendWr: 1, maxRecvWr: 1, maxSendSge: 1, maxRecvSge: 1 },
  };
}

function holding(bench: ContractBench, make: (pd: ProtectionDomain) => () => void) {
  const pd = bench.left.allocPd();
  return { destroy: () => pd.dealloc(), free: make(pd) };
}

const DEPENDENCES: readonly Dependence[] = [
  {
    what: 'a PD with a region',
    needs: [],
    make: (bench) =>
      holding(bench, (pd) => {
        const mr = pd.regMr(new Uint8Array(8), 0);
        return () => mr.dereg();
      }),
  },
  {
    what: 'a PD with a fast registration region',
    needs: ['fastRegistration'],
    make: (bench) =>
      holding(bench, (pd) => {
        const mr = pd.allocMr(64);
        return () => mr.dereg();
      }),
  },
  {
    what: 'a PD with a window',
    needs: ['memoryWindows'],
    make: (bench) =>
      holding(bench, (pd) => {
        const mw = pd.allocMw();
        return () => mw.dealloc();
      }),
  },
  {
    what: 'a PD with a queue pair',
    needs: ['RC'],
    make: (bench) =>
      holding(bench, (pd) => {
        const qp = pd.createQp(qpInit(bench, bench.left));
        return () => qp.destroy();
      }),
  },
  {
    what: 'a PD with an SRQ',
    needs: ['srq'],
    make: (bench) =>
      holding(bench, (pd) => {
        const srq = pd.createSrq({ maxWr: 1, maxSge: 1 });
        return () => srq.destroy();
      }),
  },
  {
    what: 'a PD with an address handle',
    needs: ['UD'],
    make: (bench) =>
      holding(bench, (pd) => {
        const ah = pd.createAh({ dgid: gidOf(bench.right, bench.gidIndex) });
        return () => ah.destroy();
      }),
  },
  {
    what: 'a CQ that a queue pair sends with',
    needs: ['RC'],
    make: (bench) => {
      const end = bench.end(bench.left);
      return { destroy: () => end.sendCq.destroy(), free: () => end.qp.destroy() };
    },
  },
  {
    what: 'a CQ that a queue pair receives with',
    needs: ['RC'],
    make: (bench) => {
      const end = bench.end(bench.left);
      return { destroy: () => end.recvCq.destroy(), free: () => end.qp.destroy() };
    },
  },
  {
    what: 'an SRQ that a queue pair receives from',
    needs: ['srq', 'RC'],
    make: (bench) => {
      const pd = bench.pd(bench.left);
      const srq = bench.srq(pd);
      const end = bench.end(bench.left, { pd, srq });
      return { destroy: () => srq.destroy(), free: () => end.qp.destroy() };
    },
  },
  {
    what: 'a channel that a CQ reports to',
    needs: [],
    make: (bench) => {
      const channel = bench.channel(bench.left);
      const cq = bench.cq(bench.left, { channel });
      return { destroy: () => channel.destroy(), free: () => cq.destroy() };
    },
  },
];

/** Objects, how they end, and what is asked of them afterwards. */
interface Mortal {
  what: string;
  needs: readonly Need[];
  make(bench: ContractBench): { end(): void; uses: readonly (() => unknown)[] };
}

const MORTALS: readonly Mortal[] = [
  {
    what: 'a PD',
    needs: [],
    make: (bench) => {
      const pd = bench.left.allocPd();
      const uses = [
        () => pd.regMr(new Uint8Array(8), 0),
        () => pd.createQp(qpInit(bench, bench.left)),
        () => pd.createAh({ dgid: gidOf(bench.right, bench.gidIndex) }),
      ];
      return { end: () => pd.dealloc(), uses };
    },
  },
  {
    what: 'a region',
    needs: [],
    make: (bench) => {
      const mr = bench.pd(bench.left).regMr(new Uint8Array(8), 0);
      return { end: () => mr.dereg(), uses: [] };
    },
  },
  {
    what: 'a window',
    needs: ['memoryWindows', 'RC:BIND_MW'],
    make: (bench) => {
      const { a } = bench.pair();
      const mw = a.pd.allocMw();
      const bind = () =>
        a.qp.postSend({
          opcode: 'BIND_MW',
          mw,
          rkey: mw.rkey,
          mr: a.mr,
          addr: a.mr.addr,
          length: 8,
          access: Access.REMOTE_READ,
        });
      return { end: () => mw.dealloc(), uses: [bind] };
    },
  },
  {
    what: 'a CQ',
    needs: ['RC'],
    make: (bench) => {
      const cq = bench.left.createCq({ cqe: 4 });
      const pd = bench.pd(bench.left);
      const uses = [
        () => cq.poll(),
        () => cq.pollInto([]),
        () => cq.reqNotify(),
        () => pd.createQp({ ...qpInit(bench, bench.left), sendCq: cq }),
      ];
      return { end: () => cq.destroy(), uses };
    },
  },
  {
    what: 'a channel',
    needs: [],
    make: (bench) => {
      const channel = bench.left.createCompChannel();
      return {
        end: () => channel.destroy(),
        uses: [() => channel.tryGetCqEvent(), () => bench.left.createCq({ cqe: 1, channel })],
      };
    },
  },
  {
    what: 'a queue pair',
    needs: ['RC'],
    make: (bench) => {
      const { a } = bench.pair();
      const uses = [
        () => a.qp.modify({ state: 'ERR' }),
        () => a.qp.query(),
        () => a.qp.postSend({ opcode: 'SEND' }),
        () => a.qp.postRecv({}),
      ];
      return { end: () => a.qp.destroy(), uses };
    },
  },
  {
    what: 'an SRQ',
    needs: ['srq'],
    make: (bench) => {
      const pd = bench.pd(bench.left);
      const srq = pd.createSrq({ maxWr: 1, maxSge: 1 });
      return {
        end: () => srq.destroy(),
        uses: [
          () => srq.postRecv({}),
          () => srq.setLimit(1),
          () => pd.createQp({ ...qpInit(bench, bench.left), srq }),
        ],
      };
    },
  },
  {
    what: 'an address handle',
    needs: ['UD'],
    make: (bench) => {
      const ah = bench.pd(bench.left).createAh({ dgid: gidOf(bench.right, bench.gidIndex) });
      return { end: () => ah.destroy(), uses: [] };
    },
  },
];

/** Who outlives whom. */
export const lifetimeCases: readonly ContractCase[] = [
  ...DEPENDENCES.map(({ what, needs, make }) =>
    test(`${what} is busy, and free afterwards`, needs, async (bench) => {
      const { destroy, free } = make(bench);
      expectRefused('OBJECT_BUSY', destroy);
      free();
      destroy();
    }),
  ),
  ...MORTALS.map(({ what, needs, make }) =>
    test(`${what} that is gone refuses a second end and every use`, needs, async (bench) => {
      const { end, uses } = make(bench);
      end();
      expectRefused('OBJECT_DESTROYED', end);
      for (const use of uses) expectRefused('OBJECT_DESTROYED', use);
    }),
  ),
  test('destroying a queue pair with requests in flight makes no completions', ['RC:SEND'], async (bench) => {
    const { a } = bench.pair();
    a.qp.postRecv(a.recv(1, 0, 8));
    a.qp.postSend({ opcode: 'SEND', sgList: a.at(0, 8), signaled: true });
    a.qp.destroy();
    await bench.quiet(a.sendCq, a.recvCq);
  }),
  test('a closed device refuses everything but another close', [], async (bench) => {
    const pd = bench.right.allocPd();
    await bench.right.close();
    expectRefused('OBJECT_DESTROYED', () => bench.right.allocPd());
    expectRefused('OBJECT_DESTROYED', () => bench.right.createCq({ cqe: 1 }));
    expectRefused('OBJECT_DESTROYED', () => pd.regMr(new Uint8Array(8), 0));
    await bench.right.close();
  }),
  test('numbers are not given twice while in use', ['RC'], async (bench) => {
    const pd = bench.pd(bench.left);
    const live = new Map<number, QueuePair>();
    for (let at = 0; at < 20; at++) {
      const qp = pd.createQp(qpInit(bench, bench.left));
      expectThat(!live.has(qp.qpNum), `queue pair number ${qp.qpNum} is new`);
      live.set(qp.qpNum, qp);
      if (at % 3 === 0) {
        live.delete(qp.qpNum);
        qp.destroy();
      }
    }
    for (const qp of live.values()) qp.destroy();
  }),
];

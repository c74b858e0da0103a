import { ACCESS_REMOTE, Access } from '../../access.js';
import type { AsyncEventType } from '../../async-event.js';
import type { WcStatus } from '../../work-completion.js';
import { expectBytes, expectEqual } from '../kit/assert.js';
import type { ContractBench, Pair } from '../kit/bench.js';
import { type ContractCase, casesOf } from '../kit/case.js';
import {
  alignedOffset,
  REMOTE_OPERATIONS,
  type RemoteOperation,
  type RemoteTarget,
  remoteRequest,
} from '../operations.js';

/** A way to ask for what the peer must not give. */
interface Fault {
  what: string;
  /** The request that is refused; default: the fault lies in the queue pair alone. */
  target(bench: ContractBench, pair: Pair, operation: RemoteOperation): RemoteTarget;
  /** Whether the queue pair lacks the right, too. */
  flags?(operation: RemoteOperation): number;
  status: WcStatus;
  event: AsyncEventType;
  atomicOnly?: boolean;
}

const REGION_BYTES = 255;
const LENGTH_BYTES = 16;

const access = { status: 'REM_ACCESS_ERR', event: 'QP_ACCESS_ERR' } as const;
const invalid = { status: 'REM_INV_REQ_ERR', event: 'QP_REQ_ERR' } as const;

const FAULTS: readonly Fault[] = [
  {
    what: 'wrong rkey',
    ...access,
    target: (_, { b }) => ({ ...b.target(0), rkey: (b.mr.rkey ^ 0x5a) >>> 0 }),
  },
  {
    what: 'rkey of another protection domain',
    ...access,
    target: (bench, { b }) => {
      const foreign = bench.mr(bench.pd(b.context), b.memory);
      return { remoteAddr: foreign.iova + alignedOffset(foreign.iova), rkey: foreign.rkey };
    },
  },
  {
    what: 'out of bounds by one byte at the end',
    ...access,
    // An atomic must stay aligned: the region's odd length makes its last word one byte too long.
    target: (_, { b }, { atomic }) =>
      b.target(
        atomic
          ? REGION_BYTES - 7 + alignedOffset(b.mr.iova + REGION_BYTES - 7)
          : REGION_BYTES + 1 - LENGTH_BYTES,
      ),
  },
  {
    what: 'out of bounds at the start',
    ...access,
    target: (_, { b }, { atomic }) => b.target(atomic ? alignedOffset(b.mr.iova) - 8 : -1),
  },
  {
    what: 'a region without the right',
    ...access,
    target: (bench, { b }, { right }) => {
      const weak = bench.mr(b.pd, b.memory, Access.LOCAL_WRITE | (ACCESS_REMOTE & ~right));
      return { remoteAddr: weak.iova + alignedOffset(weak.iova), rkey: weak.rkey };
    },
  },
  {
    what: 'a deregistered region',
    ...access,
    target: (bench, { b }) => {
      const gone = bench.mr(b.pd, b.memory);
      const target = { remoteAddr: gone.iova + alignedOffset(gone.iova), rkey: gone.rkey };
      gone.dereg();
      return target;
    },
  },
  {
    what: 'a queue pair without the right',
    ...invalid,
    flags: ({ right }) => ACCESS_REMOTE & ~right,
    target: (_, { b }) => b.target(alignedOffset(b.mr.iova)),
  },
  {
    what: 'a misaligned address',
    ...invalid,
    atomicOnly: true,
    target: (_, { b }) => b.target(alignedOffset(b.mr.iova) + 4),
  },
];

const refused = REMOTE_OPERATIONS.flatMap((operation) =>
  FAULTS.filter(({ atomicOnly }) => operation.atomic || !atomicOnly).map((fault) =>
    casesOf('remote access')(
      `RC ${operation.opcode} with ${fault.what} completes ${fault.status}, changes nothing and moves both sides to ERR`,
      [`RC:${operation.opcode}`],
      async (bench) => {
        const attrB = { qpAccessFlags: fault.flags?.(operation) ?? ACCESS_REMOTE };
        const pair = bench.pair({ b: { memory: REGION_BYTES }, attrB });
        const { a, b } = pair;
        // What a flushed receive holds is not defined: a device that places what comes early may have put the SEND there.
        const { addr, lkey } = bench.mr(b.pd, new Uint8Array(8));
        const target = fault.target(bench, pair, operation);
        const [near, far] = [a.copy(0, 64), b.copy(0, REGION_BYTES)];
        b.qp.postRecv([91, 92].map((wrId) => ({ wrId, sgList: [{ addr, length: 8, lkey }] })));
        a.qp.postSend(
          remoteRequest(operation.opcode, 1, a.at(0, operation.atomic ? 8 : LENGTH_BYTES), target),
        );
        a.qp.postSend({ opcode: 'SEND', wrId: 2, sgList: a.at(0, 8) });
        await bench.refusedByPeer(a.sendCq, 1, fault.status);
        await bench.flushed(a.sendCq, 2);
        expectEqual(a.qp.state, 'ERR', 'state of the requester');
        expectEqual(
          (await bench.event(b.context, fault.event as 'QP_REQ_ERR')).qp,
          b.qp,
          'queue pair of the event',
        );
        expectEqual(b.qp.state, 'ERR', 'state of the responder');
        await bench.flushed(b.recvCq, 91, 92);
        expectBytes(b.memory, far, 'memory of the responder');
        expectBytes(a.bytes(0, 64), near, 'memory of the requester');
      },
    ),
  ),
);

const withinBounds = REMOTE_OPERATIONS.filter(({ atomic }) => !atomic).map(({ opcode }) =>
  casesOf('remote access')(
    `RC ${opcode} of exactly the whole region succeeds`,
    [`RC:${opcode}`],
    async (bench) => {
      const { a, b } = bench.pair({ b: { memory: REGION_BYTES } });
      b.qp.postRecv({});
      a.qp.postSend(remoteRequest(opcode, 1, a.at(0, REGION_BYTES), b.target(0)));
      await bench.succeed(a.sendCq, 1);
      expectBytes(a.bytes(0, REGION_BYTES), b.memory, 'content');
    },
  ),
);

const zeroLength = REMOTE_OPERATIONS.filter(({ atomic }) => !atomic).map(({ opcode }) =>
  casesOf('remote access')(
    `RC ${opcode} of zero bytes succeeds with any rkey and address`,
    [`RC:${opcode}`],
    async (bench) => {
      const { a, b } = bench.pair();
      b.qp.postRecv({});
      a.qp.postSend(remoteRequest(opcode, 1, [], { remoteAddr: 12345, rkey: (b.mr.rkey ^ 0x5a) >>> 0 }));
      await bench.succeed(a.sendCq, 1);
      expectEqual(b.qp.state, 'RTS', 'state of the responder');
    },
  ),
);

/** What a peer may touch: rights, bounds, keys. */
export const remoteAccessCases: readonly ContractCase[] = [
  ...refused,
  ...withinBounds,
  ...zeroLength,
  casesOf('remote access')(
    'taking a right from a queue pair in RTS takes it from the peer',
    ['RC:RDMA_WRITE'],
    async (bench) => {
      const { a, b } = bench.pair();
      b.qp.modify({ qpAccessFlags: Access.REMOTE_READ });
      expectEqual(b.qp.query().qpAccessFlags, Access.REMOTE_READ, 'qpAccessFlags');
      a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 1, sgList: a.at(0, 8), ...b.target(0), signaled: true });
      await bench.refusedByPeer(a.sendCq, 1, 'REM_INV_REQ_ERR');
    },
  ),
];

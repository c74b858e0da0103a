import type { Capabilities, DeviceAttr, Capability } from '../device.js';
import type { Registrable } from '../memory.js';
import type { QpCap, QpType } from '../queue-pair.js';
import type { SendOpcode, SendWr } from '../work-request.js';
import { broken, expectEqual, expectRefused, expectThat } from './kit/assert.js';
import type { ContractBench } from './kit/bench.js';
import { type ContractCase, casesOf } from './kit/case.js';

const test = casesOf('device');
const TRANSPORTS: readonly QpType[] = ['RC', 'UC', 'UD'];

/** The operations that each transport has by the specification. */
const OPCODES: Readonly<Record<QpType, readonly SendOpcode[]>> = {
  RC: [
    'SEND',
    'SEND_WITH_IMM',
    'SEND_WITH_INV',
    'RDMA_WRITE',
    'RDMA_WRITE_WITH_IMM',
    'RDMA_READ',
    'ATOMIC_CMP_AND_SWP',
    'ATOMIC_FETCH_AND_ADD',
    'LOCAL_INV',
    'REG_MR',
    'BIND_MW',
    'WAIT',
    'ENABLE',
  ],
  UC: ['SEND', 'SEND_WITH_IMM', 'RDMA_WRITE', 'RDMA_WRITE_WITH_IMM'],
  UD: ['SEND', 'SEND_WITH_IMM'],
};

/** How a program would use a feature, whether it is there or not. */
const USES: Readonly<Partial<Record<Capability, (bench: ContractBench) => unknown>>> = {
  srq: (bench) => bench.srq(bench.pd(bench.left)),
  memoryWindows: (bench) => bench.mw(bench.pd(bench.left)),
  fastRegistration: (bench) => bench.fastMr(bench.pd(bench.left), 4096),
  crossChannel: (bench) => bench.end(bench.left, { managedSend: true }),
  cqResize: (bench) => bench.cq(bench.left).resize(128),
  unbackedMemory: (bench) => register(bench, { lengthBytes: 4096 }),
  connectionManager: (bench) => bench.manager(bench.left),
  placements: (bench) => register(bench, new Uint8Array(8), somePlace(bench)),
  queuePlacements: (bench) => bench.cq(bench.left, { placement: somePlace(bench) }),
};

function somePlace(bench: ContractBench): string {
  return bench.left.placements()[0] ?? 'socket0';
}

function register(bench: ContractBench, memory: Registrable, placement?: string): void {
  bench.pd(bench.left).regMr(memory, 0, { placement }).dereg();
}

/** Send requests of operations that a provider may lack on a transport that has them. */
function requestOf(bench: ContractBench, type: QpType, opcode: SendOpcode): () => void {
  const { a, b } = bench.pair({ type });
  const route = type === 'UD' ? bench.route(a, b) : {};
  const fields = {
    sgList: a.at(0, 8),
    ...b.target(0),
    immData: 0,
    compareAdd: 0n,
    swap: 0n,
    invalidateRkey: 0,
  };
  const wr = {
    opcode,
    ...fields,
    ...route,
    cq: a.sendCq,
    qp: a.qp,
    count: 0,
    mr: a.mr,
    key: 0,
    memory: a.memory,
    access: 0,
  };
  return () => a.qp.postSend(wr as unknown as SendWr);
}

/** Capacities that no queue pair has. */
const BAD_CAPS: readonly (readonly [keyof QpCap, (device: DeviceAttr) => number])[] = [
  ['maxSendWr', ({ maxQpWr }) => maxQpWr + 1],
  ['maxRecvWr', ({ maxQpWr }) => maxQpWr + 1],
  ['maxSendSge', ({ maxSge }) => maxSge + 1],
  ['maxRecvSge', ({ maxSge }) => maxSge + 1],
  ['maxInlineData', ({ maxInlineData }) => maxInlineData + 1],
];

/** Names of the limits; every one is a whole number. */
const LIMITS: readonly (keyof DeviceAttr)[] = [
  'maxQp',
  'maxQpWr',
  'maxSge',
  'maxSgeRd',
  'maxCq',
  'maxCqe',
  'maxMr',
  'maxMrBytes',
  'maxMw',
  'maxPd',
  'maxAh',
  'maxSrq',
  'maxSrqWr',
  'maxSrqSge',
  'maxQpRdAtom',
  'maxQpInitRdAtom',
  'maxInlineData',
  'maxMessageBytes',
  'physPortCnt',
];

function reasonOf(capabilities: Capabilities, name: string): string {
  return capabilities.reasons[name] ?? broken(`no reason is given for the missing ${name}`);
}

/** What a device says about itself. */
export const deviceCases: readonly ContractCase[] = [
  test('queryDevice gives whole numbers', [], async (bench) => {
    const device = bench.left.queryDevice();
    for (const name of LIMITS)
      expectThat(Number.isSafeInteger(device[name]) && device[name] >= 0, `${name} is a whole number`);
    expectThat(
      device.maxQp > 0 && device.maxQpWr > 0 && device.maxCqe > 0 && device.physPortCnt > 0,
      'a device has queues and a port',
    );
  }),
  test('queryPort tells state and MTU; there is no port 0 and none beyond the last', [], async (bench) => {
    const port = bench.left.queryPort(1);
    expectEqual(port.state, 'ACTIVE', 'state');
    expectThat(
      [256, 512, 1024, 2048, 4096].includes(port.activeMtu) && port.activeMtu <= port.maxMtu,
      'activeMtu is an MTU',
    );
    for (const number of [0, bench.left.queryDevice().physPortCnt + 1, 1.5])
      expectRefused('OUT_OF_RANGE', () => bench.left.queryPort(number));
  }),
  test('queryGid gives a GID for every row, of its own on every device', [], async (bench) => {
    const rows = bench.left.queryPort(1).gidTableLength;
    for (let row = 0; row < Math.min(rows, 8); row++)
      expectThat(bench.left.queryGid(1, row).includes(':'), 'a GID is in IPv6 notation');
    expectThat(
      bench.left.queryGid(1, bench.gidIndex) !== bench.right.queryGid(1, bench.gidIndex),
      'two devices have two GIDs',
    );
    for (const row of [-1, rows, 0.5]) expectRefused('OUT_OF_RANGE', () => bench.left.queryGid(1, row));
  }),
  test('a transport said to be missing is refused with a reason', [], async (bench) => {
    for (const type of TRANSPORTS) {
      const said = bench.left.capabilities.transports.includes(type);
      if (said) bench.end(bench.left, { qpType: type });
      else expectRefused('UNSUPPORTED', () => bench.end(bench.left, { qpType: type }));
      if (!said) reasonOf(bench.left.capabilities, type);
    }
  }),
  test(
    'a feature said to be missing is refused with a reason, one said to be there is granted',
    [],
    async (bench) => {
      for (const [name, use] of Object.entries(USES)) {
        const said = bench.left.capabilities[name as Capability];
        if (said) use(bench);
        else expectRefused('UNSUPPORTED', () => use(bench));
        if (!said) reasonOf(bench.left.capabilities, name);
      }
    },
  ),
  test('an operation said to be missing is refused with a reason', [], async (bench) => {
    for (const type of bench.left.capabilities.transports) {
      for (const opcode of OPCODES[type]) {
        if (bench.left.capabilities.sendOpcodes[type].includes(opcode)) continue;
        expectRefused('UNSUPPORTED', requestOf(bench, type, opcode));
        reasonOf(bench.left.capabilities, opcode);
      }
    }
  }),
  test('no transport claims an operation that the specification does not give it', [], async (bench) => {
    for (const type of bench.left.capabilities.transports) {
      const moving = bench.left.capabilities.sendOpcodes[type].filter(
        (opcode) => OPCODES.RC.indexOf(opcode) < 8,
      );
      for (const opcode of moving) expectThat(OPCODES[type].includes(opcode), `${type} claims ${opcode}`);
    }
  }),
  test('placements are empty where there are none', [], async (bench) => {
    expectEqual(
      bench.left.placements().length > 0,
      bench.left.capabilities.placements,
      'whether there are places',
    );
  }),
  ...BAD_CAPS.flatMap(([name, beyond]) =>
    test(
      `a queue pair with ${name} beyond the device, negative or fractional is refused`,
      ['RC'],
      async (bench) => {
        const limit = beyond(bench.left.queryDevice());
        for (const bad of [limit, -1, 1.5, Number.NaN]) {
          expectRefused('OUT_OF_RANGE', () => bench.end(bench.left, { cap: { [name]: bad } }), {
            field: `cap.${name}`,
          });
        }
      },
    ),
  ),
  test('a queue pair is granted at least what it asked for', ['RC'], async (bench) => {
    const cap = {
      maxSendWr: 5,
      maxRecvWr: 6,
      maxSendSge: 2,
      maxRecvSge: 3,
      maxInlineData: Math.min(20, bench.left.queryDevice().maxInlineData),
    };
    const { qp } = bench.end(bench.left, { cap });
    for (const name of Object.keys(cap) as (keyof QpCap)[])
      expectThat(qp.cap[name] >= cap[name], `${name} is granted`);
  }),
  test('an SRQ beyond the device, negative or fractional is refused', ['srq'], async (bench) => {
    const pd = bench.pd(bench.left);
    const { maxSrqWr, maxSrqSge } = bench.left.queryDevice();
    for (const maxWr of [0, -1, 1.5, maxSrqWr + 1])
      expectRefused('OUT_OF_RANGE', () => pd.createSrq({ maxWr, maxSge: 1 }));
    for (const maxSge of [-1, 1.5, maxSrqSge + 1])
      expectRefused('OUT_OF_RANGE', () => pd.createSrq({ maxWr: 1, maxSge }));
  }),
  test('the clock never goes back, and sleep lets at least that time pass', [], async (bench) => {
    for (const { clock } of [bench.left, bench.right]) {
      let last = clock.nowNs;
      for (const sleepNs of [0, 1, 1000, 1e6]) {
        await clock.sleep(sleepNs);
        expectThat(clock.nowNs >= last + sleepNs, `${sleepNs} ns passed`);
        last = clock.nowNs;
      }
    }
  }),
  test('counters are numbers by name', ['RC:RDMA_WRITE'], async (bench) => {
    const { a, b } = bench.pair();
    a.qp.postSend({ opcode: 'RDMA_WRITE', wrId: 1, sgList: a.at(0, 100), ...b.target(0), signaled: true });
    await bench.succeed(a.sendCq, 1);
    const counters = Object.entries(bench.left.counters());
    expectThat(counters.length > 0, 'a device counts something');
    for (const [name, value] of counters)
      expectThat(name.length > 0 && Number.isFinite(value) && value >= 0, `${name} is a number`);
  }),
  test('getAsyncEvent waits for the event', ['RC'], async (bench) => {
    const { a } = bench.pair();
    const waiting = bench.left.getAsyncEvent();
    a.qp.modify({ state: 'SQD', enSqdAsyncNotify: true });
    const event = await bench.settle('the event comes', waiting);
    expectEqual(event.type, 'SQ_DRAINED', 'async event');
  }),
  test('getAsyncEvent ends with an abort, and takes no event with it', ['RC'], async (bench) => {
    const { a } = bench.pair();
    const abort = new AbortController();
    const waiting = bench.left.getAsyncEvent(abort.signal).then(
      () => 'event',
      () => 'aborted',
    );
    await bench.left.clock.sleep(1000);
    abort.abort();
    expectEqual(await bench.settle('the wait ends', waiting), 'aborted', 'outcome of the wait');
    a.qp.modify({ state: 'SQD', enSqdAsyncNotify: true });
    await bench.event(bench.left, 'SQ_DRAINED');
  }),
];

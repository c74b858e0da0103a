import { Access } from '../../../src/verbs/index.js';
import { type CaseBench, check, pattern } from '../bench.js';
import type { GuestCompletion } from '../guest-agent.js';
import type { InteropCase } from './case.js';

const GROUP = 'RC verbs, contents compared';
/** Ten packets of 1024 bytes and a rest that is no multiple of four. */
const BYTES = 10_243;

function isGood(completion: { status: string } | undefined, what: string): void {
  check(completion?.status === 'SUCCESS', `${what} ended with ${completion?.status ?? 'nothing'}`);
}

function fromKelpie(name: string, run: InteropCase['run']): InteropCase {
  return { group: GROUP, name, requester: 'Kelpie', run };
}

function fromLinux(name: string, run: InteropCase['run']): InteropCase {
  return { group: GROUP, name, requester: 'Linux', run };
}

/** The counter that an atomic works on, at the start of a memory. */
function atomicBytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}

const START = 0x1122_3344_5566_7788n;
const OTHER = 0x0102_0304_0506_0708n;

async function kelpieAtomic(bench: CaseBench, swap: boolean): Promise<void> {
  const pair = await bench.pair();
  const { addr, rkey } = pair.guest;
  // The guest's region gets its first value by a WRITE.
  pair.memory.set(atomicBytes(START));
  isGood(
    await pair.request({ opcode: 'RDMA_WRITE', sgList: pair.at(0, 8), remoteAddr: addr, rkey }),
    'the WRITE before',
  );
  const common = { sgList: pair.at(64, 8), remoteAddr: addr, rkey, compareAdd: swap ? START : OTHER };
  const request = swap
    ? ({ ...common, opcode: 'ATOMIC_CMP_AND_SWP', swap: OTHER } as const)
    : ({ ...common, opcode: 'ATOMIC_FETCH_AND_ADD' } as const);
  isGood(await pair.request(request), 'the atomic');
  pair.holds(64, atomicBytes(START));
  await pair.guestHolds(0, atomicBytes(swap ? OTHER : START + OTHER));
}

async function linuxAtomic(bench: CaseBench, swap: boolean): Promise<void> {
  const pair = await bench.pair();
  pair.memory.set(atomicBytes(START));
  const completion = await pair.guestRequest({
    opcode: swap ? 'ATOMIC_CMP_AND_SWP' : 'ATOMIC_FETCH_AND_ADD',
    offset: 64,
    length: 8,
    remote: pair.region.iova,
    rkey: pair.region.rkey,
    compare_add: String(swap ? START : OTHER),
    swap: String(OTHER),
  });
  isGood(completion, 'the atomic');
  pair.holds(0, atomicBytes(swap ? OTHER : START + OTHER));
  await pair.guestHolds(64, atomicBytes(START));
}

/** SEND and SEND with immediate or invalidation, from Kelpie. */
async function kelpieSend(bench: CaseBench, imm: number | null): Promise<void> {
  const pair = await bench.pair();
  const data = pattern(1, BYTES);
  pair.memory.set(data);
  await pair.call('receive', { offset: 4096, length: BYTES });
  const sgList = pair.at(0, BYTES);
  const completion = await pair.request(
    imm === null ? { opcode: 'SEND', sgList } : { opcode: 'SEND_WITH_IMM', sgList, immData: imm },
  );
  isGood(completion, 'the SEND');
  const [received] = await pair.guestPoll(1);
  isGood(received, "the guest's receive");
  check(
    received.bytes === BYTES && received.imm === imm,
    `the guest got ${received.bytes} bytes, ${received.imm}`,
  );
  await pair.guestHolds(4096, data);
}

async function linuxSend(bench: CaseBench, imm: number | null): Promise<void> {
  const pair = await bench.pair();
  const data = pattern(2, BYTES);
  await pair.call('fill', { seed: 2, length: BYTES });
  pair.qp.postRecv({ wrId: 1, sgList: pair.at(4096, BYTES) });
  const opcode = imm === null ? 'SEND' : 'SEND_WITH_IMM';
  isGood(await pair.guestRequest({ opcode, length: BYTES, imm: imm ?? 0 }), 'the SEND');
  const [received] = await pair.completions(1);
  isGood(received, 'the receive');
  check(received.byteLen === BYTES && received.withImm === (imm !== null), `${received.byteLen} bytes came`);
  if (imm !== null) check(received.immData === imm, `the immediate is ${received.immData.toString(16)}`);
  pair.holds(4096, data);
}

async function kelpieWrite(bench: CaseBench, imm: number | null): Promise<void> {
  const pair = await bench.pair();
  const data = pattern(3, BYTES);
  pair.memory.set(data);
  if (imm !== null) await pair.call('receive', { length: 0 });
  const common = { sgList: pair.at(0, BYTES), remoteAddr: pair.guest.addr + 4096, rkey: pair.guest.rkey };
  const completion = await pair.request(
    imm === null
      ? { ...common, opcode: 'RDMA_WRITE' }
      : { ...common, opcode: 'RDMA_WRITE_WITH_IMM', immData: imm },
  );
  isGood(completion, 'the WRITE');
  if (imm !== null) {
    const [received] = await pair.guestPoll(1);
    isGood(received, "the guest's receive");
    check(received.imm === imm, `the immediate is ${received.imm}`);
  }
  await pair.guestHolds(4096, data);
}

async function linuxWrite(bench: CaseBench, imm: number | null): Promise<void> {
  const pair = await bench.pair();
  const data = pattern(4, BYTES);
  await pair.call('fill', { seed: 4, length: BYTES });
  if (imm !== null) pair.qp.postRecv({ wrId: 1, sgList: [] });
  const completion = await pair.guestRequest({
    opcode: imm === null ? 'RDMA_WRITE' : 'RDMA_WRITE_WITH_IMM',
    length: BYTES,
    imm: imm ?? 0,
    remote: pair.region.iova + 4096,
    rkey: pair.region.rkey,
  });
  isGood(completion, 'the WRITE');
  if (imm !== null) {
    const [received] = await pair.completions(1);
    isGood(received, 'the receive');
    check(
      received.immData === imm && received.byteLen === BYTES,
      `${received.immData} with ${received.byteLen}`,
    );
  }
  pair.holds(4096, data);
}

/** A window in the guest, and a SEND that takes it away: a WRITE through it works before and is refused after. */
async function kelpieInvalidates(bench: CaseBench): Promise<{ received: GuestCompletion; rkey: number }> {
  const pair = await bench.pair();
  const { rkey } = (await pair.call('bind', { length: 4096 })) as { rkey: number };
  isGood((await pair.guestPoll(1))[0], 'the bind');
  const write = { opcode: 'RDMA_WRITE', sgList: pair.at(0, 8), remoteAddr: pair.guest.addr, rkey } as const;
  isGood(await pair.request(write), 'the WRITE through the window');
  await pair.call('receive', { offset: 4096, length: 64 });
  isGood(
    await pair.request({ opcode: 'SEND_WITH_INV', sgList: pair.at(0, 16), invalidateRkey: rkey }),
    'the SEND with invalidate',
  );
  const [received] = await pair.guestPoll(1);
  isGood(received, "the guest's receive");
  const after = await pair.request(write);
  check(
    after.status === 'REM_ACCESS_ERR',
    `a WRITE through a window that is gone ended with ${after.status}`,
  );
  return { received, rkey };
}

/** libibverbs' bit for 'the message invalidated a key'. */
const WITH_INV = 1 << 3;
/** The kernel's own bit for the same, which libibverbs reads as 'the IP checksum is right'. */
const KERNEL_WITH_INVALIDATE = 1 << 2;

const toldOfInvalidation: InteropCase = {
  group: GROUP,
  name: "SEND with invalidate, Linux' completion tells of it",
  requester: 'Kelpie',
  kernelFault:
    'rxe hands the kernel’s own flag (IB_WC_WITH_INVALIDATE, 4) to user space, which reads it as IBV_WC_IP_CSUM_OK; IBV_WC_WITH_INV is 8 (rxe_resp.c, do_complete). The key itself is there and the window is gone, which the row before shows.',
  async run(bench) {
    const { received, rkey } = await kelpieInvalidates(bench);
    check(received.data === rkey, `the completion names the key ${received.data.toString(16)}`);
    const kernels = (received.flags & KERNEL_WITH_INVALIDATE) !== 0 ? ", the kernel's bit is set" : '';
    check((received.flags & WITH_INV) !== 0, `the flags are ${received.flags}${kernels}`);
  },
};

async function linuxInvalidates(bench: CaseBench): Promise<void> {
  const pair = await bench.pair();
  const window = pair.pd.allocMw();
  const access = Access.REMOTE_WRITE;
  const { addr } = pair.region;
  const rkey = ((window.rkey & ~0xff) | ((window.rkey + 1) & 0xff)) >>> 0;
  isGood(
    await pair.request({
      opcode: 'BIND_MW',
      mw: window,
      rkey,
      mr: pair.region,
      addr,
      length: 4096,
      access,
    }),
    'the bind',
  );
  const write = { opcode: 'RDMA_WRITE', length: 8, remote: addr, rkey };
  isGood(await pair.guestRequest(write), 'the WRITE through the window');
  pair.qp.postRecv({ wrId: 1, sgList: pair.at(4096, 64) });
  isGood(await pair.guestRequest({ opcode: 'SEND_WITH_INV', length: 16, invalidate: rkey }), 'the SEND');
  const [received] = await pair.completions(1);
  check(received.withInv && received.invalidatedRkey === rkey, 'the receive tells of no invalidation');
  const after = await pair.guestRequest(write);
  check(
    after.status === 'REM_ACCESS_ERR',
    `a WRITE through a window that is gone ended with ${after.status}`,
  );
}

/** Every verb of RC, from both sides. */
export const verbCases: readonly InteropCase[] = [
  fromKelpie('SEND', (bench) => kelpieSend(bench, null)),
  fromLinux('SEND', (bench) => linuxSend(bench, null)),
  fromKelpie('SEND with immediate', (bench) => kelpieSend(bench, 0x8badf00d)),
  fromLinux('SEND with immediate', (bench) => linuxSend(bench, 0x8badf00d)),
  fromKelpie('SEND with invalidate', async (bench) => void (await kelpieInvalidates(bench))),
  toldOfInvalidation,
  fromLinux('SEND with invalidate', linuxInvalidates),
  fromKelpie('RDMA WRITE', (bench) => kelpieWrite(bench, null)),
  fromLinux('RDMA WRITE', (bench) => linuxWrite(bench, null)),
  fromKelpie('RDMA WRITE with immediate', (bench) => kelpieWrite(bench, 0xcafe0001)),
  fromLinux('RDMA WRITE with immediate', (bench) => linuxWrite(bench, 0xcafe0001)),
  fromKelpie('RDMA READ', async (bench) => {
    const pair = await bench.pair();
    await pair.call('fill', { seed: 5, length: BYTES, offset: 512 });
    const { addr, rkey } = pair.guest;
    const sgList = pair.at(100, BYTES);
    isGood(await pair.request({ opcode: 'RDMA_READ', sgList, remoteAddr: addr + 512, rkey }), 'the READ');
    pair.holds(100, pattern(5, BYTES));
  }),
  fromLinux('RDMA READ', async (bench) => {
    const pair = await bench.pair();
    const data = pattern(6, BYTES);
    pair.memory.set(data, 512);
    const remote = pair.region.iova + 512;
    const options = { opcode: 'RDMA_READ', length: BYTES, offset: 100, remote, rkey: pair.region.rkey };
    isGood(await pair.guestRequest(options), 'the READ');
    await pair.guestHolds(100, data);
  }),
  fromKelpie('FETCH AND ADD', (bench) => kelpieAtomic(bench, false)),
  fromLinux('FETCH AND ADD', (bench) => linuxAtomic(bench, false)),
  fromKelpie('COMPARE AND SWAP', (bench) => kelpieAtomic(bench, true)),
  fromLinux('COMPARE AND SWAP', (bench) => linuxAtomic(bench, true)),
];

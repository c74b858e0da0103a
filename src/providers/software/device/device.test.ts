import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { IcrcFlow, type Link } from '../../../link/index.js';
import { FaultPlan, faults } from '../../../link/middleware/index.js';
import {
  ACCESS_REMOTE,
  Access,
  connectRcPair,
  type RcEnd,
  type SendWr,
  waitForCompletions,
} from '../../../verbs/index.js';
import { crc32Update, OPCODE, writeIcrc } from '../../../wire/index.js';
import { openUdpLink } from '../link/open-link.js';
import { loopbackAddress } from '../loopback-address.js';
import { type SoftwareContext, type SoftwareOptions, SoftwareProvider } from '../provider.js';

const closing: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((each) => each.close()));
});

async function open(index: number, options: SoftwareOptions = {}): Promise<SoftwareContext> {
  const context = await new SoftwareProvider(options).open(loopbackAddress(index));
  closing.push(context);
  return context;
}

/** Two connected ends with memory that may be read and written, and what one writes to the other. */
async function pair(
  options: SoftwareOptions = {},
  memory: Uint8Array[] = [new Uint8Array(65536), new Uint8Array(65536)],
) {
  const contexts = [await open(21, options), await open(22)];
  return { contexts, ...joined(contexts, memory) };
}

function joined(contexts: SoftwareContext[], memory: Uint8Array[]) {
  const [a, b] = connectRcPair(contexts[0], contexts[contexts.length - 1]);
  const source = a.pd.regMr(memory[0], Access.LOCAL_WRITE);
  const target = b.pd.regMr(memory[1], Access.LOCAL_WRITE | ACCESS_REMOTE);
  const write = (bytes: number): SendWr => ({
    opcode: 'RDMA_WRITE',
    wrId: 1,
    sgList: [{ addr: source.addr, length: bytes, lkey: source.lkey }],
    remoteAddr: target.iova,
    rkey: target.rkey,
    signaled: true,
  });
  return { a, b, source, target, write };
}

async function succeed(end: RcEnd): Promise<void> {
  const [completion] = await waitForCompletions(end.sendCq);
  expect(completion.status).toBe('SUCCESS');
}

/** A link of one's own that sends crafted datagrams to a device and waits until it has counted them. */
class Stranger {
  readonly link: Link;

  constructor(link: Link) {
    this.link = link;
    link.start({ received() {}, writable() {}, failed() {} });
    closing.push(link);
  }

  static async open(index: number): Promise<Stranger> {
    return new Stranger(await openUdpLink({ address: loopbackAddress(index) }));
  }

  async send(to: SoftwareContext, ...datagrams: Uint8Array[]): Promise<void> {
    const before = to.counters()['rx_packets'];
    const gid = to.software.link.gids[0];
    const batch = this.link.createBatch(datagrams.length, 1 << 16);
    for (const datagram of datagrams) {
      const at = batch.open(datagram.length);
      batch.bytes.set(datagram, at);
      batch.commit(at + datagram.length, new Uint32Array(gid.slice().buffer), 0);
    }
    this.link.send(batch, 0);
    while (to.counters()['rx_packets'] < before + datagrams.length) await to.clock.sleep(1000);
  }

  /** An RC WRITE ONLY of four bytes, sealed as from this link. */
  write(to: SoftwareContext, qpn: number, addr: number, rkey: number, psn: number): Uint8Array {
    const bytes = new Uint8Array(12 + 16 + 4 + 4);
    const view = new DataView(bytes.buffer);
    bytes[0] = OPCODE.RC_WRITE_ONLY;
    view.setUint16(2, 0xffff);
    view.setUint32(4, qpn);
    view.setUint32(8, (0x80000000 | psn) >>> 0);
    view.setBigUint64(12, BigInt(addr));
    view.setUint32(20, rkey);
    view.setUint32(24, 4);
    bytes.fill(0xee, 28, 32);
    return this.seal(to, bytes);
  }

  seal(to: SoftwareContext, bytes: Uint8Array): Uint8Array {
    const flow = new IcrcFlow(this.link.port, crc32Update);
    flow.set(this.link.gids[0], to.software.link.gids[0], this.link.sourcePort);
    writeIcrc(bytes, bytes.length - 4, flow.icrcOf(bytes, 0, bytes.length - 4));
    return bytes;
  }
}

describe('a software device', () => {
  it('writes between SharedArrayBuffers', async () => {
    const memory = [0, 1].map(() => new Uint8Array(new SharedArrayBuffer(65536)));
    memory[0].forEach((_, at) => {
      memory[0][at] = at * 7;
    });
    const { a, write } = await pair({}, memory);
    a.qp.postSend(write(65536));
    await succeed(a);
    expect(Buffer.compare(memory[0], memory[1])).toBe(0);
  });

  it('talks over node:dgram alone, and says what that cannot do', async () => {
    const contexts = [await open(21, { link: 'dgram' }), await open(22, { link: 'dgram' })];
    const memory = [new Uint8Array(65536).fill(9), new Uint8Array(65536)];
    const { a, write } = joined(contexts, memory);
    a.qp.postSend(write(65536));
    await succeed(a);
    expect(memory[1].every((byte) => byte === 9)).toBe(true);
    expect(contexts[0].software.link.abilities.limits.join()).toMatch(/dgram.*ECN.*identification/);
  });

  it('talks over IPv6 with itself, and checks ICRCs in full', async (test) => {
    const six = Object.values(networkInterfaces())
      .flat()
      .some((each) => each?.address === '::1');
    if (!six) test.skip('no IPv6 here');
    const context = await new SoftwareProvider({ socket: { port: 20000 + (process.pid % 20000) } }).open(
      '::1',
    );
    closing.push(context);
    const memory = [new Uint8Array(20000).fill(5), new Uint8Array(20000)];
    const { a, write } = joined([context], memory);
    a.qp.postSend(write(20000));
    await succeed(a);
    expect(memory[1].every((byte) => byte === 5)).toBe(true);
    expect(context.software.link.abilities.icrc.ipv6).toBe('full');
    expect(context.counters()['rx_bad_icrc']).toBe(0);
  });

  it('hears nobody but the peer of a queue pair, even with every number right', async () => {
    const { b, target, contexts } = await pair();
    const stranger = await Stranger.open(23);
    const [, right] = contexts;
    const psn = b.qp.query().rqPsn as number;
    await stranger.send(right, stranger.write(right, b.qp.qpNum, target.iova, target.rkey, psn));
    expect(right.counters()).toMatchObject({ rx_stranger: 1, rx_write_requests: 0 });
    expect((target.memory as Uint8Array).every((byte) => byte === 0)).toBe(true);
  });

  it('counts what does not hold, and answers nothing', async () => {
    const { b, target, contexts } = await pair();
    const [, right] = contexts;
    const stranger = await Stranger.open(23);
    const write = () => stranger.write(right, b.qp.qpNum, target.iova, target.rkey, 1);
    const unknown = write();
    unknown[7] ^= 0x40;
    const foreign = write();
    foreign[2] = 0x12;
    const truncated = write().subarray(0, 17);
    const opcode = write();
    opcode[0] = 0x3f;
    await stranger.send(right, unknown, foreign, truncated, opcode, new Uint8Array(400).fill(0xff));
    expect(right.counters()).toMatchObject({ rx_unknown_qp: 1, rx_bad_partition_key: 1, rx_malformed: 3 });
    expect(right.counters()['tx_packets']).toBe(0);
  });

  it('drops what was damaged on the way, and delivers it in the end', async () => {
    const plan = new FaultPlan({ rates: { corruption: 0.1 }, seed: 5 });
    const wrapLink = faults(plan, (delayNs, task) => setTimeout(task, delayNs / 1e6));
    const memory = [new Uint8Array(400_000), new Uint8Array(400_000)];
    memory[0].forEach((_, at) => {
      memory[0][at] = at * 11;
    });
    const { a, write, contexts } = await pair({ wrapLink }, memory);
    a.qp.postSend(write(400_000));
    await succeed(a);
    expect(Buffer.compare(memory[0], memory[1])).toBe(0);
    expect(plan.struck.corrupt).toBeGreaterThan(3);
    const refused = (context: SoftwareContext) => {
      const { rx_bad_icrc, rx_malformed, rx_unknown_qp, rx_bad_partition_key } = context.counters();
      return rx_bad_icrc + rx_malformed + rx_unknown_qp + rx_bad_partition_key;
    };
    // What was sent again may still be under way.
    while (refused(contexts[0]) + refused(contexts[1]) < plan.struck.corrupt)
      await contexts[0].clock.sleep(1e6);
    expect(refused(contexts[0]) + refused(contexts[1])).toBe(plan.struck.corrupt);
  });

  it('tells a sender of congestion, and the sender slows down', async () => {
    const plan = new FaultPlan({ rates: { marking: 1 } });
    const wrapLink = faults(plan, (delayNs, task) => setTimeout(task, delayNs / 1e6));
    const contexts = [
      await open(21, { congestion: 'dcqcn', wrapLink }),
      await open(22, { congestion: 'dcqcn' }),
    ];
    const { a, write } = joined(contexts, [new Uint8Array(65536), new Uint8Array(65536)]);
    for (let message = 0; message < 4; message++) {
      a.qp.postSend(write(65536));
      await succeed(a);
    }
    expect(contexts[1].counters()['np_ecn_marked_roce_packets']).toBeGreaterThan(0);
    expect(contexts[1].counters()['np_cnp_sent']).toBeGreaterThan(0);
    expect(contexts[0].counters()['rp_cnp_handled']).toBeGreaterThan(0);
  });

  it('sends ECN-capable packets with DCQCN, and what the program says without', async () => {
    for (const [congestion, expected] of [
      ['dcqcn', 2],
      ['none', 0],
    ] as const) {
      const context = await open(24, { congestion });
      const seen: number[] = [];
      const listener = await openUdpLink({ address: loopbackAddress(25) });
      listener.start({
        received: (batch) => void seen.push(batch.trafficClass[0]),
        writable() {},
        failed() {},
      });
      const pd = context.allocPd();
      const cq = context.createCq({ cqe: 4 });
      const qp = pd.createQp({ qpType: 'UC', sendCq: cq, recvCq: cq, cap: { maxInlineData: 16 } });
      qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: 0 });
      const ahAttr = { dgid: `::ffff:${loopbackAddress(25)}`, sgidIndex: 0 };
      qp.modify({ state: 'RTR', ahAttr, pathMtu: 1024, destQpNum: 77, rqPsn: 0 });
      qp.modify({ state: 'RTS', sqPsn: 0 });
      qp.postSend({ opcode: 'SEND', sgList: [], inlineData: new Uint8Array(8) });
      while (seen.length === 0) await context.clock.sleep(1000);
      expect(seen).toEqual([expected]);
      await listener.close();
      await context.close();
    }
  });

  it('gives every device other keys', async () => {
    const contexts = await Promise.all([21, 22, 23].map((index) => open(index)));
    const keys = contexts.flatMap((context) => {
      const pd = context.allocPd();
      return Array.from({ length: 8 }, () => pd.regMr(new Uint8Array(64), ACCESS_REMOTE | 1).rkey);
    });
    expect(new Set(keys).size).toBe(keys.length);
    const steps = new Set(keys.slice(1).map((key, index) => key - keys[index]));
    expect(steps.size).toBeGreaterThan(keys.length - 4);
  });

  it('ends with requests under way, and the other side finds its retries exhausted', async () => {
    const { a, write, contexts } = await pair();
    await contexts[1].close();
    a.qp.postSend(write(65536));
    const [completion] = await waitForCompletions(a.sendCq);
    expect(completion.status).toBe('RETRY_EXC_ERR');
  });

  it('has no more under way than a small socket buffer holds, whatever the number of queue pairs', async () => {
    const options = { socket: { receiveBufferBytes: 106_496 } };
    const contexts = [await open(21, options), await open(22, options)];
    const memory = [new Uint8Array(262_144).fill(3), new Uint8Array(262_144)];
    const ends = Array.from({ length: 12 }, () => joined(contexts, memory));
    for (const { a, write } of ends) a.qp.postSend([write(262_144), write(262_144)]);
    for (const { a } of ends) {
      const completions = await waitForCompletions(a.sendCq, { count: 2 });
      expect(completions.map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS']);
    }
    expect(contexts[1].counters()['out_of_sequence']).toBe(0);
    expect(memory[1].every((byte) => byte === 3)).toBe(true);
  });

  it('is refused where its options are out of range', () => {
    for (const windowPackets of [0, -1, 1.5, 1e9])
      expect(() => new SoftwareProvider({ windowPackets })).toThrow(/windowPackets/);
  });

  it('lists the addresses of the machine', async () => {
    const devices = await new SoftwareProvider().listDevices();
    expect(devices.map(({ name }) => name)).toContain('127.0.0.1');
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LinkAround } from '../../link/index.js';
import { cmLimits, GSI_QKEY, GSI_QPN, Urgency } from '../../transport/cm/index.js';
import { Access, type Connection, type ConnectionManager, waitForCompletions } from '../../verbs/index.js';
import { MAD_BYTES } from '../../wire/index.js';
import { SoftwareManagement } from './management.js';
import type { ManagementDatagram } from './packets/inbox.js';
import { type SoftwareContext, SoftwareProvider } from './provider.js';

const provider = new SoftwareProvider({ connectionLimits: { timewaitNs: 1e6 } });
/** A side that never hears of an end waits forever: the test's own limit says so. */
const ENDS_MS = 10_000;
const ADDRESSES = ['127.0.7.1', '127.0.7.2'];
let contexts: SoftwareContext[] = [];
let managers: ConnectionManager[] = [];

beforeAll(async () => {
  contexts = await Promise.all(ADDRESSES.map((address) => provider.open(address)));
  managers = contexts.map((context) => context.createConnectionManager());
});

afterAll(async () => {
  for (const manager of managers) manager.close();
  await Promise.all(contexts.map((context) => context.close()));
});

function end(side: number) {
  const context = contexts[side];
  const pd = context.allocPd();
  const cq = context.createCq({ cqe: 16 });
  const memory = new Uint8Array(64);
  const region = pd.regMr(memory, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  const cap = { maxSendWr: 4, maxRecvWr: 4, maxSendSge: 1, maxRecvSge: 1 };
  const qp = pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap });
  return { pd, cq, memory, region, qp };
}

/** The next CM_FAULT of a device; other events are let go. */
async function nextFault(context: SoftwareContext) {
  for (;;) {
    const event = await context.getAsyncEvent(AbortSignal.timeout(2000));
    if (event.type === 'CM_FAULT') return event;
  }
}

describe('two programs', () => {
  it('connect, send, and disconnect, with private data both ways', async () => {
    const [client, server] = [end(0), end(1)];
    const accepted = new Promise<Connection>((resolve) => {
      const listener = managers[1].listen(7174, (request) => {
        listener.close();
        expect(request.address).toBe('127.0.7.1');
        expect([...request.privateData.subarray(0, 3)]).toEqual([1, 2, 3]);
        resolve(request.accept(server.qp, { privateData: Uint8Array.of(9) }));
      });
    });
    const connection = await managers[0].connect(client.qp, {
      address: ADDRESSES[1],
      port: 7174,
      privateData: Uint8Array.of(1, 2, 3),
      ackTimeout: 18,
    });
    expect([connection.qp.query().timeout, server.qp.query().timeout]).toEqual([18, 14]);
    const wrong = { address: ADDRESSES[1], port: 7174, ackTimeout: 32 };
    await expect(managers[0].connect(end(0).qp, wrong)).rejects.toMatchObject({ field: 'ackTimeout' });
    expect(connection.privateData[0]).toBe(9);
    const passive = await accepted;
    await passive.established;
    client.memory.set([4, 5, 6]);
    const { addr, lkey } = client.region;
    client.qp.postSend({
      opcode: 'RDMA_WRITE',
      sgList: [{ addr, length: 3, lkey }],
      remoteAddr: server.region.iova,
      rkey: server.region.rkey,
      signaled: true,
    });
    expect(await waitForCompletions(client.cq)).toMatchObject([{ status: 'SUCCESS' }]);
    expect([...server.memory.subarray(0, 3)]).toEqual([4, 5, 6]);
    await connection.disconnect();
    await passive.disconnected;
    expect([client.qp.state, server.qp.state]).toEqual(['ERR', 'ERR']);
  });

  it('hear of a rejection and of a port where nobody listens', async () => {
    const listener = managers[1].listen(7175, (request) => request.reject());
    await expect(managers[0].connect(end(0).qp, { address: ADDRESSES[1], port: 7175 })).rejects.toThrow(
      /consumerReject/,
    );
    listener.close();
    await expect(managers[0].connect(end(0).qp, { address: ADDRESSES[1], port: 7176 })).rejects.toThrow(
      /invalidServiceId/,
    );
  });

  it('reject a path that is wider than the device, and a listener that fails', async () => {
    class Narrow extends LinkAround {
      override get abilities() {
        return { ...super.abilities, maxDatagramBytes: 1500 };
      }
    }
    const narrow = await new SoftwareProvider({ wrapLink: (link) => new Narrow(link) }).open('127.0.7.3');
    const manager = narrow.createConnectionManager();
    const asked: unknown[] = [];
    manager.listen(7174, (request) => asked.push(request));
    const wide = managers[0].connect(end(0).qp, { address: '127.0.7.3', port: 7174 });
    await expect(wide).rejects.toThrow(/invalidPathMtu/);
    expect(asked).toEqual([]);
    manager.close();
    await narrow.close();
    for (const handler of [
      () => {
        throw new Error('the program is wrong');
      },
      async () => {
        throw new Error('the program is wrong');
      },
    ]) {
      const listener = managers[1].listen(7178, handler);
      const failing = managers[0].connect(end(0).qp, { address: ADDRESSES[1], port: 7178 });
      await expect(failing).rejects.toThrow(/noResources/);
      listener.close();
      const event = await nextFault(contexts[1]);
      expect(event).toMatchObject({ port: 7178, error: { message: 'the program is wrong' } });
    }
    expect(contexts[1].counters()['cm_faults']).toBe(2);
  });

  it(
    'outlive a queue pair that is destroyed before its connection ends, on either side',
    async () => {
      for (const side of [0, 1]) {
        const ends = [end(0), end(1)];
        const accepted = new Promise<Connection>((resolve) => {
          const listener = managers[1].listen(7179, (request) => {
            listener.close();
            resolve(request.accept(ends[1].qp));
          });
        });
        const active = await managers[0].connect(ends[0].qp, { address: ADDRESSES[1], port: 7179 });
        const both = [active, await accepted];
        await both[1].established;
        ends[side].qp.destroy();
        // The peer's DREQ meets a queue pair that is not there any more.
        await both[1 - side].disconnect();
        await both[side].disconnected;
        expect(ends[1 - side].qp.state).toBe('ERR');
      }
    },
    ENDS_MS,
  );

  it('connect and disconnect many times and leave nothing behind', async () => {
    const passive: Connection[] = [];
    const listener = managers[1].listen(7177, (request) => passive.push(request.accept(end(1).qp)));
    for (let turn = 0; turn < 50; turn++) {
      const connection = await managers[0].connect(end(0).qp, { address: ADDRESSES[1], port: 7177 });
      await connection.disconnect();
      connection.qp.destroy();
    }
    listener.close();
    await Promise.all(passive.map(({ disconnected }) => disconnected));
    await contexts[0].clock.sleep(20e6);
    expect(contexts.map(({ connections: { agent } }) => [agent.size, agent.halfOpenCount])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
});

describe('messages that wait', () => {
  /**
   * A management on a clock of its own, on which each message takes 5 ms, and what was served. `share` of that is
   * processor time; between messages no processor is used.
   */
  function busyManagement(
    urgencyOf: (from: number) => number = () => Urgency.STRANGER,
    share = 1,
    tookNs = 5e6,
  ) {
    const served: number[] = [];
    const clock = { nowNs: 1e9 };
    let processorNs = 0;
    const deviceCounters = { rx_payload_bytes: 0, tx_payload_bytes: 0, cm_dropped: 0 };
    const software = { deviceCounters, turnOfManagement() {}, flush() {} };
    const listener = {
      urgencyOf: (bytes: Uint8Array) => urgencyOf(bytes[0]),
      received: (bytes: Uint8Array) => {
        served.push(bytes[0]);
        clock.nowNs += tookNs;
        processorNs += tookNs * share;
      },
      due() {},
    };
    const context = { clock, software } as unknown as SoftwareContext;
    const management = new SoftwareManagement(context, listener, cmLimits(), () => processorNs);
    const arrive = (count: number, from: number) => {
      const sourceGid = new Uint8Array(16).fill(from);
      const names = { sourceGid, sourceQpn: GSI_QPN, qkey: GSI_QKEY, gidIndex: 0 };
      const bytes = new Uint8Array(MAD_BYTES).fill(from);
      for (let each = 0; each < count; each++)
        management.arrived({
          ...names,
          bytes,
          payloadOffset: 0,
          payloadEnd: MAD_BYTES,
        } as ManagementDatagram);
    };
    return { management, served, clock, deviceCounters, arrive };
  }

  it('take a twentieth of the time while connections move data, and peers take turns', () => {
    const { management, served, clock, deviceCounters, arrive } = busyManagement();
    arrive(100, 1);
    arrive(2, 2);
    const startNs = clock.nowNs;
    while (clock.nowNs < startNs + 1e9) {
      deviceCounters.rx_payload_bytes += 4096;
      management.serve();
      clock.nowNs += 1e6;
    }
    // 10 ms at once and 50 ms of a second, the last of which may be begun.
    expect(served.length).toBeGreaterThan(10);
    expect(served.length).toBeLessThanOrEqual(13);
    expect(served.slice(0, 5)).toEqual([1, 2, 1, 2, 1]);
  });

  it('do not pay for the time in which other programs had the processor', () => {
    const { management, served, clock, deviceCounters, arrive } = busyManagement(undefined, 0.2);
    arrive(100, 1);
    const startNs = clock.nowNs;
    while (clock.nowNs < startNs + 1e9) {
      deviceCounters.rx_payload_bytes += 4096;
      management.serve();
      clock.nowNs += 1e6;
    }
    // A fifth of their time is their own, so that five times as many fit.
    expect(served.length).toBeGreaterThan(40);
    expect(served.length).toBeLessThanOrEqual(62);
  });

  it('pay for what they take of a device that is idle otherwise', () => {
    const { management, served, clock, deviceCounters, arrive } = busyManagement(undefined, 1, 0.1e6);
    const startNs = clock.nowNs;
    for (let turn = 0; clock.nowNs < startNs + 2e9; turn++) {
      arrive(10, 1);
      // A peer that moves little, now and then, is still one whose data comes first.
      if (turn % 40 === 0) deviceCounters.rx_payload_bytes += 64;
      management.serve();
      clock.nowNs += 1e6;
    }
    expect(served.length * 0.1e6).toBeGreaterThan(0.04 * 2e9);
    expect(served.length * 0.1e6).toBeLessThan(0.06 * 2e9 + 10e6);
  });

  it('take turns by what they are, so that those of connections do not wait for strangers', () => {
    const kinds = [Urgency.STRANGER, Urgency.ANSWER, Urgency.PEER];
    const { management, served, arrive } = busyManagement((from) => kinds[from] ?? Urgency.STRANGER);
    for (let from = 3; from < 200; from++) arrive(1, from);
    arrive(2, 1);
    arrive(2, 2);
    expect(management.backlog).toBe(201);
    for (let turn = 0; turn < 600; turn++) management.serve();
    expect(served.slice(0, 6).toSorted()).toEqual([1, 1, 2, 2, 3, 4]);
    expect(served).toHaveLength(201);
    expect(management.backlog).toBe(0);
  });

  it('take all of it where nothing else is to do, and have a bound', () => {
    const { management, served, deviceCounters, arrive } = busyManagement();
    arrive(1000, 1);
    arrive(1, 2);
    expect(deviceCounters.cm_dropped).toBe(1000 - 512);
    for (let turn = 0; turn < 600; turn++) management.serve();
    expect(served).toHaveLength(513);
  });
});

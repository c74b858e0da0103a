import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdealProvider } from '../../providers/ideal/index.js';
import { SoftwareProvider } from '../../providers/software/index.js';
import { strangersReq } from '../../providers/software/testing/stranger.js';
import { parseGid } from '../../wire/index.js';
import { channels } from '../testing/channels.js';
import { cString, type ExchangeRole } from './byte-channel.js';
import { DESTINATION_BYTES, emitDestination, parseDestination } from './destination.js';
import { PerftestExchange } from './exchange.js';
import {
  MessageChannel,
  type PeerOptions,
  type PeerResult,
  runPerftestPeer,
  runPingPong,
  runSrqPingPong,
} from './index.js';

async function contexts() {
  const provider = new IdealProvider({ devices: 2, latencyNs: 100 });
  const [one, other] = await provider.listDevices();
  return [await provider.open(one.name), await provider.open(other.name)] as const;
}

const base: Omit<PeerOptions, 'kind' | 'verb' | 'role'> = {
  sizes: [64],
  iterations: 20,
  qps: 2,
  transport: 'RC',
  mtu: 1024,
  gidIndex: 0,
  txDepth: 8,
  rxDepth: 16,
  cqModeration: 4,
  inlineBytes: 0,
  outReads: 4,
  timeout: 14,
  compareSwap: false,
  bidirectional: false,
  serviceLevel: 0,
  trafficClass: 0,
  gbits: false,
  randomPsn: () => 0xfffffe,
};

async function both(options: Partial<PeerOptions> & Pick<PeerOptions, 'kind' | 'verb'>, byManager = false) {
  const [left, right] = await contexts();
  const [a, b] = channels();
  const { signal } = new AbortController();
  const run = async (role: ExchangeRole): Promise<PeerResult[]> => {
    const context = role === 'client' ? left : right;
    const cm = { manager: context.createConnectionManager(), address: right.queryGid(1, 0), port: 18515 };
    const all = { ...base, ...options, role, ...(byManager ? { cm } : {}) };
    const tcp = role === 'client' ? a : b;
    const channel = byManager ? await MessageChannel.open(context, role, cm, signal) : tcp;
    return runPerftestPeer(context, channel, all, signal);
  };
  const [client, server] = await Promise.all([run('client'), run('server')]);
  await Promise.all([left.close(), right.close()]);
  return { client, server };
}

describe('two peers', () => {
  for (const verb of ['write', 'read', 'send', 'atomic'] as const) {
    it(`measure the rate of ${verb}`, async () => {
      const { client, server } = await both({ kind: 'bw', verb });
      expect(client).toMatchObject([{ sizeBytes: 64, iterations: 40 }]);
      expect(client[0].elapsedNs).toBeGreaterThan(0);
      if (verb !== 'send') expect(server).toMatchObject([{ sizeBytes: 64, iterations: 40 }]);
    });

    it(`measure the latency of ${verb}`, async () => {
      const { client, server } = await both({ kind: 'lat', verb, qps: 1 });
      expect(client[0].latenciesNs?.length).toBeGreaterThan(18);
      // Both sides of a ping-pong know how long it took.
      if (verb === 'send' || verb === 'write') expect(server[0].latenciesNs?.length).toBeGreaterThan(18);
      expect(client[0].latenciesNs?.every((value) => value > 0)).toBe(true);
    });
  }

  it.each(['write', 'read', 'send', 'atomic'] as const)('connect by RDMA-CM: %s', async (verb) => {
    const { client } = await both({ kind: 'bw', verb }, true);
    expect(client).toMatchObject([{ sizeBytes: 64, iterations: 40 }]);
  });

  it.each(['write', 'read', 'send', 'atomic'] as const)('measure for a time: %s', async (verb) => {
    const { client } = await both({ kind: 'bw', verb, durationNs: 50_000 });
    expect(client[0].elapsedNs).toBeGreaterThanOrEqual(50_000);
    expect(client[0].iterations).toBeGreaterThan(40);
    const latency = await both({ kind: 'lat', verb, qps: 1, durationNs: 50_000 });
    expect(latency.client[0].iterations).toBe(latency.client[0].latenciesNs?.length);
    expect(latency.client[0].iterations).toBeGreaterThan(20);
  });

  it('measure for a time that begins with the first message, however late the client is', async () => {
    const [left, right] = await contexts();
    const [a, b] = channels();
    const { signal } = new AbortController();
    const options = { ...base, kind: 'lat', verb: 'send', qps: 1, durationNs: 50_000 } as const;
    const late = {
      ...a,
      read: async (bytes: number) => {
        const read = await a.read(bytes);
        for (let step = 0; step < 200; step++) await left.clock.sleep(1000);
        return read;
      },
    };
    const [client] = await Promise.all([
      runPerftestPeer(left, late, { ...options, role: 'client' }, signal),
      runPerftestPeer(right, b, { ...options, role: 'server' }, signal),
    ]);
    expect(client[0].latenciesNs?.length).toBeGreaterThan(20);
    await Promise.all([left.close(), right.close()]);
  });

  it.each(['bw', 'lat'] as const)('end a test of %s whose other side has gone', async (kind) => {
    const [left, right] = await contexts();
    const [a, b] = channels();
    const abort = new AbortController();
    const options = { ...base, kind, verb: 'send', qps: 1, iterations: 1e9 } as const;
    const client = runPerftestPeer(left, a, { ...options, role: 'client' }, abort.signal);
    const server = runPerftestPeer(right, b, { ...options, role: 'server' }, new AbortController().signal);
    const outcomes = Promise.allSettled([client, server]);
    await left.clock.sleep(100_000);
    abort.abort(new Error('killed'));
    const [killed, remaining] = await outcomes;
    expect(killed).toMatchObject({ reason: { message: 'killed' } });
    expect(remaining).toMatchObject({ reason: { message: 'the peer hung up' } });
    await Promise.all([left.close(), right.close()]);
  });

  const write = { kind: 'bw', verb: 'write' } as const;
  const unlike = { code: 'CANNOT_RUN', allowed: expect.stringContaining('the same -q') };
  const other = (given: unknown) => ({ ...unlike, field: 'peer', given });
  const [again, another] = [other('a queue pair twice'), other('another queue pair than before')];
  it.each([
    ['more queue pairs', { ...write, qps: 2 }, { ...write, qps: 1 }, [again, another]],
    ['fewer queue pairs', { ...write, qps: 2 }, { ...write, qps: 3 }, [another, again]],
    [
      'a latency',
      { kind: 'lat', verb: 'write', qps: 1 },
      { ...write, qps: 1 },
      [null, other('silence for 0.1 s')],
    ],
    [
      'SENDs',
      { kind: 'bw', verb: 'send', qps: 1 },
      { ...write, qps: 1 },
      [{ code: 'CANNOT_RUN', field: 'status', given: 'REM_INV_REQ_ERR' }, null],
    ],
    [
      'READs',
      { kind: 'bw', verb: 'read' },
      write,
      [{ code: 'CANNOT_RUN', field: 'status', given: 'REM_INV_REQ_ERR' }, null],
    ],
  ] as const)('end with the reason where the client was told of %s', async (_, asked, served, reasons) => {
    const provider = new SoftwareProvider();
    const [left, right] = [await provider.open('127.0.9.11'), await provider.open('127.0.9.12')];
    const [a, b] = channels();
    const { signal } = new AbortController();
    const options = { ...base, silentNs: 1e8 };
    const outcomes = await Promise.allSettled([
      runPerftestPeer(left, a, { ...options, ...asked, role: 'client' }, signal),
      runPerftestPeer(right, b, { ...options, ...served, role: 'server' }, signal),
    ]);
    await Promise.all([left.close(), right.close()]);
    for (const [index, reason] of reasons.entries())
      expect(outcomes[index]).toMatchObject(reason === null ? { status: 'rejected' } : { reason });
  });

  it('send both ways, several sizes, by WRITE and by SEND', async () => {
    for (const verb of ['write', 'send'] as const) {
      const { client, server } = await both({ kind: 'bw', verb, bidirectional: true, sizes: [2, 64, 4096] });
      expect(client.map(({ sizeBytes }) => sizeBytes)).toEqual([2, 64, 4096]);
      expect(server).toHaveLength(3);
      expect(server[0].theirs?.messageRate).toBeGreaterThan(0);
    }
  });

  it('send datagrams', async () => {
    const { server } = await both({ kind: 'bw', verb: 'send', transport: 'UD', qps: 1 });
    expect(server[0].iterations).toBe(20);
  });
});

describe('two ping-pongs', () => {
  for (const transport of ['RC', 'UC', 'UD'] as const) {
    it(`play on ${transport}`, async () => {
      const [left, right] = await contexts();
      const [a, b] = channels();
      const { signal } = new AbortController();
      const options = {
        transport,
        sizeBytes: 100,
        iterations: 30,
        rxDepth: 10,
        mtu: 1024,
        gidIndex: 0,
        randomPsn: () => 5,
      } as const;
      const results = await Promise.all([
        runPingPong(left, a, { ...options, role: 'client' }, signal),
        runPingPong(right, b, { ...options, role: 'server' }, signal),
      ]);
      expect(results).toMatchObject([{ iterations: 30 }, { bytes: 6000 }]);
    });
  }
});

it('two ping-pongs play on several queue pairs with one queue of receives', async () => {
  const [left, right] = await contexts();
  const [a, b] = channels();
  const { signal } = new AbortController();
  const randomPsn = () => 5;
  const mtu = 1024 as const;
  const options = { sizeBytes: 100, iterations: 200, rxDepth: 40, mtu, gidIndex: 0, qps: 16, randomPsn };
  const results = await Promise.all([
    runSrqPingPong(left, a, { ...options, role: 'client' }, signal),
    runSrqPingPong(right, b, { ...options, role: 'server' }, signal),
  ]);
  expect(results).toMatchObject([{ iterations: 200 }, { bytes: 40_000 }]);
});

describe('a destination', () => {
  // One of perftest 4.5's own, with QPN 0x12 and the GID of 10.77.0.2.
  const text =
    '0000:0080:000012:d4c15a:00000aed:00007f1f5d5b9000:00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:02:00000000:';

  it('is read and written as perftest does', () => {
    const bytes = Uint8Array.from([...text].map((letter) => letter.charCodeAt(0)).concat(0));
    expect(bytes).toHaveLength(DESTINATION_BYTES);
    const end = parseDestination(bytes);
    expect(end).toEqual({
      outReads: 0x80,
      qpn: 0x12,
      psn: 0xd4c15a,
      rkey: 0xaed,
      addr: 0x7f1f5d5b9000,
      gid: '0000:0000:0000:0000:0000:ffff:0a4d:0002',
    });
    expect(emitDestination(end)).toEqual(bytes);
    const wide = { ...end, addr: 0xffff_8881_5d5b_9000n };
    expect(parseDestination(emitDestination(wide))).toEqual(wide);
  });

  it('is refused where it is anything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: DESTINATION_BYTES, maxLength: DESTINATION_BYTES }), (bytes) => {
        expect(() => parseDestination(bytes)).toThrow(/exchange/);
      }),
    );
  });
});

describe('a hostile peer', () => {
  it('does not choose how much memory a test takes', async () => {
    const [left, right] = await contexts();
    for (const cycle of [0x7fffffff, 0x40000000, 0, -1]) {
      const [a, b] = channels();
      const client = async () => {
        await a.write(cString('6.06', 16));
        await a.read(16);
        const bytes = new Uint8Array(4);
        new DataView(bytes.buffer).setInt32(0, cycle);
        await a.write(bytes);
      };
      const { signal } = new AbortController();
      const options = { ...base, kind: 'bw', verb: 'write', role: 'server' } as const;
      const serving = runPerftestPeer(right, b, options, signal);
      await client();
      await expect(serving).rejects.toMatchObject({
        code: 'CANNOT_RUN',
        field: 'cycle buffer',
        given: cycle,
      });
    }
    await Promise.all([left.close(), right.close()]);
  });

  it.each([
    ['iterations', 1, 2n ** 63n],
    ['peak', 2, 0x7ff0000000000000n],
    ['average', 3, 0xbff0000000000000n],
    ['messageRate', 4, 0x7ff8000000000000n],
  ])('does not have us print its %s without a look', async (field, at, bits) => {
    const [a, b] = channels();
    const reporting = new PerftestExchange(b, 'server').report({
      ...{ sizeBytes: 0, iterations: 0, peak: 0, average: 0, messageRate: 0 },
    });
    const bytes = new Uint8Array(40);
    new DataView(bytes.buffer).setBigUint64(8 * at, bits);
    await a.write(bytes);
    await expect(reporting).rejects.toMatchObject({ code: 'CANNOT_RUN', field: `report: ${field}` });
  });

  it('keeps nobody out who connects by RDMA-CM, with requests that are never finished', async () => {
    const provider = new SoftwareProvider({ connectionLimits: { halfOpenNs: 0.5e9 } });
    const addresses = ['127.0.8.26', '127.0.8.27', '127.0.8.28'];
    const devices = await Promise.all(addresses.map((address) => provider.open(address)));
    const [client, server, stranger] = devices;
    const { signal } = new AbortController();
    const gids = addresses.map((address) => parseGid(`::ffff:${address}`));
    let id = 0;
    const strike = () =>
      stranger.software.sendManagement(strangersReq(gids[2], gids[1], 18515, ++id), gids[1], 0);
    const run = async (role: ExchangeRole): Promise<PeerResult[]> => {
      const context = role === 'client' ? client : server;
      const cm = { manager: context.createConnectionManager(), address: addresses[1], port: 18515 };
      const options = { ...base, kind: 'bw', verb: 'write', role, cm } as const;
      const channel = await MessageChannel.open(context, role, cm, signal);
      return runPerftestPeer(context, channel, options, signal);
    };
    const serving = run('server');
    strike();
    while (server.connections.agent.halfOpenCount < 1) await server.clock.sleep(1e6);
    let over = false;
    // They go on while the two agree and while their queue pairs connect.
    const striking = (async () => {
      while (!over) {
        strike();
        await stranger.clock.sleep(1e6);
      }
    })();
    const results = await Promise.all([run('client'), serving]);
    over = true;
    await striking;
    expect(results[0]).toMatchObject([{ sizeBytes: 64, iterations: 40 }]);
    await Promise.all(devices.map((device) => device.close()));
  }, 20_000);
});

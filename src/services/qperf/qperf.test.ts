import { describe, expect, it } from 'vitest';
import { IdealProvider } from '../../providers/ideal/index.js';
import type { ByteChannel } from '../perftest/byte-channel.js';
import { channels } from '../testing/channels.js';
import { askQperf, QPERF_TESTS, type QperfTestName, serveQperf } from './index.js';
import {
  emitRequest,
  NODE_BYTES,
  parseRequest,
  parseStatistics,
  type QperfRequest,
  REQUEST_BYTES,
  STATISTICS_BYTES,
} from './messages.js';
import { resultOf } from './result.js';
import { indexOf, nameAt } from './test-table.js';

/** So long that the whole seconds of a test are few messages. */
const LATENCY_NS = 5e7;

async function ends() {
  const provider = new IdealProvider({ devices: 2, latencyNs: LATENCY_NS });
  const [one, other] = await provider.listDevices();
  const [client, server] = [await provider.open(one.name), await provider.open(other.name)];
  const [asking, answering] = channels();
  return { client, server, asking, answering };
}

async function both(
  name: QperfTestName,
  choices: { sizeBytes?: number; seconds?: number; messages?: number },
) {
  const { client, server, asking, answering } = await ends();
  const served = serveQperf(server, server.createConnectionManager(), answering);
  const address = server.queryGid(1, 0);
  const result = await askQperf(client, client.createConnectionManager(), asking, name, {
    address,
    ...choices,
  });
  expect(await served).toBe(name);
  return result;
}

const request: QperfRequest = {
  ...{ index: indexOf('rc_bw'), sizeBytes: 65_536, messages: 0 },
  ...{ seconds: 2, timeoutSeconds: 5, useCm: true },
};

/** What a server does with a request that a client has sent. */
async function refusal(changes: Partial<QperfRequest>, change: (bytes: Uint8Array) => void = () => {}) {
  const { server, asking, answering } = await ends();
  const bytes = emitRequest({ ...request, ...changes });
  change(bytes);
  await asking.write(bytes);
  await asking.write(new Uint8Array(NODE_BYTES));
  const served = serveQperf(server, server.createConnectionManager(), answering);
  return {
    error: await served.then(
      () => null,
      (error: unknown) => error,
    ),
    asking: asking as ByteChannel,
  };
}

describe('qperf', () => {
  it('times a ping-pong by SENDs as what the device takes', async () => {
    const { latencyNs, messagesPerSecond } = await both('rc_lat', { seconds: 1 });
    expect(latencyNs).toBeGreaterThan(LATENCY_NS);
    // The last message, and what the turns of two programs add, may be lost of the test's second.
    expect(latencyNs).toBeLessThan(1e9 / (1e9 / LATENCY_NS - 2));
    expect(messagesPerSecond).toBeCloseTo(1e9 / latencyNs, -1);
  });

  it.each(['rc_rdma_write_lat', 'rc_rdma_write_poll_lat', 'rc_rdma_read_lat'] as const)(
    'times %s',
    async (name) => {
      const { latencyNs } = await both(name, { seconds: 1 });
      expect(latencyNs).toBeGreaterThan(0.9 * LATENCY_NS);
      expect(latencyNs).toBeLessThan(2.5 * LATENCY_NS);
    },
  );

  it.each(['rc_bw', 'rc_bi_bw', 'rc_rdma_write_bw', 'rc_rdma_read_bw'] as const)(
    'counts the bytes of %s',
    async (name) => {
      const { bytesPerSecond, messagesPerSecond } = await both(name, { seconds: 1, sizeBytes: 512 });
      expect(messagesPerSecond).toBeGreaterThan(0);
      expect(bytesPerSecond).toBeCloseTo(512 * messagesPerSecond, 0);
    },
  );

  it('moves as many messages as asked for', async () => {
    const { messagesPerSecond } = await both('rc_bw', { messages: 100, sizeBytes: 64 });
    expect(messagesPerSecond).toBeGreaterThan(0);
  });

  it.each(['rc_compare_swap_mr', 'rc_fetch_add_mr', 'ver_rc_compare_swap', 'ver_rc_fetch_add'] as const)(
    'counts the atomics of %s, and compares what they bring back where qperf does',
    async (name) => {
      expect((await both(name, { seconds: 1 })).messagesPerSecond).toBeGreaterThan(0);
    },
  );

  it('tells who it is', async () => {
    const { server, asking, answering } = await ends();
    await asking.write(emitRequest({ ...request, index: 0 }));
    expect(await serveQperf(server, server.createConnectionManager(), answering, { node: 'here' })).toBe(
      'conf',
    );
    const text = String.fromCharCode(...(await asking.read(256)));
    expect(text).toMatch(/^here\0+1 processors\0+Kelpie, as qperf 0\.4\.11\0+$/);
  });
});

describe('a request that qperf makes and nobody can serve over RoCE', () => {
  it('gets an empty node where it is by LID', async () => {
    const { error, asking } = await refusal({ useCm: false, index: 23 });
    expect(error).toMatchObject({ code: 'CANNOT_RUN', field: 'uc_bw by LID' });
    expect(await asking.read(NODE_BYTES)).toEqual(new Uint8Array(NODE_BYTES));
  });

  it.each([
    ['another test', { index: 8 }, 'test'],
    ['quit, which would end a server for everybody', { index: 1 }, 'test'],
    ['too much memory', { sizeBytes: 2 ** 31 }, 'msg_size'],
    ['too much time', { seconds: 2 ** 31 }, 'time'],
    ['no end', { seconds: 0 }, 'time'],
    ['endless patience', { timeoutSeconds: 2 ** 31 }, 'timeout'],
  ])('is refused by name: %s', async (_, changes, field) => {
    expect((await refusal(changes)).error).toMatchObject({ code: 'CANNOT_RUN', field });
  });

  it('is refused where the version is another', async () => {
    const { error } = await refusal({}, (bytes) => {
      bytes[2] = 5;
    });
    expect(error).toMatchObject({ field: 'version', given: '0.5.11' });
  });

  it('does not hold up a server that hears nothing', async () => {
    const { server, answering } = await ends();
    const served = serveQperf(server, server.createConnectionManager(), answering);
    await expect(served).rejects.toMatchObject({ field: 'a request', allowed: 'within 5 s' });
  });

  it('is forgotten where no connection follows', async () => {
    expect((await refusal({})).error).toMatchObject({ field: 'a connection' });
  });
});

it('a client that goes in the middle of a test keeps no server', async () => {
  const { client, server, asking, answering } = await ends();
  const serving = serveQperf(server, server.createConnectionManager(), answering);
  const address = server.queryGid(1, 0);
  const stop = new AbortController();
  const choices = { address, messages: 1e9 };
  const manager = client.createConnectionManager();
  const asked = askQperf(client, manager, asking, 'rc_bw', choices, { signal: stop.signal });
  const outcomes = Promise.allSettled([asked, serving]);
  for (let step = 0; step < 1000; step++) await client.clock.sleep(1e6);
  stop.abort(new Error('killed'));
  await asking.close();
  const [killed, served] = await outcomes;
  expect(killed).toMatchObject({ reason: { message: 'killed' } });
  expect(served).toMatchObject({ reason: { code: 'CANNOT_RUN', given: 'the end of its connection' } });
});

describe("qperf's messages", () => {
  it('name every test by its place in its list', () => {
    expect(Object.keys(QPERF_TESTS).map((name) => nameAt(indexOf(name as QperfTestName)))).toEqual(
      Object.keys(QPERF_TESTS),
    );
    expect([12, 21, 22, 28, 31, 32, 33].map(nameAt)).toEqual([
      ...['rc_bi_bw', 'rc_rdma_write_poll_lat', 'uc_bi_bw', 'ud_bi_bw', 'ver_rc_compare_swap'],
      ...['ver_rc_fetch_add', null],
    ]);
  });

  it('keep what they are given', () => {
    const bytes = emitRequest(request);
    expect(bytes).toHaveLength(REQUEST_BYTES);
    expect(parseRequest(bytes)).toEqual(request);
    // Version, test, then words: msg_size is the fifth, time the fourteenth, use_cm the sixteenth.
    expect([...bytes.subarray(0, 8)]).toEqual([0, 0, 4, 0, 11, 0, 13, 0]);
    const view = new DataView(bytes.buffer);
    expect([24, 60, 68].map((at) => view.getUint32(at, true))).toEqual([65_536, 2, 1]);
  });

  it('have no time without ticks', () => {
    expect(() => parseStatistics(new Uint8Array(STATISTICS_BYTES))).toThrow(/ticks/);
  });

  it('are joined by the time of the side that sent', () => {
    const nothing = { bytes: 0, messages: 0 };
    const side = {
      ...{ mostCqes: 0, processors: 1, elapsedNs: 1e9, userNs: 0, kernelNs: 0 },
      ...{ sent: nothing, received: nothing, theirSent: nothing, theirReceived: nothing },
    };
    const server = { ...side, elapsedNs: 2e9, received: { bytes: 1000, messages: 10 } };
    expect(resultOf('rc_bw', 'bandwidth', side, server)).toMatchObject({
      bytesPerSecond: 1000,
      messagesPerSecond: 10,
    });
  });
});

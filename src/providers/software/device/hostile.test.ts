import { afterEach, expect, it } from 'vitest';
import { type Link, LinkAround } from '../../../link/index.js';
import type { CmLimits } from '../../../transport/cm/index.js';
import {
  Access,
  type Connection,
  type ConnectionRequest,
  type QueuePair,
  waitForCompletions,
} from '../../../verbs/index.js';
import { formatGidShort, type Gid, isRefusal, parseGid, parseRoceDatagram } from '../../../wire/index.js';
import { type SoftwareContext, SoftwareProvider } from '../provider.js';
import { Attacker } from '../testing/fuzz/attacker.js';
import { Hub } from '../testing/fuzz/hub.js';
import { strangersReq } from '../testing/stranger.js';

const SERVER = '::ffff:10.8.0.1';
const HONEST = '::ffff:10.8.0.2';
const PORT = 7174;
const HEADERS_BYTES = 14 + 20 + 8;

let close: () => Promise<void> = async () => {};
afterEach(() => close());

/** Tells when its device expects traffic. */
class ExpectingLink extends LinkAround {
  private readonly told: () => void;

  constructor(inner: Link, told: () => void) {
    super(inner);
    this.told = told;
  }

  override expect(): void {
    this.told();
  }
}

/** A server and an honest client on a network on which anybody can send anything. */
async function network(connectionLimits: Partial<CmLimits> = {}) {
  const hub = new Hub();
  const expecting = new Map<string, number>();
  const provider = new SoftwareProvider({
    openLink: async (name) =>
      new ExpectingLink(hub.open(parseGid(name)), () => expecting.set(name, (expecting.get(name) ?? 0) + 1)),
    connectionLimits,
  });
  const contexts = await Promise.all([provider.open(SERVER), provider.open(HONEST)]);
  const managers = contexts.map((context) => context.createConnectionManager());
  close = async () => {
    for (const manager of managers) manager.close();
    await Promise.all(contexts.map((context) => context.close()));
  };
  const attacker = new Attacker(hub, parseGid('::ffff:10.8.0.66'), 1);
  /** Bytes on the wire by address, both ways. */
  const traffic = { sent: new Map<string, number>(), answered: new Map<string, number>() };
  const count = (map: Map<string, number>, gid: Gid, bytes: number) =>
    map.set(formatGidShort(gid), (map.get(formatGidShort(gid)) ?? 0) + HEADERS_BYTES + bytes);
  hub.onStray = ({ to, bytes }) => count(traffic.answered, to, bytes.length);
  const strike = (from: string, id: number, fields = {}) => {
    const gid = parseGid(from);
    const payload = strangersReq(gid, parseGid(SERVER), PORT, id, fields);
    count(traffic.sent, gid, attacker.sendManagement(gid, parseGid(SERVER), payload));
  };
  return { hub, server: contexts[0], honest: contexts[1], managers, strike, traffic, expecting };
}

function queuePair(context: SoftwareContext): QueuePair {
  const cq = context.createCq({ cqe: 64 });
  const cap = { maxSendWr: 32, maxRecvWr: 4, maxSendSge: 1, maxRecvSge: 1 };
  return context.allocPd().createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap });
}

function acceptAndPost(server: SoftwareContext, connections: Connection[]) {
  return (request: ConnectionRequest) => {
    const qp = queuePair(server);
    const connection = request.accept(qp);
    connections.push(connection);
    const { addr, lkey } = qp.pd.regMr(new Uint8Array(65536), Access.LOCAL_WRITE);
    for (let message = 0; message < 32; message++)
      qp.postSend({ opcode: 'SEND', sgList: [{ addr, length: 65536, lkey }] });
  };
}

it('sends an address that anybody may have written no more than three times its bytes, posts included', async () => {
  const { server, managers, strike, traffic } = await network({ halfOpenNs: 50e6 });
  const connections: Connection[] = [];
  managers[0].listen(PORT, acceptAndPost(server, connections));
  const forged = '::ffff:10.8.9.9';
  for (let id = 1; id <= 8; id++) strike(forged, id, { localCmResponseTimeout: 8, maxCmRetries: 15 });
  await server.clock.sleep(150e6);
  expect(connections).toHaveLength(8);
  const sent = traffic.sent.get(forged) as number;
  const answered = traffic.answered.get(forged) as number;
  expect(answered).toBeGreaterThan(0);
  expect(answered).toBeLessThanOrEqual(3 * sent);
  // All of them were given up, and their queue pairs stopped.
  for (const connection of connections) {
    await connection.disconnected;
    expect(connection.qp.state).toBe('ERR');
  }
});

it('sends what was posted early as soon as the third message or traffic proves the address', async () => {
  for (const lost of ['none', 'rtu'] as const) {
    const { hub, server, honest, managers } = await network();
    if (lost === 'rtu') hub.drops = ({ bytes }) => isCm(bytes, 0x14);
    const connections: Connection[] = [];
    managers[0].listen(PORT, acceptAndPost(server, connections));
    const qp = queuePair(honest);
    const memory = new Uint8Array(65536);
    const connecting = managers[1].connect(qp, { address: '10.8.0.1', port: PORT });
    await connecting;
    const { addr, lkey } = qp.pd.regMr(memory, Access.LOCAL_WRITE);
    qp.postRecv({ sgList: [{ addr, length: 65536, lkey }] });
    if (lost === 'rtu') qp.postSend({ opcode: 'RDMA_WRITE', sgList: [], remoteAddr: 0, rkey: 0 });
    await connections[0].established;
    while (qp.recvCq.poll(1).length === 0) await honest.clock.sleep(1e6);
    hub.drops = () => false;
    await close();
  }
});

it('serves an honest peer behind three thousand requests that are never finished', async () => {
  const { server, honest, managers, strike } = await network({ halfOpenNs: 1e9 });
  const connections: Connection[] = [];
  managers[0].listen(PORT, (request) =>
    connections.push(request.accept(queuePair(server), { destroyQp: true })),
  );
  for (let id = 1; id <= 3000; id++)
    strike(`::ffff:10.8.${1 + (id % 4)}.1`, id, { localCmResponseTimeout: 31, maxCmRetries: 15 });
  await managers[1].connect(queuePair(honest), { address: '10.8.0.1', port: PORT });
  // The program heard of a few only: the addresses of the others were asked first, and did not answer.
  expect(connections.length).toBeLessThan(100);
  // Those that came to nothing left no queue pair behind.
  const [unfinished] = connections;
  await unfinished.disconnected;
  expect(() => unfinished.qp.query()).toThrow(/does not exist/);
});

it('is kept awake by its connections alone', async () => {
  const { server, honest, managers, strike, expecting } = await network();
  managers[0].listen(PORT, (request) => request.accept(queuePair(server), { destroyQp: true }));
  const qp = queuePair(honest);
  await managers[1].connect(qp, { address: '10.8.0.1', port: PORT });
  for (let id = 1; id <= 100; id++) strike(`::ffff:10.8.${1 + (id % 4)}.1`, id);
  await server.clock.sleep(20e6);
  expect(expecting.get(SERVER)).toBeUndefined();
  qp.postSend({ opcode: 'RDMA_WRITE', sgList: [], remoteAddr: 0, rkey: 0, signaled: true });
  await waitForCompletions(qp.sendCq);
  expect(expecting.get(SERVER)).toBeGreaterThan(0);
  expect(expecting.get(HONEST)).toBeGreaterThan(0);
});

it('tells the program when its objects are used up, and goes on', async () => {
  const { server, honest, managers } = await network();
  const held = Array.from({ length: server.queryDevice().maxPd }, () => server.allocPd());
  // As in the documentation: whatever the request needs is made when it comes.
  managers[0].listen(PORT, (request) => request.accept(queuePair(server), { destroyQp: true }));
  const refused = managers[1].connect(queuePair(honest), { address: '10.8.0.1', port: PORT });
  await expect(refused).rejects.toThrow(/noResources/);
  expect(await server.getAsyncEvent()).toMatchObject({ type: 'CM_FAULT', error: { code: 'LIMIT_REACHED' } });
  held[0].dealloc();
  await managers[1].connect(queuePair(honest), { address: '10.8.0.1', port: PORT });
});

it('keeps nothing of requests that the program cannot accept', async () => {
  const { server, honest, managers, strike } = await network();
  const pd = server.allocPd();
  const cq = server.createCq({ cqe: 64 });
  const cap = { maxSendWr: 4, maxRecvWr: 4, maxSendSge: 1, maxRecvSge: 1 };
  const make = () => pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap });
  managers[0].listen(PORT, (request) => request.accept(make(), { destroyQp: true }));
  const { counts } = server as unknown as { counts: { maxQp: { used: number } } };
  // Unreliable connections, which the server has no queue pairs for.
  for (let id = 1; id <= 30; id++) strike('::ffff:10.8.1.1', id, { transportServiceType: 1 });
  await server.clock.sleep(20e6);
  expect(server.counters()['cm_faults']).toBe(30);
  expect(counts.maxQp.used).toBe(0);
  const connection = await managers[1].connect(queuePair(honest), { address: '10.8.0.1', port: PORT });
  expect(counts.maxQp.used).toBe(1);
  await connection.disconnect();
});

it('leaves a queue pair alone that is in use, whatever is asked with it', async () => {
  const { server, honest, managers } = await network();
  managers[0].listen(PORT, (request) => request.accept(queuePair(server), { destroyQp: true }));
  const target = { address: '10.8.0.1', port: PORT, destroyQp: true };
  const qp = queuePair(honest);
  await managers[1].connect(qp, target);
  await expect(managers[1].connect(qp, target)).rejects.toMatchObject({ code: 'WRONG_STATE' });
  expect(qp.query().state).toBe('RTS');
  const fresh = queuePair(honest);
  await expect(managers[1].connect(fresh, { ...target, port: 0 })).rejects.toMatchObject({ field: 'port' });
  expect(() => fresh.query()).toThrow(/does not exist/);
});

it('keeps so many events for a program that takes none', async () => {
  const { server } = await network();
  for (let index = 0; index < 20_000; index++) server.raise({ type: 'DEVICE_FATAL' });
  let kept = 0;
  while (server.tryGetAsyncEvent() !== null) kept++;
  expect(kept).toBe(16_384);
});

/** Whether a datagram is a message of communication management of this kind. */
function isCm(bytes: Uint8Array, attribute: number): boolean {
  const datagram = parseRoceDatagram(bytes);
  if (isRefusal(datagram) || datagram.bth.destinationQp !== 1) return false;
  return datagram.payload[17] === attribute;
}

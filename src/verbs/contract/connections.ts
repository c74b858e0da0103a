import type { ConnectionManager, ConnectionRequest } from '../connection-manager.js';
import { ConnectionError } from '../error.js';
import type { QpState } from '../queue-pair.js';
import { REJECT_REASON } from '../reject-reason.js';
import { broken, expectBytes, expectEqual, expectList, expectRejected, expectThat } from './kit/assert.js';
import type { ContractBench } from './kit/bench.js';
import { type ContractCase, casesOf, type Need } from './kit/case.js';
import { addressOf, type Connected, connectByManagers, whateverBecomesOf } from './kit/connected.js';
import type { End } from './kit/end.js';

const test = casesOf('connections');
const NEEDS: readonly Need[] = ['connectionManager', 'RC'];
const MOVING: readonly Need[] = ['connectionManager', 'RC:SEND', 'RC:RDMA_WRITE'];

function states({ client, server }: Connected): QpState[] {
  return [client.qp.state, server.qp.state];
}

/** A message goes from one end to the other. */
async function send(bench: ContractBench, from: End, to: End, offset: number): Promise<void> {
  to.qp.postRecv(to.recv(7, offset, 100));
  from.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: from.at(4000, 100), signaled: true });
  await bench.succeed(from.sendCq, 1);
  await bench.succeed(to.recvCq, 7);
  expectBytes(to.bytes(offset, 100), from.bytes(4000, 100), 'content');
}

/** A rejection with its reason and private data. */
async function rejection(connecting: Promise<unknown>): Promise<ConnectionError> {
  const error = await expectRejected('CM_REJECTED', connecting);
  if (error instanceof ConnectionError) return error;
  broken('a rejection is no ConnectionError');
}

/** Answers every request until the promise settles: one whose answer is lost is asked for again. */
async function answering<T>(
  bench: ContractBench,
  manager: ConnectionManager,
  promise: Promise<T>,
  answer: (request: ConnectionRequest) => unknown,
): Promise<T> {
  let settled = false;
  const seen = promise.finally(() => {
    settled = true;
  });
  seen.catch(() => undefined);
  await bench.until('the attempt ends', () => {
    const event = manager.tryGetCmEvent();
    if (event?.type === 'CONNECT_REQUEST') answer(event.request);
    return settled;
  });
  return seen;
}

/** Connecting and parting by RDMA-CM. */
export const connectionCases: readonly ContractCase[] = [
  test('a client connects by address and port, and messages go both ways', MOVING, async (bench) => {
    const both = await connectByManagers(bench);
    expectList(states(both), ['RTS', 'RTS'], 'states');
    await send(bench, both.client, both.server, 100);
    await send(bench, both.server, both.client, 300);
    const { client, server } = both;
    client.qp.postSend({ opcode: 'RDMA_WRITE', sgList: client.at(0, 64), ...server.target(2000) });
    await send(bench, client, server, 500);
    expectBytes(server.bytes(2000, 64), client.bytes(0, 64), 'what was written');
  }),
  test('private data goes with the request and with the acceptance', NEEDS, async (bench) => {
    const { active, passive } = await connectByManagers(bench, {
      client: { privateData: Uint8Array.of(1, 2, 3) },
      server: { privateData: Uint8Array.of(9, 8, 7, 6) },
    });
    const { privateData: asked } = passive;
    const { privateData: answered } = active;
    expectList([...asked.subarray(0, 4)], [1, 2, 3, 0], 'private data of the request');
    expectList([...answered.subarray(0, 5)], [9, 8, 7, 6, 0], 'private data of the acceptance');
    expectList([asked.length, answered.length], [56, 196], 'sizes of the fields');
  }),
  test('a request says who asks, for what, and with what', NEEDS, async (bench) => {
    const [asking, answering] = [bench.manager(bench.left), bench.manager(bench.right)];
    const listener = answering.listen(0);
    const { qp } = bench.end(bench.left);
    whateverBecomesOf(
      asking.connect(qp, {
        address: addressOf(bench, 'right'),
        port: listener.port,
        privateData: Uint8Array.of(5),
        responderResources: 2,
        initiatorDepth: 3,
      }),
    );
    const { request } = await bench.cmEvent(answering, 'CONNECT_REQUEST');
    const own = addressOf(bench, 'left');
    expectThat(own.endsWith(request.address), `${request.address} is the end of ${own}`);
    expectList(
      [request.port, request.responderResources, request.initiatorDepth, request.privateData[0]],
      [listener.port, 2, 3, 5],
      'port, resources, depth and private data',
    );
    expectEqual(request.qpType, 'RC', 'type');
  }),
  test('READs and atomics at a time are what both sides can', NEEDS, async (bench) => {
    const { active, passive, client, server } = await connectByManagers(bench, {
      client: { responderResources: 3, initiatorDepth: 2 },
      server: { responderResources: 4, initiatorDepth: 4 },
    });
    expectList([passive.responderResources, passive.initiatorDepth], [2, 3], 'at the server');
    expectList([active.responderResources, active.initiatorDepth], [3, 2], 'at the client');
    const [asked, answered] = [client.qp.query(), server.qp.query()];
    expectList([asked.maxDestRdAtomic, asked.maxRdAtomic], [3, 2], 'of the client’s queue pair');
    expectList([answered.maxDestRdAtomic, answered.maxRdAtomic], [2, 3], 'of the server’s queue pair');
  }),
  test('receives posted in INIT are there for the first message', MOVING, async (bench) => {
    const [asking, answering] = [bench.manager(bench.left), bench.manager(bench.right)];
    const [client, server] = [bench.end(bench.left), bench.end(bench.right)];
    const { port } = answering.listen(0);
    server.qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: 0 });
    server.qp.postRecv(server.recv(7, 0, 100));
    const connecting = whateverBecomesOf(
      asking.connect(client.qp, { address: addressOf(bench, 'right'), port }),
    );
    const { request } = await bench.cmEvent(answering, 'CONNECT_REQUEST');
    // Not one retry: without the receive the message would fail.
    request.accept(server.qp, { rnrRetryCount: 0 });
    await bench.settle('the client is connected', connecting);
    client.qp.postSend({ opcode: 'SEND', wrId: 1, sgList: client.at(0, 100), signaled: true });
    await bench.succeed(client.sendCq, 1);
    await bench.succeed(server.recvCq, 7);
  }),
  test('nobody listens: CM_REJECTED, reason 8', NEEDS, async (bench) => {
    const asking = bench.manager(bench.left);
    bench.manager(bench.right);
    const { qp } = bench.end(bench.left);
    const connecting = whateverBecomesOf(
      asking.connect(qp, { address: addressOf(bench, 'right'), port: 4711 }),
    );
    const { reason } = await rejection(bench.settle('the connection is rejected', connecting));
    expectEqual<number>(reason, REJECT_REASON.INVALID_SERVICE_ID, 'reason');
    const event = await bench.cmEvent(asking, 'REJECTED');
    expectEqual<number>(event.status, REJECT_REASON.INVALID_SERVICE_ID, 'status of the event');
  }),
  test('a program says no: CM_REJECTED, reason 28, and its private data', NEEDS, async (bench) => {
    const [asking, other] = [bench.manager(bench.left), bench.manager(bench.right)];
    const target = { address: addressOf(bench, 'right'), port: other.listen(0).port };
    const connecting = whateverBecomesOf(asking.connect(bench.end(bench.left).qp, target));
    const { reason, privateData } = await rejection(
      answering(bench, other, connecting, (request) => request.reject(Uint8Array.of(4, 2))),
    );
    expectEqual<number>(reason, REJECT_REASON.CONSUMER_DEFINED, 'reason');
    expectList([...privateData.subarray(0, 3)], [4, 2, 0], 'private data');
    expectEqual(privateData.length, 148, 'size of the field');
  }),
  test('a queue pair that was rejected can be connected again', NEEDS, async (bench) => {
    const [asking, other] = [bench.manager(bench.left), bench.manager(bench.right)];
    const target = { address: addressOf(bench, 'right'), port: other.listen(0).port };
    const [client, server] = [bench.end(bench.left), bench.end(bench.right)];
    const attempt = (number: number) =>
      asking.connect(client.qp, { ...target, privateData: Uint8Array.of(number) });
    // The second attempt alone is accepted, even if a copy of the first one comes late.
    const answer = (request: ConnectionRequest) =>
      request.privateData[0] === 1 ? request.reject() : request.accept(server.qp);
    await rejection(answering(bench, other, attempt(1), answer));
    await answering(bench, other, attempt(2), answer);
    expectEqual(client.qp.state, 'RTS', 'state');
  }),
  test('nobody answers: CM_UNREACHABLE, after all retries', NEEDS, async (bench) => {
    const asking = bench.manager(bench.left, { responseTimeout: 10, maxCmRetries: 3 });
    const { qp } = bench.end(bench.left);
    const beganNs = bench.left.clock.nowNs;
    const connecting = whateverBecomesOf(
      asking.connect(qp, { address: addressOf(bench, 'right'), port: 4711 }),
    );
    await expectRejected('CM_UNREACHABLE', bench.settle('the client gives up', connecting));
    // Four times 4.096 us x 2^10.
    expectThat(bench.left.clock.nowNs - beganNs >= 4 * 4096 * 1024, 'it waited for an answer');
    await bench.cmEvent(asking, 'UNREACHABLE');
  }),
  ...(['client', 'server'] as const).map((who) =>
    test(`the ${who} disconnects: both queue pairs are in ERR and both sides know`, NEEDS, async (bench) => {
      const both = await connectByManagers(bench);
      const { client, server, active, passive, asking, answering } = both;
      for (const end of [client, server]) end.qp.postRecv(end.recv(7, 0, 10));
      const ending = (who === 'client' ? active : passive).disconnect();
      await bench.settle('the disconnection ends', ending);
      await bench.settle('the client knows', active.disconnected);
      await bench.settle('the server knows', passive.disconnected);
      expectList(states(both), ['ERR', 'ERR'], 'states');
      for (const end of [client, server]) await bench.flushed(end.recvCq, 7);
      for (const manager of [asking, answering]) await bench.cmEvent(manager, 'DISCONNECTED');
    }),
  ),
  test('a handler gets the requests of its port', NEEDS, async (bench) => {
    const [asking, answering] = [bench.manager(bench.right), bench.manager(bench.left)];
    const server = bench.end(bench.left);
    const listener = answering.listen(0, (request) => request.accept(server.qp));
    const { qp } = bench.end(bench.right);
    const target = { address: addressOf(bench, 'left'), port: listener.port };
    await bench.settle('the client is connected', asking.connect(qp, target), bench.right);
    await bench.cmEvent(answering, 'ESTABLISHED');
  }),
  test('a connection from a device to itself', MOVING, async (bench) => {
    const manager = bench.manager(bench.left);
    const both = await connectByManagers(bench, { loopback: true, managers: [manager, manager] });
    await send(bench, both.client, both.server, 100);
    await send(bench, both.server, both.client, 300);
  }),
  test('eight clients at once, each with its own server', MOVING, async (bench) => {
    const [asking, answering] = [bench.manager(bench.left), bench.manager(bench.right)];
    const { port } = answering.listen(0);
    const clients = Array.from({ length: 8 }, () => bench.end(bench.left));
    const connecting = clients.map(({ qp }, index) => {
      const privateData = Uint8Array.of(index);
      return whateverBecomesOf(asking.connect(qp, { address: addressOf(bench, 'right'), port, privateData }));
    });
    const servers: End[] = [];
    for (let left = clients.length; left > 0; left--) {
      let event = await nextOf(bench, answering);
      while (event.type !== 'CONNECT_REQUEST') event = await nextOf(bench, answering);
      const server = bench.end(bench.right);
      servers[event.request.privateData[0]!] = server;
      event.request.accept(server.qp);
    }
    await bench.settle('all are connected', Promise.all(connecting));
    for (const [index, client] of clients.entries()) await send(bench, client, servers[index]!, 100);
  }),
  test('UC is connected too, and accepted with UC alone', ['connectionManager', 'UC'], async (bench) => {
    const both = await connectByManagers(bench, { ends: { qpType: 'UC' } });
    expectList(states(both), ['RTS', 'RTS'], 'states');
  }),
];

async function nextOf(bench: ContractBench, manager: Connected['asking']) {
  let found = manager.tryGetCmEvent();
  await bench.until('there is an event', () => {
    found ??= manager.tryGetCmEvent();
    return found !== null;
  });
  return found!;
}

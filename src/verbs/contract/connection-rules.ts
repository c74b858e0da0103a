import type { ConnectionOptions, ConnectionRequest } from '../connection-manager.js';
import { ConnectionError } from '../error.js';
import { REJECT_REASON } from '../reject-reason.js';
import { expectEqual, expectRefused, expectRejected, expectThat } from './kit/assert.js';
import type { ContractBench } from './kit/bench.js';
import { type ContractCase, casesOf, type Need } from './kit/case.js';
import { addressOf, connectByManagers, whateverBecomesOf } from './kit/connected.js';

const test = casesOf('connection rules');
const NEEDS: readonly Need[] = ['connectionManager', 'RC'];

/** A request that waits at the right device, and the client that made it. */
async function asked(bench: ContractBench, options: ConnectionOptions = {}) {
  const [asking, answering] = [bench.manager(bench.left), bench.manager(bench.right)];
  const { port } = answering.listen(0);
  const { qp } = bench.end(bench.left);
  const target = { address: addressOf(bench, 'right'), port };
  const connecting = whateverBecomesOf(asking.connect(qp, { ...target, ...options }));
  const { request } = await bench.cmEvent(answering, 'CONNECT_REQUEST');
  return { request, connecting, asking, answering, target, qp };
}

/** What no request and no acceptance can ask for. */
const BAD_OPTIONS: readonly (readonly [string, ConnectionOptions])[] = [
  ['responderResources', { responderResources: 1e6 }],
  ['initiatorDepth', { initiatorDepth: -1 }],
  ['rnrRetryCount', { rnrRetryCount: 8 }],
  ['privateData', { privateData: new Uint8Array(197) }],
];

/** What connection managers refuse, and how they end. */
export const connectionRuleCases: readonly ContractCase[] = [
  test('a port is one listener’s until that is closed', ['connectionManager'], async (bench) => {
    const [one, other] = [bench.manager(bench.left), bench.manager(bench.left)];
    const listener = one.listen(4711);
    expectEqual(listener.port, 4711, 'port');
    for (const manager of [one, other]) expectRefused('CM_SERVICE_TAKEN', () => manager.listen(4711));
    listener.close();
    expectEqual(other.listen(4711).port, 4711, 'port');
  }),
  test('port 0 is any that is free; others are 1 to 65535', ['connectionManager'], async (bench) => {
    const manager = bench.manager(bench.left);
    const ports = new Set(Array.from({ length: 16 }, () => manager.listen(0).port));
    expectEqual(ports.size, 16, 'different ports');
    for (const port of ports) expectThat(port > 0 && port <= 65535, `${port} is a port`);
    for (const bad of [-1, 65536, 1.5, Number.NaN])
      expectRefused('OUT_OF_RANGE', () => manager.listen(bad), { field: 'port' });
  }),
  test('a listener that is closed hears no more', NEEDS, async (bench) => {
    const [asking, answering] = [bench.manager(bench.left), bench.manager(bench.right)];
    const listener = answering.listen(0);
    listener.close();
    const { qp } = bench.end(bench.left);
    const target = { address: addressOf(bench, 'right'), port: listener.port };
    await expectRejected('CM_REJECTED', bench.settle('it is rejected', asking.connect(qp, target)));
    expectEqual(answering.tryGetCmEvent(), null, 'event');
  }),
  test('a target that is none is refused', NEEDS, async (bench) => {
    const manager = bench.manager(bench.left);
    const { qp } = bench.end(bench.left);
    const address = addressOf(bench, 'right');
    const refused = (field: string, target: { address: string; port: number }) =>
      expectRejected('OUT_OF_RANGE', manager.connect(qp, target), { field });
    for (const bad of ['', 'nowhere', '300.1.2.3', '1:2'])
      await refused('address', { address: bad, port: 1 });
    for (const port of [0, -1, 65536, 1.5]) await refused('port', { address, port });
    const privateData = new Uint8Array(57);
    await expectRejected('OUT_OF_RANGE', manager.connect(qp, { address, port: 1, privateData }), {
      field: 'privateData',
    });
  }),
  ...BAD_OPTIONS.map(([field, options]) =>
    test(`an acceptance with a bad ${field} is refused, a good one then taken`, NEEDS, async (bench) => {
      const { request, connecting } = await asked(bench);
      const { qp } = bench.end(bench.right);
      expectRefused('OUT_OF_RANGE', () => request.accept(qp, options), { field });
      request.accept(qp);
      await bench.settle('the client is connected', connecting);
    }),
  ),
  test('a rejection with too much private data is refused', NEEDS, async (bench) => {
    const { request } = await asked(bench);
    expectRefused('OUT_OF_RANGE', () => request.reject(new Uint8Array(149)), { field: 'privateData' });
    request.reject(new Uint8Array(148));
  }),
  test('a request is answered once', NEEDS, async (bench) => {
    const answers: ((request: ConnectionRequest) => unknown)[] = [
      (request) => request.reject(),
      (request) => request.accept(bench.end(bench.right).qp),
    ];
    for (const first of answers) {
      const { request } = await asked(bench);
      first(request);
      for (const second of answers) expectRefused('CM_WRONG_STATE', () => second(request));
    }
  }),
  test('a queue pair of another device is refused with WRONG_OWNER', NEEDS, async (bench) => {
    const { request, asking, target } = await asked(bench);
    const [left, right] = [bench.end(bench.left), bench.end(bench.right)];
    expectRefused('WRONG_OWNER', () => request.accept(left.qp));
    await expectRejected('WRONG_OWNER', asking.connect(right.qp, target));
  }),
  test('a queue pair that is up, or of another type, is refused', NEEDS, async (bench) => {
    const { request, asking, target } = await asked(bench);
    const { a, b } = bench.pair();
    expectRefused('WRONG_STATE', () => request.accept(b.qp));
    await expectRejected('WRONG_STATE', asking.connect(a.qp, target));
    if (bench.left.capabilities.transports.includes('UD')) {
      const datagrams = bench.end(bench.left, { qpType: 'UD' });
      await expectRejected('OUT_OF_RANGE', asking.connect(datagrams.qp, target), { field: 'qpType' });
    }
    if (bench.right.capabilities.transports.includes('UC')) {
      const { qp } = bench.end(bench.right, { qpType: 'UC' });
      expectRefused('OUT_OF_RANGE', () => request.accept(qp), { field: 'qpType' });
    }
  }),
  test('a queue pair that is being connected is refused with CM_WRONG_STATE', NEEDS, async (bench) => {
    const { asking, target, qp } = await asked(bench);
    await expectRejected('CM_WRONG_STATE', asking.connect(qp, target));
  }),
  test('what a handler throws rejects the request and comes as events', NEEDS, async (bench) => {
    const [asking, answering] = [bench.manager(bench.right), bench.manager(bench.left)];
    const mistake = new Error('the program is wrong');
    const { port } = answering.listen(0, () => {
      throw mistake;
    });
    const { qp } = bench.end(bench.right);
    const connecting = whateverBecomesOf(asking.connect(qp, { address: addressOf(bench, 'left'), port }));
    const error = await expectRejected(
      'CM_REJECTED',
      bench.settle('it is rejected', connecting, bench.right),
    );
    if (error instanceof ConnectionError)
      expectEqual<number>(error.reason, REJECT_REASON.NO_RESOURCES, 'reason');
    const event = await bench.cmEvent(answering, 'CONNECT_ERROR');
    expectEqual(event.error, mistake, 'error of the event');
    expectEqual(event.port, port, 'port of the event');
    const fault = await bench.event(bench.left, 'CM_FAULT');
    expectEqual(fault.port, port, 'port of the async event');
  }),
  test('a queue pair that its program destroyed does no harm', NEEDS, async (bench) => {
    for (const who of ['client', 'server'] as const) {
      const both = await connectByManagers(bench);
      both[who].qp.destroy();
      const { active, passive } = both;
      await bench.settle('it ends', (who === 'client' ? passive : active).disconnect());
      await bench.settle('the other side knows', (who === 'client' ? active : passive).disconnected);
    }
  }),
  test('a closed manager refuses, forgets its ports, and its peers can still part', NEEDS, async (bench) => {
    const { answering, asking, active, server } = await connectByManagers(bench);
    const { port } = answering.listen(0);
    answering.close();
    expectRefused('OBJECT_DESTROYED', () => answering.listen(0));
    expectRefused('OBJECT_DESTROYED', () => answering.tryGetCmEvent());
    expectEqual(server.qp.state, 'RTS', 'state of the queue pair');
    const again = asking.connect(bench.end(bench.left).qp, { address: addressOf(bench, 'right'), port });
    await expectRejected('CM_REJECTED', bench.settle('it is rejected', again));
    await bench.settle('the client parts', active.disconnect());
  }),
  test('closing a manager ends what waits for it', NEEDS, async (bench) => {
    const { asking, connecting } = await asked(bench);
    const waiting = whateverBecomesOf(asking.getCmEvent());
    asking.close();
    await expectRejected('OBJECT_DESTROYED', bench.settle('the wait ends', waiting));
    await expectRejected('OBJECT_DESTROYED', bench.settle('the attempt ends', connecting));
  }),
  test('getCmEvent waits for the event, or for an abort', NEEDS, async (bench) => {
    const [asking, answering] = [bench.manager(bench.left), bench.manager(bench.right)];
    const { port } = answering.listen(0);
    const abort = new AbortController();
    const aborted = answering.getCmEvent(abort.signal).then(
      () => 'event',
      () => 'aborted',
    );
    await bench.right.clock.sleep(1000);
    abort.abort();
    expectEqual(await bench.settle('the wait ends', aborted), 'aborted', 'outcome of the wait');
    const waiting = answering.getCmEvent();
    const { qp } = bench.end(bench.left);
    whateverBecomesOf(asking.connect(qp, { address: addressOf(bench, 'right'), port }));
    const event = await bench.settle('the event comes', waiting);
    expectEqual(event.type, 'CONNECT_REQUEST', 'event');
  }),
];

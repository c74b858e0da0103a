import type { Connection, ConnectionManager, ConnectionOptions } from '../../connection-manager.js';
import type { ContractBench } from './bench.js';
import type { End, EndOptions } from './end.js';

/** What a case chooses about a connection. */
export interface ConnectedOptions {
  ends?: EndOptions;
  /** What the client, on the left device, asks for. */
  client?: ConnectionOptions;
  /** What the server, on the right device, accepts with. */
  server?: ConnectionOptions;
  /** Both ends on the left device. */
  loopback?: boolean;
  /** Managers that are there already. */
  managers?: readonly [ConnectionManager, ConnectionManager];
}

/** Two ends that were connected by RDMA-CM. */
export interface Connected {
  client: End;
  server: End;
  /** The managers of the two. */
  asking: ConnectionManager;
  answering: ConnectionManager;
  active: Connection;
  passive: Connection;
}

/** A promise that the case may never come to wait for, when something fails before. */
export function whateverBecomesOf<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined);
  return promise;
}

/** Where a device is found. */
export function addressOf(bench: ContractBench, end: 'left' | 'right'): string {
  return bench[end].queryGid(1, bench.gidIndex);
}

/** Connects a client on the left device to a server on the right one, event by event. */
export async function connectByManagers(
  bench: ContractBench,
  options: ConnectedOptions = {},
): Promise<Connected> {
  const side = options.loopback ? 'left' : 'right';
  const [asking, answering] = options.managers ?? [bench.manager(bench.left), bench.manager(bench[side])];
  const client = bench.end(bench.left, options.ends);
  const server = bench.end(bench[side], options.ends);
  const listener = answering.listen(0);
  const target = { address: addressOf(bench, side), port: listener.port, ...options.client };
  const connecting = whateverBecomesOf(asking.connect(client.qp, target));
  const { request } = await bench.cmEvent(answering, 'CONNECT_REQUEST');
  const passive = request.accept(server.qp, options.server);
  const active = await bench.settle('the client is connected', connecting);
  await bench.settle('the server is connected', passive.established);
  listener.close();
  await bench.cmEvent(answering, 'ESTABLISHED');
  await bench.cmEvent(asking, 'ESTABLISHED');
  return { client, server, asking, answering, active, passive };
}

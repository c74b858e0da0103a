/**
 * Programs on the verbs, for any provider: the other side of perftest, of rdma-core's ping-pongs and of librdmacm's
 * `rping`, and applications that can be run beside others.
 *
 * @example
 * import { RPING_PORT, rpingClient, rpingServer } from 'kelpie/services';
 * import { openTestbed } from 'kelpie/testbeds';
 *
 * const testbed = await openTestbed({ subsystem: 'collie-f' });
 * const [client, server] = testbed.hosts.map(({ context }) => context);
 * const served = rpingServer(server!, server!.createConnectionManager(), RPING_PORT, { sizeBytes: 64 });
 * const options = { sizeBytes: 64, count: 10 };
 * await rpingClient(client!, client!.createConnectionManager(), server!.queryGid(1, 0), RPING_PORT, options);
 * console.log(await served); // 10
 * await testbed.close();
 *
 * @module
 */
export { allReduce } from './applications/all-reduce.js';
export type { Application, ApplicationSite, RunningApplication } from './applications/application.js';
export { keyValue } from './applications/key-value.js';
export { type PacedWrites, pacedWrites, type RunningWrites } from './applications/paced-writes.js';
export { type RingOptions, ring } from './applications/ring.js';
export * from './libfabric/index.js';
export * from './perftest/index.js';
export * from './qperf/index.js';
export * from './rdmacm/index.js';
export * from './rping/index.js';

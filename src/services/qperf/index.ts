/**
 * The other side of qperf 0.4: its tests of RC over RDMA-CM, both roles.
 *
 * @example
 * await serveQperf(context, manager, channel);
 *
 * @module
 */
export { askQperf, type QperfOptions, serveQperf } from './qperf.js';
export type { QperfResult } from './result.js';
export { QPERF_TESTS, type QperfTestName } from './test-table.js';

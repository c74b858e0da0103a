/**
 * The other side of librdmacm's `rping`, as client and as server.
 *
 * @example
 * await rpingClient(context, manager, '10.77.0.2', RPING_PORT, { sizeBytes: 64, count: 10 });
 *
 * @module
 */
export * from './rping.js';

/**
 * Links: what carries whole RoCEv2 datagrams, whatever lies below, and the middlewares around them. Nothing here knows
 * sockets; those are the providers'.
 *
 * @example
 * const link: Link = await openUdpLink({ address: '127.0.0.1' });
 * const batch = link.createBatch(256, 1 << 20);
 *
 * @module
 */
export * from './datagram-batch.js';
export * from './ethernet/index.js';
export * from './icrc-flow.js';
export * from './identification-basis.js';
export * from './link.js';
export * from './middleware/index.js';

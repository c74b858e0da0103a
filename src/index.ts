/**
 * Kelpie: a laboratory for RDMA subsystems. The verbs, and the providers that run in any JavaScript engine; the layers
 * below have faces of their own (`kelpie/engine`, `kelpie/wire`).
 *
 * @example
 * import { connectRcPair, IdealProvider } from 'kelpie';
 * const provider = new IdealProvider();
 * const [a, b] = connectRcPair(await provider.open('ideal0'), await provider.open('ideal1'));
 *
 * @module
 */
export { type ErrorDetail, KelpieError } from './error.js';
export { type IdealOptions, IdealProvider } from './providers/ideal/index.js';
export * from './verbs/index.js';

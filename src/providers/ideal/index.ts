/**
 * The ideal provider: devices in memory that keep every promise of the verbs, at once or after a fixed latency.
 *
 * @example
 * const provider = new IdealProvider();
 * const [left, right] = [await provider.open('ideal0'), await provider.open('ideal1')];
 * const pair = connectRcPair(left, right);
 *
 * @module
 */
export { type IdealOptions, IdealProvider } from './provider.js';

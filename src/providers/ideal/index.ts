/**
 * The ideal provider: devices in memory that keep every promise of the verbs, at once or after a fixed latency. It is
 * exported by `kelpie` itself.
 *
 * @module
 */
export { type IdealOptions, IdealProvider } from './provider.js';

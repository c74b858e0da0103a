/**
 * The simulated provider: an RDMA subsystem in virtual time.
 *
 * @module
 */
export type { Impairment } from './impairment.js';
export { type SimulatedOptions, SimulatedProvider } from './provider.js';

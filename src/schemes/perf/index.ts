/**
 * PeRF: isolation by preemption in the device, in software.
 *
 * @module
 */
export type { PerfSettings } from './constants.js';
export { perf, perfWith } from './perf.js';

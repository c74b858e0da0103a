/**
 * PeRF: isolation by preemption in the device, in software.
 *
 * @module
 */
export { type ApplicationType, Classifier } from './classifier.js';
export { PERF, PERF_DEFAULTS, type PerfSettings } from './constants.js';
export { Master } from './master.js';
export { perf, perfWith } from './perf.js';

/**
 * Isolation schemes: how tenants of one device are kept from hurting each other. A scheme is settings of the device, a
 * layer between the tenants and their verbs, or both; schemes that use different means combine.
 *
 * @example
 * import { findScheme, schemes } from 'kelpie/schemes';
 *
 * const names = schemes.map(({ name }) => name);
 * console.log(names.includes('justitia'), names.includes('harmonic')); // true true
 * console.log(findScheme('sr-iov+hw-tc').name); // sr-iov+hw-tc
 *
 * @module
 */
export { combine } from './combination.js';
export { costNote } from './interposer/cost-note.js';
export { justitia, justitiaRelaxed, justitiaWith } from './justitia/index.js';
export { type PerfSettings, perf, perfWith } from './perf/index.js';
export { findScheme, schemes } from './registry.js';
export {
  ANYWHERE,
  AS_SHIPPED,
  type DeviceIsolation,
  type InterposeOptions,
  type Interposer,
  type InterposerCost,
  type Isolation,
  type Scheme,
  type SchemeHost,
  type SchemeTenant,
  type SchemeUse,
  type TenantAccounting,
  type TenantPlace,
  type TrafficClasses,
} from './scheme.js';

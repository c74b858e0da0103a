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

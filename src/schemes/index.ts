export { combine } from './combination.js';
export { findScheme, schemes } from './registry.js';
export {
  ANYWHERE,
  AS_SHIPPED,
  type DeviceIsolation,
  type InterposeOptions,
  type Isolation,
  type Interposer,
  type InterposerCost,
  type Scheme,
  type SchemeHost,
  type SchemeTenant,
  type SchemeUse,
  type TenantAccounting,
  type TenantPlace,
  type TrafficClasses,
} from './scheme.js';

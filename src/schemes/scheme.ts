import type { Capabilities, Context, QpType, SendOpcode } from '../verbs/index.js';

/** A tenant as a scheme knows it: which one, and what it was promised. */
export interface SchemeTenant {
  name: string;
  /** 0, 1, … in the order in which tenants came. */
  index: number;
  /** Share of what all tenants have, relative to the others. */
  weight: number;
  /** Bandwidth that it was promised, in Gb/s; 0 where it was promised none. */
  guaranteeGbps: number;
  /**
   * It calls the provider's own verbs and not the scheme's: a hostile tenant that does not load the library. Whoever
   * opens contexts for it does not call `wrap`; device settings hold all the same.
   */
  bypasses: boolean;
}

/** What a scheme would be used on and for: enough to refuse by name. */
export interface SchemeUse {
  /** The provider's name. */
  provider: string;
  capabilities: Capabilities;
  /** Names of all schemes that are used together, this one included. */
  together: readonly string[];
  tenants: readonly {
    name: string;
    transport: QpType;
    opcodes: readonly SendOpcode[];
  }[];
}

/** Deficit-round-robin weights and strict priorities of the eight traffic classes at every port. */
export interface TrafficClasses {
  /** By class; default: 1. */
  weights: readonly number[];
  /** Classes that go before all others, the highest first; empty for none. */
  strict: readonly number[];
}

/** What a device counts and limits for each function by itself; the scheme `harmonic` asks for it. */
export interface TenantAccounting {
  /** Shares of the functions, by number, the physical one included. */
  shares: readonly number[];
}

/** How the devices of a testbed are to be set for a scheme. */
export interface DeviceIsolation {
  /** Functions (0 is the physical one) with the rate limit of each, 0 for none; empty where tenants share function 0. */
  functionGbps: readonly number[];
  /** Null: classes stay as they are. */
  trafficClasses: TrafficClasses | null;
  accounting: TenantAccounting | null;
}

/** Where the device has a tenant. */
export interface TenantPlace {
  /** Its function, a number of `functionGbps`; null leaves it where the tenant is already. */
  functionNumber: number | null;
  /** Its traffic class, 0 to 7; null leaves the tenant's own. */
  trafficClass: number | null;
}

/** A host under a scheme: its letter and its device, as the provider opened it. */
export interface SchemeHost {
  name: string;
  context: Context;
}

/** What an interposer has cost so far, over all hosts and tenants. */
export interface InterposerCost {
  /** Messages that tenants posted. */
  messages: number;
  /** Work requests that went to the device for them, tenants' and own. */
  workRequests: number;
  /** Bytes over PCIe for those of them that are its own: their descriptors and the completions that tenants never see. */
  pcieBytes: number;
  /** Processor time of its own threads and of its work inside tenants' calls. */
  cpuNs: number;
  /** Parts of one core, on the host where it is most, since the scheme began: its work inside tenants' calls, */
  insideShare: number;
  /** and its own threads. */
  threadShare: number;
}

/** A scheme at work between tenants and devices, for all hosts of one run. */
export interface Interposer {
  /**
   * The context that a tenant on a host gets instead of the provider's. Called once a tenant and host; everything that
   * the tenant makes, it makes from it, and it behaves as the verbs' contract says.
   */
  wrap(host: SchemeHost, tenant: SchemeTenant): Context;
  cost(): InterposerCost;
  /** Ends its threads. */
  stop(): void;
}

/** What an interposer is made from. */
export interface InterposeOptions {
  hosts: readonly SchemeHost[];
  tenants: readonly SchemeTenant[];
  /** Seeds whatever it draws. */
  seed: number;
}

/**
 * A way to keep tenants of one RDMA device from hurting each other: settings of the device, a layer between the tenants
 * and their verbs, or both. Schemes that use different means can be combined.
 *
 * @example
 * const scheme = findScheme('sr-iov+hw-tc');
 * const refusal = scheme.refuses(use);
 */
export interface Scheme {
  /** Such as `sr-iov`; a combination joins names by `+`. */
  readonly name: string;
  /** One line for people. */
  readonly title: string;
  /**
   * What it promises a tenant; default: `bandwidth`. `bandwidth`: its guarantee, in bits. `share`: its share of the
   * whole device, which is what it would have beside a tenant that does just what it does.
   */
  readonly promise?: 'bandwidth' | 'share';
  /** Why it does not apply to this use, with the name of what it lacks; null where it applies. */
  refuses(use: SchemeUse): string | null;
  /** How devices are set for these tenants, whose port has this line rate. */
  device(tenants: readonly SchemeTenant[], lineRateGbps: number): DeviceIsolation;
  /** Where the device has this tenant. */
  place(tenant: SchemeTenant): TenantPlace;
  /** Puts itself between tenants and devices; absent for schemes that are settings alone. */
  interpose?(options: InterposeOptions): Interposer;
}

/** A scheme and the tenants that it keeps apart. */
export interface Isolation {
  scheme: Scheme;
  tenants: readonly SchemeTenant[];
}

/** A device as it comes: one function without a limit, equal classes, nothing counted by tenant. */
export const AS_SHIPPED: DeviceIsolation = { functionGbps: [], trafficClasses: null, accounting: null };

/** A tenant that stays where it is. */
export const ANYWHERE: TenantPlace = { functionNumber: null, trafficClass: null };

import { KelpieError } from '../../error.js';
import type { Isolation, Scheme, SchemeTenant, SchemeUse } from '../../schemes/index.js';
import type { Capabilities, SendOpcode } from '../../verbs/index.js';
import { type Operation, operationMix, type Tenant, type Workload } from '../../workload/index.js';

/** What tenants were promised, and who keeps to the rules. */
export interface SchemeChoices {
  /** Of each tenant; an equal share of the line unless set. */
  guaranteeGbps?: number;
  /** Names of tenants that call the provider's verbs past the scheme. */
  bypass?: readonly string[];
}

/** A workload as it runs under a scheme. */
export interface Isolated {
  workload: Workload;
  /** Null without a scheme. */
  isolation: Isolation | null;
}

const OPCODES: Readonly<Record<Operation, SendOpcode>> = {
  WRITE: 'RDMA_WRITE',
  WRITE_WITH_IMM: 'RDMA_WRITE_WITH_IMM',
  READ: 'RDMA_READ',
  SEND: 'SEND',
  SEND_WITH_IMM: 'SEND_WITH_IMM',
  COMPARE_SWAP: 'ATOMIC_CMP_AND_SWP',
  FETCH_ADD: 'ATOMIC_FETCH_AND_ADD',
};

/** Puts the tenants of a workload under a scheme: equal weights, each in the place that the scheme has for it. */
export function underScheme(
  workload: Workload,
  scheme: Scheme | null,
  { guaranteeGbps = 0, bypass = [] }: SchemeChoices = {},
): Isolated {
  if (scheme === null) return { workload, isolation: null };
  const tenants = workload.tenants.map(
    ({ name }, index): SchemeTenant => ({
      name,
      index,
      weight: 1,
      guaranteeGbps,
      bypasses: bypass.includes(name),
    }),
  );
  const placed = workload.tenants.map((tenant, index): Tenant => {
    const { trafficClass } = scheme.place(tenants[index]);
    return trafficClass === null ? tenant : { ...tenant, serviceLevel: trafficClass };
  });
  return { workload: { ...workload, tenants: placed }, isolation: { scheme, tenants } };
}

/** Why a scheme does not apply to these tenants on this provider; null where it does. */
export function refusalOf(
  scheme: Scheme,
  tenants: readonly Tenant[],
  provider: string,
  capabilities: Capabilities,
): string | null {
  const use: SchemeUse = {
    provider,
    capabilities,
    together: scheme.name.split('+'),
    tenants: tenants.map((tenant) => ({
      name: tenant.name,
      transport: tenant.transport,
      opcodes: tenant.qps === 0 ? [] : operationMix(tenant).map(({ opcode }) => OPCODES[opcode]),
    })),
  };
  return scheme.refuses(use);
}

/** As {@link refusalOf}, as an error. */
export function requireApplies(
  scheme: Scheme,
  tenants: readonly Tenant[],
  provider: string,
  capabilities: Capabilities,
): void {
  const reason = refusalOf(scheme, tenants, provider, capabilities);
  if (reason === null) return;
  throw new KelpieError('SCHEME_DOES_NOT_APPLY', reason, { field: 'scheme', given: scheme.name });
}

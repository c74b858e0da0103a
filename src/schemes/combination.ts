import { KelpieError } from '../error.js';
import type {
  DeviceIsolation,
  InterposeOptions,
  Interposer,
  Scheme,
  SchemeTenant,
  SchemeUse,
  TenantPlace,
} from './scheme.js';

/**
 * Several schemes at once. Each sets its own part of the device; two that set the same part, or two that both stand
 * between tenants and verbs, cannot be combined.
 */
export function combine(parts: readonly Scheme[]): Scheme {
  const interposing = parts.filter((part) => part.interpose !== undefined);
  const name = parts.map((part) => part.name).join('+');
  if (interposing.length > 1) throw clash(name, 'both stand between tenants and their verbs', interposing);
  const interpose = interposing[0]?.interpose;
  return {
    name,
    title: parts.map((part) => part.title).join('; '),
    promise: parts.some((part) => part.promise === 'share') ? 'share' : 'bandwidth',
    refuses(use: SchemeUse): string | null {
      for (const part of parts) {
        const reason = part.refuses(use);
        if (reason !== null) return reason;
      }
      return null;
    },
    device(tenants: readonly SchemeTenant[], lineRateGbps: number): DeviceIsolation {
      const each = parts.map((part) => part.device(tenants, lineRateGbps));
      return {
        functionGbps:
          onlyOne(name, 'functions', each, (one) => one.functionGbps.length > 0, parts)?.functionGbps ?? [],
        trafficClasses:
          onlyOne(name, 'traffic classes', each, (one) => one.trafficClasses !== null, parts)
            ?.trafficClasses ?? null,
        accounting:
          onlyOne(name, 'accounting', each, (one) => one.accounting !== null, parts)?.accounting ?? null,
      };
    },
    place(tenant: SchemeTenant): TenantPlace {
      const places = parts.map((part) => part.place(tenant));
      return {
        functionNumber: places.find((place) => place.functionNumber !== null)?.functionNumber ?? null,
        trafficClass: places.find((place) => place.trafficClass !== null)?.trafficClass ?? null,
      };
    },
    ...(interpose === undefined
      ? {}
      : { interpose: (options: InterposeOptions): Interposer => interpose(options) }),
  };
}

function onlyOne(
  name: string,
  what: string,
  each: readonly DeviceIsolation[],
  sets: (one: DeviceIsolation) => boolean,
  parts: readonly Scheme[],
): DeviceIsolation | undefined {
  const found = each.filter(sets);
  if (found.length > 1)
    throw clash(
      name,
      `both set the ${what} of the device`,
      parts.filter((_, i) => sets(each[i])),
    );
  return found[0];
}

function clash(given: string, why: string, parts: readonly Scheme[]): KelpieError {
  return new KelpieError('SCHEMES_CLASH', `${parts.map((part) => part.name).join(' and ')} ${why}`, {
    field: 'scheme',
    given,
    allowed: 'schemes that use different means',
  });
}

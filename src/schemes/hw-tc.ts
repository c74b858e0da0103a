import { AS_SHIPPED, type Scheme, type SchemeTenant } from './scheme.js';

/** Classes of a port (802.1Q). */
const CLASSES = 8;
/** Husky §5.1 gives the victim class 0 and the attacker class 3. */
const STRIDE = 3;

function classOf({ index }: SchemeTenant): number {
  return (index * STRIDE) % CLASSES;
}

/** A traffic class per tenant; classes share the port by weight (ETS, 802.1Qaz). Eight tenants at most. */
export const hwTc: Scheme = {
  name: 'hw-tc',
  title: 'a traffic class per tenant, weighted (ETS)',
  refuses({ provider, capabilities, tenants }) {
    if (!capabilities.packets)
      return `hw-tc needs a port with traffic classes; the ${provider} provider has none`;
    return tenants.length > CLASSES ? `hw-tc has ${CLASSES} traffic classes, not ${tenants.length}` : null;
  },
  device(tenants) {
    const weights = Array<number>(CLASSES).fill(1);
    for (const tenant of tenants) weights[classOf(tenant)] = tenant.weight;
    return { ...AS_SHIPPED, trafficClasses: { weights, strict: [] } };
  },
  place: (tenant) => ({ functionNumber: null, trafficClass: classOf(tenant) }),
};

/** As `hw-tc`, but the first tenant's class goes before all others (strict priority, SP). */
export const hwTcStrict: Scheme = {
  ...hwTc,
  name: 'hw-tc-sp',
  title: 'a traffic class per tenant; the first goes before all others (SP)',
  device(tenants, lineRateGbps) {
    const { trafficClasses, ...rest } = hwTc.device(tenants, lineRateGbps);
    const strict = tenants.filter(({ index }) => index === 0).map(classOf);
    return { ...rest, trafficClasses: { weights: trafficClasses!.weights, strict } };
  },
};

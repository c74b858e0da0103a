import { AS_SHIPPED, type Scheme } from './scheme.js';

/**
 * A virtual function per tenant, each with a rate limit: its guarantee, or its share of the line (Husky §5.1: two tenants,
 * 50 Gb/s each of 100).
 */
export const srIov: Scheme = {
  name: 'sr-iov',
  title: 'a virtual function per tenant, with a rate limit',
  refuses: ({ provider, capabilities }) =>
    capabilities.packets ? null : `sr-iov needs a device with functions; the ${provider} provider has none`,
  device(tenants, lineRateGbps) {
    const weights = tenants.reduce((sum, tenant) => sum + tenant.weight, 0);
    return {
      ...AS_SHIPPED,
      functionGbps: [
        0,
        ...tenants.map(({ guaranteeGbps, weight }) =>
          guaranteeGbps > 0 ? guaranteeGbps : (lineRateGbps * weight) / weights,
        ),
      ],
    };
  },
  place: ({ index }) => ({ functionNumber: index + 1, trafficClass: null }),
};

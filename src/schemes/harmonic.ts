import { hwTc } from './hw-tc.js';
import type { Scheme } from './scheme.js';

/**
 * Ours: devices that account by function for scheduler and engine time, bytes on the bus, cache lines, buffers,
 * acknowledgements and errors, and serve each tenant by its share; a traffic class per tenant besides, so that a pause
 * stops one alone. No limit where nobody else asks: an undisturbed tenant has the whole device.
 */
export const harmonic: Scheme = {
  name: 'harmonic',
  title: 'accounts by tenant of time, bytes, cache lines and errors, in the device',
  promise: 'share',
  refuses(use) {
    if (use.provider !== 'simulated')
      return `harmonic needs a device that accounts by tenant; the ${use.provider} provider has none, nor has hardware today`;
    if (use.together.some((name) => name.startsWith('hw-tc')))
      return 'harmonic has traffic classes of its own and is not combined with hw-tc';
    return hwTc.refuses(use);
  },
  device(tenants, lineRateGbps) {
    return {
      functionGbps: [0, ...tenants.map(() => 0)],
      trafficClasses: hwTc.device(tenants, lineRateGbps).trafficClasses,
      accounting: { shares: [1, ...tenants.map(({ weight }) => weight)] },
    };
  },
  place: (tenant) => ({ functionNumber: tenant.index + 1, trafficClass: hwTc.place(tenant).trafficClass }),
};

import { describe, expect, it } from 'vitest';
import { findProfile, resolveSubsystem } from '../../profiles/index.js';
import { contractSuite } from '../../verbs/contract/index.js';
import { SimulatedProvider } from './provider.js';
import { checkDrained } from './testing/conservation.js';

const networks = [
  { name: 'lossless' },
  {
    name: 'with loss, duplication and reordering',
    impairment: { loss: 0.01, duplication: 0.01, reordering: 0.01 },
  },
];

// A device of each architecture, in the same servers.
const devices = ['connectx-6-200g', 'irn-100g', 'srnic-fpga-100g', 'ideal-100g'];
const benches = devices.flatMap((device) => networks.map((network) => ({ device, ...network })));

for (const { device, name, impairment } of benches) {
  const subsystem = resolveSubsystem({ ...findProfile('subsystem', 'collie-f'), device });
  const open = async () => {
    const provider = new SimulatedProvider({ subsystem, impairment });
    const [left, right] = await Promise.all([provider.open('sim0'), provider.open('sim1')]);
    return {
      left,
      right,
      lossless: impairment === undefined,
      close: async () => {
        await Promise.all([left.close(), right.close()]);
        expect(checkDrained(provider.world)).toBeGreaterThan(0);
      },
    };
  };
  contractSuite({ name: `simulated, ${device}, ${name}`, open, describe, it });
}

import { describe, expect, it } from 'vitest';
import { findProfile, resolveSubsystem } from '../../profiles/index.js';
import { contractCases, contractSuite } from '../../verbs/contract/index.js';
import { ContractBench } from '../../verbs/contract/kit/bench.js';
import { SimulatedProvider } from './provider.js';
import { checkDrained } from './testing/conservation.js';

const networks = [
  { name: 'lossless' },
  {
    name: 'with loss, duplication and reordering',
    impairment: { loss: 0.01, duplication: 0.01, reordering: 0.01 },
  },
];

// A device of each architecture, and one of parts of two, in the same servers.
const devices = [
  'connectx-6-200g',
  'irn-100g',
  'melo-100g',
  'srnic-fpga-100g',
  'ideal-100g',
  'srnic-fpga-100g-go-back-n',
];
const benches = devices.flatMap((device) => networks.map((network) => ({ device, ...network })));

const subsystemWith = (device: string) =>
  resolveSubsystem({ ...findProfile('subsystem', 'collie-f'), device });

for (const { device, name, impairment } of benches) {
  const subsystem = subsystemWith(device);
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

// What the suite skips on them is what they do not do.
it.each(['irn-100g', 'melo-100g', 'srnic-fpga-100g'])(
  '%s says that it places early, and does',
  async (device) => {
    const provider = new SimulatedProvider({
      subsystem: subsystemWith(device),
      impairment: networks[1].impairment,
    });
    const [left, right] = await Promise.all([provider.open('sim0'), provider.open('sim1')]);
    expect(left.capabilities.inOrderPlacement).toBe(false);
    const polling = contractCases.find(({ name }) => name.includes('sees the last byte'))!;
    const run = polling.run(new ContractBench({ left, right, lossless: false, close: async () => {} }, 5e9));
    await expect(run).rejects.toMatchObject({ code: 'CONTRACT_BROKEN' });
  },
);

import type { ContractDevices } from '../../../verbs/contract/index.js';
import { IdealProvider } from '../provider.js';

/** Two fresh ideal devices with a latency, so that what overlaps in time can be seen to. */
export async function openPair(): Promise<ContractDevices> {
  const provider = new IdealProvider({ latencyNs: 700 });
  const [left, right] = await Promise.all([provider.open('ideal0'), provider.open('ideal1')]);
  const close = async () => {
    await Promise.all([left.close(), right.close()]);
  };
  return { left, right, lossless: true, close };
}

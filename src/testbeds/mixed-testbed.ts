import type { Fabric, FabricSpec } from '../models/fabric/index.js';
import { LightFabric, type LightFabricOptions } from '../providers/simulated/mixed/light-fabric.js';
import type { TestbedRequest } from './description.js';
import { openSimulatedTestbed } from './simulated-testbed.js';
import type { IsolatedTestbed } from './tenant-contexts.js';

/** A testbed of full devices, and the fabric of light NICs that connects them. */
export interface MixedTestbed {
  readonly testbed: IsolatedTestbed;
  readonly fabric: Fabric;
}

/**
 * Opens simulated hosts as guests of a fabric of light NICs. `spec.guests.nodes` gives the node of each host.
 *
 * @example
 * const { testbed, fabric } = await openMixedTestbed({ subsystem: 'collie-f' }, { spec, trafficClass: 3 });
 * const measurement = await runWorkload(workload, testbed);
 * console.log(fabric.totals.pauseFrames);
 */
export async function openMixedTestbed(
  request: Omit<TestbedRequest, 'provider' | 'hosts' | 'fabric'>,
  options: LightFabricOptions & { readonly spec: FabricSpec },
): Promise<MixedTestbed> {
  let joined: LightFabric | null = null;
  const testbed = await openSimulatedTestbed({
    ...request,
    hosts: options.spec.guests?.nodes.length ?? 0,
    fabric: (parts) => {
      joined = new LightFabric(options, parts);
      return joined;
    },
  });
  return { testbed, fabric: (joined as LightFabric | null)!.fabric };
}

import type { NetworkFaults } from '../../../src/link/index.js';
import type { CaseBench, IpVersion } from '../bench.js';

/** Who asks: the side whose requests the case is about. */
export type Requester = 'Kelpie' | 'Linux';

/** One row of the table, run over both versions of IP. */
export interface InteropCase {
  group: string;
  name: string;
  requester: Requester;
  /** The versions of IP that the program has; both unless set. */
  versions?: readonly IpVersion[];
  /** What Kelpie's link does to packets meanwhile. */
  faults?: NetworkFaults;
  /** Where the kernel is known to be wrong: the case is expected to fail, and this is why. */
  kernelFault?: string;
  /** Throws where something does not hold; a string that it returns is a remark. */
  run(bench: CaseBench, signal: AbortSignal): Promise<unknown>;
}

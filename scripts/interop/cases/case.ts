import type { NetworkFaults } from '../../../src/link/index.js';
import type { CaseBench } from '../bench.js';

/** Who asks: the side whose requests the case is about. */
export type Requester = 'Kelpie' | 'Linux';

/** One row of the table. */
export interface InteropCase {
  group: string;
  name: string;
  requester: Requester;
  /** Why it is run over IPv4 alone; over both versions of IP unless set. */
  ipv4Alone?: string;
  /** What Kelpie's link does to packets meanwhile. */
  faults?: NetworkFaults;
  /** Where the kernel is known to be wrong: the case is expected to fail, and this is why. */
  kernelFault?: string;
  /** Throws where something does not hold; a string that it returns is a remark. */
  run(bench: CaseBench, signal: AbortSignal): Promise<unknown>;
}

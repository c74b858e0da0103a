import type { OnDemandReceiveConstants } from '../../../profiles/index.js';
import type { DmaPath } from '../../pcie/dma-path.js';
import type { PciePort } from '../../pcie/pcie-port.js';
import type { ReceiveRingOptions, ReceiveWqeSource } from '../parts/receive-wqe-source.js';
import { ReceiveFetch, ReceiveRing } from '../receive/receive-ring.js';
import { ringStrideBytes } from '../receive/ring-stride.js';

/** What receives on demand are made of. */
export interface OnDemandReceivesParts {
  constants: OnDemandReceiveConstants;
  pcie: PciePort;
}

/** A receive queue of which nothing is on chip: each WQE is read when its message has come, and then forgotten. */
class OnDemandRing extends ReceiveRing {
  override readonly fetchesBehind = true;
  private readonly pcie: PciePort;
  private readonly strideBytes: number;

  constructor(pcie: PciePort, strideBytes: number, queuePath: DmaPath, tenant: number) {
    super(queuePath, tenant);
    this.pcie = pcie;
    this.strideBytes = strideBytes;
  }

  override post(count: number): void {
    this.posted += count;
  }

  override take(): number {
    this.taken++;
    return ReceiveFetch.MISS;
  }

  override read(_found: number, nowPs: number): number {
    return this.pcie.read(nowPs, this.strideBytes, this.queuePath);
  }
}

/**
 * Receive WQEs without prefetch and without a cache (SRNIC, NSDI'23, §4.3.2): one PCIe round trip more in the latency of a
 * message, which a stream hides, since the reads of messages behind it are under way as well.
 */
export class OnDemandReceives implements ReceiveWqeSource {
  private readonly constants: OnDemandReceiveConstants;
  private readonly pcie: PciePort;

  constructor({ constants, pcie }: OnDemandReceivesParts) {
    this.constants = constants;
    this.pcie = pcie;
  }

  newRing(options: ReceiveRingOptions): ReceiveRing {
    const strideBytes = ringStrideBytes(this.constants, options);
    return new OnDemandRing(this.pcie, strideBytes, options.queuePath, options.tenant);
  }
}

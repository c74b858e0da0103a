import type { Random } from '../../engine/index.js';
import type { LinkDirection } from '../host/host-link.js';
import type { Iommu } from '../host/iommu.js';
import type { MemoryChannels } from '../host/memory-channels.js';
import { Changes } from '../resource/changes.js';
import { CreditWindow } from '../resource/credit-window.js';
import { FluidServer } from '../resource/fluid-server.js';

/** A link of the host that DMA of both directions shares, such as a weak inter-socket link or a root complex's turn. */
export class SharedLink {
  readonly server = new FluidServer();
  readonly psPerByte: number;
  /** Bytes that it carried, and time that DMA waited. */
  bytes = 0;
  waitedPs = 0;

  constructor(gbps: number) {
    this.psPerByte = 8000 / gbps;
  }
}

const NO_LINKS: readonly LinkDirection[] = [];
const NO_CHANGES = new Changes();

/** What a path costs; times are in picoseconds. */
export interface DmaPathOptions {
  name: string;
  /** From the read request at the device's port to the first byte of its completion there. */
  readLatencyPs: number;
  /** The links that DMA waits for on its way from the device, nearest first; default: none. */
  outward?: readonly LinkDirection[];
  /** The same on the way to the device, farthest first. */
  inward?: readonly LinkDirection[];
  shared?: SharedLink | null;
  /** Credits for posted writes on a path with a shared link; they return when that link has served the write. */
  postedBytes?: number;
  /** Whether the host's ordering point is on the path: memory is behind it, a peer device is not. */
  ordered?: boolean;
  /** The memory channels at its end; none at a GPU, whose memory is faster than any link to it. */
  memory?: MemoryChannels | null;
  /** How much longer a posted write keeps its credits after the shared link served it. */
  creditReturnPs?: number;
  /** How long it keeps them beyond that on average, where they come back irregularly. */
  creditQueuePs?: number;
  /** What translates the addresses of the device; default: nothing does. */
  iommu?: Iommu | null;
  /** What may change on the way while a run goes on. */
  changes?: Changes;
}

/**
 * The way between a device and a memory endpoint, as the host's graph and its settings give it. Devices keep it: when the
 * host changes, the path is told its new costs.
 */
export class DmaPath {
  readonly name: string;
  readonly ordered: boolean;
  readonly memory: MemoryChannels | null;
  readonly iommu: Iommu | null;
  readonly changes: Changes;
  readLatencyPs: number;
  outward: readonly LinkDirection[];
  inward: readonly LinkDirection[];
  shared: SharedLink | null;
  posted: CreditWindow | null;
  private creditReturnPs: number;
  private creditQueuePs: number;
  /** What went out and came in since the host last counted: payload, and headers of PCIe packets. */
  outBytes = 0;
  outHeaderBytes = 0;
  inBytes = 0;
  inHeaderBytes = 0;
  outPackets = 0;
  inPackets = 0;

  constructor(options: DmaPathOptions) {
    this.name = options.name;
    this.ordered = options.ordered ?? true;
    this.memory = options.memory ?? null;
    this.iommu = options.iommu ?? null;
    this.changes = options.changes ?? NO_CHANGES;
    this.readLatencyPs = options.readLatencyPs;
    this.outward = options.outward ?? NO_LINKS;
    this.inward = options.inward ?? NO_LINKS;
    this.shared = options.shared ?? null;
    this.posted = creditsOf(options);
    this.creditReturnPs = options.creditReturnPs ?? 0;
    this.creditQueuePs = options.creditQueuePs ?? 0;
  }

  /** How much longer the posted write that is next keeps its credits after the shared link served it. */
  returnPs(random: Random): number {
    const { creditReturnPs, creditQueuePs } = this;
    return creditQueuePs === 0 ? creditReturnPs : creditReturnPs + random.nextExponential(creditQueuePs);
  }

  /** Takes new costs. Credits that are out stay out as long as there are any. */
  become(options: DmaPathOptions): void {
    this.readLatencyPs = options.readLatencyPs;
    this.outward = options.outward ?? NO_LINKS;
    this.inward = options.inward ?? NO_LINKS;
    this.creditReturnPs = options.creditReturnPs ?? 0;
    this.creditQueuePs = options.creditQueuePs ?? 0;
    const shared = options.shared ?? null;
    if (shared === this.shared) return;
    this.shared = shared;
    this.posted = creditsOf(options);
  }

  /** Starts counting again. */
  clearCounts(): void {
    this.outBytes = 0;
    this.outHeaderBytes = 0;
    this.inBytes = 0;
    this.inHeaderBytes = 0;
    this.outPackets = 0;
    this.inPackets = 0;
  }
}

function creditsOf({ shared, postedBytes }: DmaPathOptions): CreditWindow | null {
  return shared == null ? null : new CreditWindow(postedBytes ?? Number.POSITIVE_INFINITY);
}

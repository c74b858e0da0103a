import type { MemoryChannels } from '../host/memory-channels.js';
import { CreditWindow } from '../resource/credit-window.js';
import { FluidServer } from '../resource/fluid-server.js';

/** A link of the host that DMA of both directions shares, such as a weak inter-socket link or a root complex's turn. */
export class SharedLink {
  readonly server = new FluidServer();
  readonly psPerByte: number;

  constructor(gbps: number) {
    this.psPerByte = 8000 / gbps;
  }
}

/** The queues of a private link, reads and writes apart; paths over the same link share them. */
export class LinkServers {
  readonly reads = new FluidServer();
  readonly writes = new FluidServer();
}

/** What a path costs; times are in picoseconds. */
export interface DmaPathOptions {
  name: string;
  /** From the read request at the device's port to the first byte of its completion there. */
  readLatencyPs: number;
  /** Rate of the slowest private link on the path, in picoseconds a byte; 0 where the device's own port is slower. */
  psPerByte?: number;
  /** The queues of that link. */
  link?: LinkServers;
  shared?: SharedLink;
  /** Credits for posted writes on a path with a shared link; they return when that link has served the write. */
  postedBytes?: number;
  /** Whether the host's ordering point is on the path: memory is behind it, a peer device is not. */
  ordered?: boolean;
  /** The memory channels at its end; none at a GPU, whose memory is faster than any link to it. */
  memory?: MemoryChannels;
  /** How much longer a posted write keeps its credits after the shared link served it. */
  creditReturnPs?: number;
}

/** The way between a device and a memory endpoint, as the host's graph and its settings give it. */
export class DmaPath {
  readonly name: string;
  readonly readLatencyPs: number;
  readonly psPerByte: number;
  readonly shared: SharedLink | null;
  readonly posted: CreditWindow | null;
  readonly creditReturnPs: number;
  readonly ordered: boolean;
  readonly link: LinkServers;
  readonly memory: MemoryChannels | null;

  constructor(options: DmaPathOptions) {
    this.name = options.name;
    this.readLatencyPs = options.readLatencyPs;
    this.psPerByte = options.psPerByte ?? 0;
    this.link = options.link ?? new LinkServers();
    this.shared = options.shared ?? null;
    this.memory = options.memory ?? null;
    this.posted =
      this.shared === null ? null : new CreditWindow(options.postedBytes ?? Number.POSITIVE_INFINITY);
    this.creditReturnPs = options.creditReturnPs ?? 0;
    this.ordered = options.ordered ?? true;
  }
}

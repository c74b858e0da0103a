import type { BufferPolicy, BufferPorts } from './buffer-policy.js';

/** The pools and profiles of a switch with SONiC (Azure, NSDI 2023, §6.2 and appendix A). */
export interface SonicBufferOptions {
  /** All memory. */
  readonly bufferBytes: number;
  /** What lossless packets share on their way in, and lossy ones with them unless they are apart; the rest is headroom. */
  readonly ingressPoolBytes: number;
  /** Headroom of all queues together. */
  readonly headroomPoolBytes: number;
  readonly egressLossyPoolBytes: number;
  /** Whether lossy packets have an ingress pool of their own, and take nothing of what lossless ones share. */
  readonly lossyApart: boolean;
  readonly lossless: {
    /** Kept for each queue. */
    readonly sizeBytes: number;
    /** Share of the free pool that a queue may take: two to the power of SONiC's `dynamic_th`. */
    readonly alpha: number;
    /** What a queue may take of the headroom. */
    readonly xoffBytes: number;
    /** It is resumed below this, or so far below its threshold. */
    readonly xonBytes: number;
    readonly xonOffsetBytes: number;
  };
  readonly lossy: { readonly sizeBytes: number; readonly alpha: number };
  /** Memory is given out in cells; 0: in bytes. */
  readonly cellBytes: number;
  /** Traffic classes that must not lose; the others may. */
  readonly losslessClasses: readonly number[];
}

/** The listing of appendix A: 24 MB, 18 MB shared, 6 MB headroom, alpha 1/8; lossy 14 MB, alpha 1/2; cells of 208 B. */
export const AZURE_LISTING: SonicBufferOptions = {
  bufferBytes: 24_000_000,
  ingressPoolBytes: 18_000_000,
  headroomPoolBytes: 6_000_000,
  egressLossyPoolBytes: 14_000_000,
  lossyApart: false,
  lossless: { sizeBytes: 1248, alpha: 1 / 8, xoffBytes: 96_928, xonBytes: 1248, xonOffsetBytes: 2496 },
  lossy: { sizeBytes: 1664, alpha: 1 / 2 },
  cellBytes: 208,
  losslessClasses: [3, 4],
};

/**
 * SONiC's buffers. A lossless packet is charged to its ingress queue: to what is kept for it, to the shared pool up to a
 * share of what is free there, and beyond that to the headroom, which pauses the sender. A lossy packet may take a share
 * of what is free in the lossy pool on its way out, and is charged to the shared pool too. A threshold rises when others
 * drain: every release looks at all queues of its switch that are paused.
 */
export class SonicBuffer implements BufferPolicy {
  private readonly options: SonicBufferOptions;
  private readonly queueShift: number;
  private readonly node: Int32Array;
  private readonly lossless: Uint8Array;
  /** Per ingress queue: bytes kept and shared, bytes in the headroom. */
  private readonly used: Float64Array;
  private readonly headroom: Float64Array;
  /** Per egress queue: lossy bytes. */
  private readonly lossyQueued: Float64Array;
  private readonly paused: Uint8Array;
  /** Per switch: everything, beyond what is kept in the ingress pool, in the headroom, lossy on the way out. */
  private readonly total: Float64Array;
  private readonly shared: Float64Array;
  private readonly headroomSum: Float64Array;
  private readonly lossyUsed: Float64Array;
  /** Per switch: the shared pool less what is kept for queues. */
  private readonly sharedPool: Float64Array;
  private readonly pausedOf: number[][];

  /** `classOf` has the traffic class of each lane. */
  constructor(ports: BufferPorts, nodes: number, classOf: readonly number[], options: SonicBufferOptions) {
    const queues = ports.count << ports.queueShift;
    this.options = options;
    this.queueShift = ports.queueShift;
    this.node = ports.node;
    this.used = new Float64Array(queues);
    this.headroom = new Float64Array(queues);
    this.lossyQueued = new Float64Array(queues);
    this.paused = new Uint8Array(queues);
    this.total = new Float64Array(nodes);
    this.shared = new Float64Array(nodes);
    this.headroomSum = new Float64Array(nodes);
    this.lossyUsed = new Float64Array(nodes);
    this.pausedOf = Array.from({ length: nodes }, () => []);
    this.lossless = Uint8Array.from({ length: 1 << ports.queueShift }, (_, lane) =>
      options.losslessClasses.includes(classOf[lane]) ? 1 : 0,
    );
    this.sharedPool = new Float64Array(nodes).fill(options.ingressPoolBytes);
    const lanes = this.lossless.reduce((sum, each) => sum + each, 0);
    for (let port = ports.hostPorts; port < ports.count; port++)
      this.sharedPool[ports.node[port]] -= lanes * options.lossless.sizeBytes;
  }

  passes(ingressQueue: number, bytes: number): boolean {
    const size = this.cells(bytes);
    const node = this.node[ingressQueue >> this.queueShift];
    if (this.total[node] + size > this.options.bufferBytes) return false;
    if (!this.isLossless(ingressQueue)) return true;
    return (
      this.used[ingressQueue] === 0 &&
      this.headroom[ingressQueue] === 0 &&
      size <= this.options.lossless.sizeBytes
    );
  }

  admit(ingressQueue: number, egressQueue: number, bytes: number): boolean {
    const size = this.cells(bytes);
    const node = this.node[ingressQueue >> this.queueShift];
    if (this.total[node] + size > this.options.bufferBytes) return false;
    const admitted = this.isLossless(ingressQueue)
      ? this.admitLossless(ingressQueue, node, size)
      : this.admitLossy(ingressQueue, egressQueue, node, size);
    if (admitted) this.total[node] += size;
    return admitted;
  }

  pauses(ingressQueue: number): boolean {
    if (this.paused[ingressQueue] !== 0 || this.headroom[ingressQueue] === 0) return false;
    this.paused[ingressQueue] = 1;
    this.pausedOf[this.node[ingressQueue >> this.queueShift]].push(ingressQueue);
    return true;
  }

  release(ingressQueue: number, egressQueue: number, bytes: number): void {
    const size = this.cells(bytes);
    const node = this.node[ingressQueue >> this.queueShift];
    this.total[node] -= size;
    if (!this.isLossless(ingressQueue)) {
      this.lossyQueued[egressQueue] -= size;
      this.lossyUsed[node] -= size;
      if (!this.options.lossyApart) this.shared[node] -= size;
      return;
    }
    const fromHeadroom = Math.min(size, this.headroom[ingressQueue]);
    this.headroom[ingressQueue] -= fromHeadroom;
    this.headroomSum[node] -= fromHeadroom;
    this.charge(ingressQueue, node, fromHeadroom - size);
  }

  resumes(ingressQueue: number): number {
    const paused = this.pausedOf[this.node[ingressQueue >> this.queueShift]];
    for (let index = 0; index < paused.length; index++) {
      const queue = paused[index];
      if (!this.mayGoOn(queue)) continue;
      this.paused[queue] = 0;
      paused.splice(index, 1);
      return queue;
    }
    return -1;
  }

  headroomLeft(ingressQueue: number): number {
    if (!this.isLossless(ingressQueue)) return 0;
    const { options } = this;
    const node = this.node[ingressQueue >> this.queueShift];
    const left = Math.min(
      options.lossless.xoffBytes - this.headroom[ingressQueue],
      options.headroomPoolBytes - this.headroomSum[node],
      options.bufferBytes - this.total[node],
    );
    // A packet of this many bytes fits with its last, partly filled cell.
    return options.cellBytes === 0 ? left : Math.floor(left / options.cellBytes) * options.cellBytes;
  }

  heldBytes(): number {
    return this.total.reduce((sum, each) => sum + each, 0);
  }

  isPaused(ingressQueue: number): boolean {
    return this.paused[ingressQueue] !== 0;
  }

  pausedQueues(): number {
    return this.paused.reduce((sum, each) => sum + each, 0);
  }

  /** Up to where a lossless queue may grow before its sender is paused. */
  threshold(ingressQueue: number): number {
    const node = this.node[ingressQueue >> this.queueShift];
    return this.options.lossless.alpha * (this.sharedPool[node] - this.shared[node]);
  }

  private admitLossless(queue: number, node: number, size: number): boolean {
    const { lossless, headroomPoolBytes } = this.options;
    const grown = this.used[queue] + size;
    if (this.headroom[queue] === 0 && (grown <= lossless.sizeBytes || grown <= this.threshold(queue))) {
      this.charge(queue, node, size);
      return true;
    }
    // Only this packet goes to the headroom, not what the threshold has fallen by since.
    if (this.headroom[queue] + size > lossless.xoffBytes || this.headroomSum[node] + size > headroomPoolBytes)
      return false;
    this.headroom[queue] += size;
    this.headroomSum[node] += size;
    return true;
  }

  private admitLossy(_ingressQueue: number, egressQueue: number, node: number, size: number): boolean {
    const { lossy, egressLossyPoolBytes } = this.options;
    const limit = Math.max(lossy.sizeBytes, lossy.alpha * (egressLossyPoolBytes - this.lossyUsed[node]));
    if (this.lossyQueued[egressQueue] + size > limit) return false;
    this.lossyQueued[egressQueue] += size;
    this.lossyUsed[node] += size;
    if (!this.options.lossyApart) this.shared[node] += size;
    return true;
  }

  /** Moves a queue's bytes; what goes beyond what is kept for it is shared. */
  private charge(queue: number, node: number, bytes: number): void {
    const { sizeBytes } = this.options.lossless;
    const before = this.used[queue];
    const after = before + bytes;
    this.used[queue] = after;
    this.shared[node] += Math.max(0, after - sizeBytes) - Math.max(0, before - sizeBytes);
  }

  private mayGoOn(queue: number): boolean {
    const { xonBytes, xonOffsetBytes } = this.options.lossless;
    if (this.headroom[queue] > 0) return false;
    return this.used[queue] < xonBytes || this.used[queue] + xonOffsetBytes <= this.threshold(queue);
  }

  private isLossless(queue: number): boolean {
    return this.lossless[queue & ((1 << this.queueShift) - 1)] !== 0;
  }

  private cells(bytes: number): number {
    const { cellBytes } = this.options;
    return cellBytes === 0 ? bytes : Math.ceil(bytes / cellBytes) * cellBytes;
  }
}

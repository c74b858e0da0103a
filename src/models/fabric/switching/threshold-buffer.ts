import { Checker } from '../../../engine/checker.js';
import type { BufferPolicy } from './buffer-policy.js';

/** The thresholds of a switch with one buffer for all. */
export interface ThresholdBufferOptions {
  /** Queues: ports times classes. */
  readonly queues: number;
  readonly bufferBytes: number;
  /** Bytes of an ingress queue above which its sender is paused; 0: never, the classes are lossy. */
  readonly xoffBytes: number;
  /** Bytes below which it is resumed. */
  readonly xonBytes: number;
  /** Bytes kept for a paused queue: what its sender still had on the way. */
  readonly headroomBytes: number;
}

/**
 * Fixed thresholds: a sender is paused between XOFF and XON of its queue, and from then on the buffer keeps its headroom
 * free of others. A packet is dropped if it fits neither into the headroom of its queue nor into what nobody keeps.
 */
export class ThresholdBuffer implements BufferPolicy {
  private readonly ingressBytes: Float64Array;
  private readonly paused: Uint8Array;
  private readonly bufferBytes: number;
  private readonly xoffBytes: number;
  private readonly xonBytes: number;
  private readonly headroomBytes: number;
  /** What each paused queue has left of its headroom, and all together. */
  private readonly headroom: Float64Array;
  private kept = 0;
  private readonly checker = new Checker();
  private held = 0;

  constructor(options: ThresholdBufferOptions) {
    this.ingressBytes = new Float64Array(options.queues);
    this.paused = new Uint8Array(options.queues);
    this.bufferBytes = options.bufferBytes;
    this.xoffBytes = options.xoffBytes;
    this.xonBytes = options.xonBytes;
    this.headroomBytes = options.headroomBytes;
    this.headroom = new Float64Array(options.queues);
  }

  passes(ingressQueue: number, bytes: number): boolean {
    if (this.ingressBytes[ingressQueue] !== 0 || this.paused[ingressQueue] !== 0) return false;
    if (this.xoffBytes !== 0 && bytes > this.xoffBytes) return false;
    return this.held + bytes + this.kept <= this.bufferBytes;
  }

  admit(ingressQueue: number, _egressQueue: number, bytes: number): boolean {
    const own = this.headroom[ingressQueue];
    const fromOwn = own < bytes ? own : bytes;
    if (this.held + bytes + this.kept - fromOwn > this.bufferBytes) return false;
    this.headroom[ingressQueue] = own - fromOwn;
    this.kept -= fromOwn;
    this.held += bytes;
    this.ingressBytes[ingressQueue] += bytes;
    return true;
  }

  pauses(ingressQueue: number): boolean {
    if (this.xoffBytes === 0 || this.paused[ingressQueue] === 1) return false;
    if (this.ingressBytes[ingressQueue] <= this.xoffBytes) return false;
    this.paused[ingressQueue] = 1;
    this.headroom[ingressQueue] = this.headroomBytes;
    this.kept += this.headroomBytes;
    return true;
  }

  release(ingressQueue: number, _egressQueue: number, bytes: number): void {
    this.held -= bytes;
    const left = this.ingressBytes[ingressQueue] - bytes;
    this.ingressBytes[ingressQueue] = left;
    this.checker.check(left >= 0, 'a switch gives back no more than it took', 'bytes', left, 0);
  }

  resumes(ingressQueue: number): number {
    if (this.paused[ingressQueue] === 0 || this.ingressBytes[ingressQueue] >= this.xonBytes) return -1;
    this.paused[ingressQueue] = 0;
    this.kept -= this.headroom[ingressQueue];
    this.headroom[ingressQueue] = 0;
    return ingressQueue;
  }

  headroomLeft(ingressQueue: number): number {
    // A queue may be paused when the buffer is all but full: then there is less than it should have.
    return Math.max(0, Math.min(this.headroom[ingressQueue], this.bufferBytes - this.held));
  }

  heldBytes(): number {
    return this.held;
  }

  isPaused(ingressQueue: number): boolean {
    return this.paused[ingressQueue] !== 0;
  }

  calmBytes(ports: number): number {
    const share = this.bufferBytes / ports;
    return this.xoffBytes === 0 ? share : Math.min(this.xoffBytes, share);
  }

  pausedQueues(): number {
    return this.paused.reduce((sum, each) => sum + each, 0);
  }
}

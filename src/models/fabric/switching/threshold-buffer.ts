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
}

/** Fixed thresholds: a packet is dropped if the buffer is full, a sender paused between XOFF and XON of its queue. */
export class ThresholdBuffer implements BufferPolicy {
  private readonly ingressBytes: Float64Array;
  private readonly paused: Uint8Array;
  private readonly bufferBytes: number;
  private readonly xoffBytes: number;
  private readonly xonBytes: number;
  private readonly checker = new Checker();
  private held = 0;

  constructor(options: ThresholdBufferOptions) {
    this.ingressBytes = new Float64Array(options.queues);
    this.paused = new Uint8Array(options.queues);
    this.bufferBytes = options.bufferBytes;
    this.xoffBytes = options.xoffBytes;
    this.xonBytes = options.xonBytes;
  }

  passes(): boolean {
    return false;
  }

  admit(ingressQueue: number, _egressQueue: number, bytes: number): boolean {
    if (this.held + bytes > this.bufferBytes) return false;
    this.held += bytes;
    this.ingressBytes[ingressQueue] += bytes;
    return true;
  }

  pauses(ingressQueue: number): boolean {
    if (this.xoffBytes === 0 || this.paused[ingressQueue] === 1) return false;
    if (this.ingressBytes[ingressQueue] <= this.xoffBytes) return false;
    this.paused[ingressQueue] = 1;
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
    return ingressQueue;
  }

  headroomLeft(): number {
    return Math.max(0, this.bufferBytes - this.held);
  }

  heldBytes(): number {
    return this.held;
  }

  pausedQueues(): number {
    return this.paused.reduce((sum, each) => sum + each, 0);
  }
}

import type { Checker } from '../../../engine/checker.js';
import type { Ports } from '../core/ports/ports.js';
import type { BufferPolicy } from './buffer-policy.js';

/** A buffer policy under watch: what it takes in it gives back, it drops only beyond its headroom, pauses alternate. */
export class CheckedPolicy implements BufferPolicy {
  private readonly policy: BufferPolicy;
  private readonly checker: Checker;
  private readonly takenBytes: Float64Array;
  private readonly paused: Uint8Array;

  constructor(policy: BufferPolicy, ports: Pick<Ports, 'count' | 'queueShift'>, checker: Checker) {
    this.policy = policy;
    this.checker = checker;
    this.takenBytes = new Float64Array(ports.count << ports.queueShift);
    this.paused = new Uint8Array(ports.count << ports.queueShift);
  }

  passes(ingressQueue: number, bytes: number): boolean {
    const passes = this.policy.passes(ingressQueue, bytes);
    if (passes) {
      const taken = this.takenBytes[ingressQueue];
      this.checker.check(taken === 0, 'only queues that hold nothing are passed by', 'taken', taken, 0);
    }
    return passes;
  }

  admit(ingressQueue: number, egressQueue: number, bytes: number): boolean {
    const left = this.policy.headroomLeft(ingressQueue);
    const admitted = this.policy.admit(ingressQueue, egressQueue, bytes);
    this.checker.check(
      admitted || bytes > left,
      'no drop while headroom suffices',
      'bytes',
      bytes,
      `> ${left}`,
    );
    if (admitted) this.takenBytes[ingressQueue] += bytes;
    return admitted;
  }

  pauses(ingressQueue: number): boolean {
    const pauses = this.policy.pauses(ingressQueue);
    if (pauses) {
      this.checker.check(this.paused[ingressQueue] === 0, 'a pause follows a resume', 'queue', ingressQueue);
      this.paused[ingressQueue] = 1;
    }
    return pauses;
  }

  release(ingressQueue: number, egressQueue: number, bytes: number): void {
    const taken = this.takenBytes[ingressQueue];
    this.checker.check(bytes <= taken, 'no more is released than was taken', 'bytes', bytes, `<= ${taken}`);
    this.takenBytes[ingressQueue] = taken - bytes;
    this.policy.release(ingressQueue, egressQueue, bytes);
  }

  resumes(ingressQueue: number): number {
    const queue = this.policy.resumes(ingressQueue);
    if (queue >= 0) {
      this.checker.check(this.paused[queue] === 1, 'a resume follows a pause', 'queue', queue);
      this.paused[queue] = 0;
    }
    return queue;
  }

  headroomLeft(ingressQueue: number): number {
    return this.policy.headroomLeft(ingressQueue);
  }

  heldBytes(): number {
    return this.policy.heldBytes();
  }

  isPaused(ingressQueue: number): boolean {
    return this.policy.isPaused(ingressQueue);
  }

  pausedQueues(): number {
    return this.policy.pausedQueues();
  }
}

import type { BufferPolicy, BufferPorts } from './buffer-policy.js';
import { ThresholdBuffer, type ThresholdBufferOptions } from './threshold-buffer.js';

/** A {@link ThresholdBuffer} for each switch of a fabric. The ports of a switch are in a row. */
export class ThresholdBuffers implements BufferPolicy {
  private readonly queueShift: number;
  private readonly node: Int32Array;
  /** By node; null for hosts. */
  private readonly buffers: (ThresholdBuffer | null)[];
  /** By node: the number of its first queue. */
  private readonly first: Int32Array;

  constructor(ports: BufferPorts, nodes: number, options: Omit<ThresholdBufferOptions, 'queues'>) {
    const { queueShift, node } = ports;
    this.queueShift = queueShift;
    this.node = node;
    this.first = new Int32Array(nodes).fill(-1);
    const portsOf = new Int32Array(nodes);
    for (let port = ports.hostPorts; port < ports.count; port++) {
      if (this.first[node[port]] < 0) this.first[node[port]] = port << queueShift;
      portsOf[node[port]]++;
    }
    this.buffers = Array.from(portsOf, (count) =>
      count === 0 ? null : new ThresholdBuffer({ ...options, queues: count << queueShift }),
    );
  }

  passes(ingressQueue: number, bytes: number): boolean {
    return this.bufferOf(ingressQueue).passes(ingressQueue - this.firstOf(ingressQueue), bytes);
  }

  admit(ingressQueue: number, egressQueue: number, bytes: number): boolean {
    const first = this.firstOf(ingressQueue);
    return this.bufferOf(ingressQueue).admit(ingressQueue - first, egressQueue - first, bytes);
  }

  pauses(ingressQueue: number): boolean {
    return this.bufferOf(ingressQueue).pauses(ingressQueue - this.firstOf(ingressQueue));
  }

  release(ingressQueue: number, egressQueue: number, bytes: number): void {
    const first = this.firstOf(ingressQueue);
    this.bufferOf(ingressQueue).release(ingressQueue - first, egressQueue - first, bytes);
  }

  resumes(ingressQueue: number): number {
    const first = this.firstOf(ingressQueue);
    const resumed = this.bufferOf(ingressQueue).resumes(ingressQueue - first);
    return resumed < 0 ? -1 : resumed + first;
  }

  headroomLeft(ingressQueue: number): number {
    return this.bufferOf(ingressQueue).headroomLeft(ingressQueue - this.firstOf(ingressQueue));
  }

  heldBytes(): number {
    return this.buffers.reduce((sum, buffer) => sum + (buffer?.heldBytes() ?? 0), 0);
  }

  isPaused(ingressQueue: number): boolean {
    return this.bufferOf(ingressQueue).isPaused(ingressQueue - this.firstOf(ingressQueue));
  }

  pausedQueues(): number {
    return this.buffers.reduce((sum, buffer) => sum + (buffer?.pausedQueues() ?? 0), 0);
  }

  private bufferOf(queue: number): ThresholdBuffer {
    return this.buffers[this.node[queue >> this.queueShift]]!;
  }

  private firstOf(queue: number): number {
    return this.first[this.node[queue >> this.queueShift]];
  }
}

import type { Lanes } from '../core/ports/lanes.js';
import type { Ports } from '../core/ports/ports.js';
import type { BufferPolicy } from './buffer-policy.js';
import { Ns3Buffer, type Ns3BufferOptions } from './ns3-buffer.js';
import { SonicBuffer, type SonicBufferOptions } from './sonic-buffer.js';
import type { ThresholdBufferOptions } from './threshold-buffer.js';
import { ThresholdBuffers } from './threshold-buffers.js';

/** A buffer policy as data: which one, and its constants. */
export type BufferSpec =
  | ({ readonly kind: 'ns3' } & Ns3BufferOptions)
  | ({ readonly kind: 'sonic' } & SonicBufferOptions)
  | ({ readonly kind: 'thresholds' } & Omit<ThresholdBufferOptions, 'queues'>);

/** Makes the policy of all switches of a fabric. */
export function createBufferPolicy(
  spec: BufferSpec,
  ports: Ports,
  nodes: number,
  { classOf }: Lanes,
): BufferPolicy {
  switch (spec.kind) {
    case 'ns3':
      return new Ns3Buffer(ports, nodes, spec);
    case 'sonic':
      return new SonicBuffer(ports, nodes, classOf, spec);
    case 'thresholds':
      return new ThresholdBuffers(ports, nodes, spec);
  }
}

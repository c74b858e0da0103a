import type { Ports } from '../core/ports.js';
import type { BufferPolicy } from './buffer-policy.js';
import { Ns3Buffer, type Ns3BufferOptions } from './ns3-buffer.js';

/** A buffer policy as data: which one, and its constants. */
export type BufferSpec = { readonly kind: 'ns3' } & Ns3BufferOptions;

/** Makes the policy of all switches of a fabric. */
export function createBufferPolicy(spec: BufferSpec, ports: Ports, nodes: number): BufferPolicy {
  switch (spec.kind) {
    case 'ns3':
      return new Ns3Buffer(ports, nodes, spec);
  }
}

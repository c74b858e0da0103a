import type { Random, Simulation } from '../../engine/index.js';
import { type EgressPort, PRIORITIES } from './egress-port.js';
import type { FabricPackets } from './fabric-packets.js';
import type { BufferPolicy } from './switching/buffer-policy.js';

/** What a switch does with packets that queue. */
export interface SwitchOptions {
  name: string;
  /** Who may use its memory. Queues are numbered by port and class of this switch. */
  buffer: BufferPolicy;
  /** Egress queue above which packets begin to be marked, and above which all are. */
  ecnKminBytes: number;
  ecnKmaxBytes: number;
  /** Probability of a mark just below Kmax; 0 marks nothing. */
  ecnPmax: number;
}

/** What a switch needs of a port: its egress and the egress of the other end, which it can pause. */
interface SwitchPort {
  egress: EgressPort;
  peer: EgressPort;
  peerDelayPs: number;
}

/**
 * An output-queued switch: packets queue at their egress port, a buffer policy says which of them it takes and whose
 * sender it pauses and resumes, and packets are marked by RED on the egress queue.
 */
export class Switch {
  readonly name: string;
  readonly arrivalHandler: number;
  /** Packets that found the buffer full. On a lossless class that is a fault of the configuration. */
  drops = 0;
  /** Packets for a node that it knows no way to; they are dropped. */
  unroutable = 0;
  marks = 0;
  pauseFrames = 0;
  private readonly simulation: Simulation;
  private readonly packets: FabricPackets;
  private readonly options: SwitchOptions;
  private readonly random: Random;
  private readonly ports: SwitchPort[] = [];
  /** Egress ports by node; undefined where no way is known. */
  private readonly routes: (readonly number[] | undefined)[] = [];
  /** Makes the hash of each switch another, so that flows that met at one part at the next. */
  private readonly hashSeed: number;
  private readonly buffer: BufferPolicy;
  private readonly pauseHandler: number;

  constructor(simulation: Simulation, packets: FabricPackets, random: Random, options: SwitchOptions) {
    this.simulation = simulation;
    this.packets = packets;
    this.random = random;
    this.options = options;
    this.name = options.name;
    this.buffer = options.buffer;
    this.hashSeed = nameHash(options.name);
    this.arrivalHandler = simulation.register(`${options.name}/arrive`, (packet, port) =>
      this.onArrive(packet, port),
    );
    this.pauseHandler = simulation.register(`${options.name}/pause`, (port, priority, paused) => {
      this.ports[port].peer.setPaused(priority, paused === 1);
    });
  }

  /** Bytes in it. */
  get occupancyBytes(): number {
    return this.buffer.heldBytes();
  }

  /** Adds a port: `peer` is the egress of the device at the other end, which this port pauses. */
  addPort(egress: EgressPort, peer: EgressPort, peerDelayPs: number): number {
    this.ports.push({ egress, peer, peerDelayPs });
    return this.ports.length - 1;
  }

  /** How many ports it has. */
  get portCount(): number {
    return this.ports.length;
  }

  /** Sends what is for a node out of one of these ports: each flow out of one, by a hash (equal-cost multipath). */
  route(node: number, ports: readonly number[]): void {
    this.routes[node] = ports;
  }

  /** The port that a packet leaves by; -1 where no way is known. */
  portOf(packet: number): number {
    const { packets } = this;
    const ports = this.routes[packets.destination[packet]];
    if (ports === undefined || ports.length === 0) return -1;
    if (ports.length === 1) return ports[0];
    return ports[packets.flowHash(packet, this.hashSeed) % ports.length];
  }

  /** To be called by the egress ports of this switch when a packet has left. */
  onSent(packet: number): void {
    const { packets } = this;
    const { buffer } = this;
    const queue = packets.ingress[packet] * PRIORITIES + packets.priority[packet];
    buffer.release(
      queue,
      packets.egress[packet] * PRIORITIES + packets.priority[packet],
      packets.wireBytes[packet],
    );
    for (let resumed = buffer.resumes(queue); resumed >= 0; resumed = buffer.resumes(queue))
      this.assert(resumed, 0);
  }

  private onArrive(packet: number, port: number): void {
    const { packets, options } = this;
    const out = this.portOf(packet);
    if (out < 0) {
      this.unroutable++;
      packets.drop(packet);
      return;
    }
    const priority = packets.priority[packet];
    const queue = port * PRIORITIES + priority;
    if (!this.buffer.admit(queue, out * PRIORITIES + priority, packets.wireBytes[packet])) {
      this.drops++;
      packets.drop(packet);
      return;
    }
    packets.ingress[packet] = port;
    packets.egress[packet] = out;
    if (this.buffer.pauses(queue)) this.assert(queue, 1);
    const { egress } = this.ports[out];
    if (options.ecnPmax > 0 && this.shouldMark(egress.queuedBytes[priority])) {
      packets.mark(packet);
      this.marks++;
    }
    egress.send(packet);
  }

  private assert(queue: number, paused: number): void {
    this.pauseFrames++;
    const port = Math.floor(queue / PRIORITIES);
    this.simulation.after(this.ports[port].peerDelayPs, this.pauseHandler, port, queue % PRIORITIES, paused);
  }

  // RED as DCQCN's switches have it: nothing below Kmin, linear to Pmax at Kmax, everything above.
  private shouldMark(queuedBytes: number): boolean {
    const { ecnKminBytes, ecnKmaxBytes, ecnPmax } = this.options;
    if (queuedBytes <= ecnKminBytes) return false;
    if (queuedBytes >= ecnKmaxBytes) return true;
    const probability = (ecnPmax * (queuedBytes - ecnKminBytes)) / (ecnKmaxBytes - ecnKminBytes);
    return this.random.nextFloat() < probability;
  }
}

/** FNV-1a of a name. */
function nameHash(name: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < name.length; index++)
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x01000193);
  return hash;
}

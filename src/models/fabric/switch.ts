import { Checker, type Random, type Simulation } from '../../engine/index.js';
import { type EgressPort, PRIORITIES } from './egress-port.js';
import type { FabricPackets } from './fabric-packets.js';

/** The thresholds of a switch. All are per ingress port and class, or per egress queue for ECN. */
export interface SwitchOptions {
  name: string;
  bufferBytes: number;
  /** 0 makes the classes lossy: no pause, drop when the buffer is full. */
  xoffBytes: number;
  xonBytes: number;
  ecnKminBytes: number;
  ecnKmaxBytes: number;
  /** 0 marks nothing. */
  ecnPmax: number;
}

/** What a switch needs of a port: its egress and the egress of the other end, which it can pause. */
interface SwitchPort {
  egress: EgressPort;
  peer: EgressPort;
  peerDelayPs: number;
}

/**
 * An output-queued switch: it accounts for each packet at its ingress port and class while it queues at the egress,
 * pauses the sender when that account passes XOFF, and marks by RED on the egress queue. A shared-buffer policy
 * (dynamic thresholds, headroom pools) would replace `admit`.
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
  private ingressBytes = new Float64Array(0);
  private asserted = new Uint8Array(0);
  private bufferedBytes = 0;
  private readonly pauseHandler: number;
  private readonly checker: Checker;

  constructor(simulation: Simulation, packets: FabricPackets, random: Random, options: SwitchOptions) {
    this.simulation = simulation;
    this.packets = packets;
    this.random = random;
    this.options = options;
    this.name = options.name;
    this.checker = new Checker();
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
    return this.bufferedBytes;
  }

  /** Adds a port: `peer` is the egress of the device at the other end, which this port pauses. */
  addPort(egress: EgressPort, peer: EgressPort, peerDelayPs: number): number {
    this.ports.push({ egress, peer, peerDelayPs });
    const size = this.ports.length * PRIORITIES;
    const ingressBytes = new Float64Array(size);
    ingressBytes.set(this.ingressBytes);
    this.ingressBytes = ingressBytes;
    const asserted = new Uint8Array(size);
    asserted.set(this.asserted);
    this.asserted = asserted;
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
    const account = packets.ingress[packet] * PRIORITIES + packets.priority[packet];
    const bytes = packets.wireBytes[packet];
    this.bufferedBytes -= bytes;
    this.ingressBytes[account] -= bytes;
    this.checker.check(
      this.ingressBytes[account] >= 0,
      'a switch gives back no more than it took',
      'bytes',
      this.ingressBytes[account],
      0,
    );
    if (this.asserted[account] === 1 && this.ingressBytes[account] < this.options.xonBytes)
      this.assert(account, 0);
  }

  private onArrive(packet: number, port: number): void {
    const { packets, options } = this;
    const out = this.portOf(packet);
    if (out < 0) {
      this.unroutable++;
      packets.drop(packet);
      return;
    }
    const bytes = packets.wireBytes[packet];
    if (this.bufferedBytes + bytes > options.bufferBytes) {
      this.drops++;
      packets.drop(packet);
      return;
    }
    const priority = packets.priority[packet];
    const account = port * PRIORITIES + priority;
    packets.ingress[packet] = port;
    this.bufferedBytes += bytes;
    this.ingressBytes[account] += bytes;
    if (
      options.xoffBytes > 0 &&
      this.asserted[account] === 0 &&
      this.ingressBytes[account] > options.xoffBytes
    ) {
      this.assert(account, 1);
    }
    const { egress } = this.ports[out];
    if (options.ecnPmax > 0 && this.shouldMark(egress.queuedBytes[priority])) {
      packets.mark(packet);
      this.marks++;
    }
    egress.send(packet);
  }

  private assert(account: number, paused: number): void {
    this.asserted[account] = paused;
    this.pauseFrames++;
    const port = Math.floor(account / PRIORITIES);
    this.simulation.after(
      this.ports[port].peerDelayPs,
      this.pauseHandler,
      port,
      account % PRIORITIES,
      paused,
    );
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

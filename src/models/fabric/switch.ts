import { Checker, type Random, type Simulation } from '../../engine/index.js';
import { KelpieError } from '../../error.js';
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
  marks = 0;
  pauseFrames = 0;
  private readonly simulation: Simulation;
  private readonly packets: FabricPackets;
  private readonly options: SwitchOptions;
  private readonly random: Random;
  private readonly ports: SwitchPort[] = [];
  /** Egress port by node; undefined where no way is known. */
  private readonly routes: (number | undefined)[] = [];
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

  /** Sends what is for a node out of a port. */
  route(node: number, port: number): void {
    this.routes[node] = port;
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
    const out = this.routes[packets.destination[packet]];
    if (out === undefined)
      throw new KelpieError(
        'NO_ROUTE',
        `${options.name} knows no way to node ${packets.destination[packet]}`,
      );
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

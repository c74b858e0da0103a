import type { Random, Simulation } from '../../engine/index.js';
import type { FabricPackets } from '../../models/index.js';
import { NO_REFERENCE } from '../../transport/index.js';
import type { PayloadSlab } from './payload-slab.js';

/** What a bad network does to packets, as probabilities. */
export interface Impairment {
  loss?: number;
  duplication?: number;
  /** A packet is held for `reorderDelayNs` with this probability, so that later ones pass it. */
  reordering?: number;
  reorderDelayNs?: number;
}

/** Puts itself before the arrival of packets and loses, doubles or delays some of them. */
export class ImpairedArrival {
  readonly handler: number;
  lost = 0;
  duplicated = 0;
  reordered = 0;
  private readonly simulation: Simulation;
  private readonly packets: FabricPackets;
  private readonly payloads: PayloadSlab;
  private readonly random: Random;
  private readonly impairment: Required<Impairment>;
  private readonly target: number;

  constructor(
    simulation: Simulation,
    packets: FabricPackets,
    payloads: PayloadSlab,
    random: Random,
    impairment: Impairment,
    name: string,
    target: number,
  ) {
    this.simulation = simulation;
    this.packets = packets;
    this.payloads = payloads;
    this.random = random;
    this.impairment = { loss: 0, duplication: 0, reordering: 0, reorderDelayNs: 5000, ...impairment };
    this.target = target;
    this.handler = simulation.register(`${name}/impaired`, (packet, port) => this.onArrive(packet, port));
  }

  private onArrive(packet: number, port: number): void {
    const { random, simulation, impairment } = this;
    if (random.nextFloat() < impairment.loss) {
      this.lost++;
      this.packets.drop(packet);
      return;
    }
    if (random.nextFloat() < impairment.duplication) {
      this.duplicated++;
      simulation.after(1 + random.nextInt(1_000_000), this.target, this.twin(packet), port);
    }
    const late = random.nextFloat() < impairment.reordering;
    if (late) this.reordered++;
    simulation.after(late ? Math.round(impairment.reorderDelayNs * 1000) : 0, this.target, packet, port);
  }

  private twin(packet: number): number {
    const { packets, payloads } = this;
    const twin = packets.take();
    packets.copy(packet, twin);
    packets.destination[twin] = packets.destination[packet];
    packets.source[twin] = packets.source[packet];
    packets.priority[twin] = packets.priority[packet];
    const slot = packets.payload[packet];
    if (slot !== NO_REFERENCE) {
      const copy = payloads.take();
      payloads.bytes.copyWithin(
        payloads.at(copy),
        payloads.at(slot),
        payloads.at(slot) + packets.payloadBytes[packet],
      );
      packets.payload[twin] = copy;
    }
    return twin;
  }
}

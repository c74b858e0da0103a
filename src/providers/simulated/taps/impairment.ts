import type { Random, Simulation } from '../../../engine/index.js';
import { Fate, FaultPlan, type FaultRates, type FaultRule } from '../../../link/index.js';
import type { FabricPackets } from '../../../models/index.js';
import { NO_REFERENCE, PacketFlag } from '../../../transport/index.js';
import type { PayloadSlab } from '../device/payload-slab.js';

/** What a bad network does to packets: probabilities, and faults at packets that rules name (`direction` is `received`). */
export interface Impairment extends Omit<FaultRates, 'direction'> {
  /** Of a cable: the end that packets are struck on their way to; default: both. */
  towards?: string;
  rules?: readonly FaultRule[];
}

/** Puts itself before the arrival of packets and loses, doubles or delays some of them. */
export class ImpairedArrival {
  readonly handler: number;
  readonly plan: FaultPlan;
  private readonly simulation: Simulation;
  private readonly packets: FabricPackets;
  private readonly payloads: PayloadSlab;
  private readonly random: Random;
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
    const { rules, towards: _, ...rates } = impairment;
    this.plan = new FaultPlan({ rules, rates, seed: random.nextInt(2 ** 32) });
    this.target = target;
    this.handler = simulation.register(`${name}/impaired`, (packet, port) => this.onArrive(packet, port));
  }

  private onArrive(packet: number, port: number): void {
    const { random, simulation, packets, plan } = this;
    const fate = plan.decide(
      'received',
      packets.opcode[packet],
      packets.destQpn[packet],
      packets.psn[packet],
      packets.syndrome[packet],
    );
    // A corrupted packet fails its ICRC, and the device drops it without a word.
    if ((fate & (Fate.DROP | Fate.CORRUPT)) !== 0) {
      packets.drop(packet);
      return;
    }
    if ((fate & Fate.MARK) !== 0) packets.flags[packet] |= PacketFlag.ECN_CE;
    if ((fate & Fate.DUPLICATE) !== 0)
      simulation.after(1 + random.nextInt(1_000_000), this.target, this.twin(packet), port);
    const late = (fate & (Fate.DELAY | Fate.REORDER)) !== 0;
    simulation.after(late ? Math.round(plan.holdNs * 1000) : 0, this.target, packet, port);
  }

  private twin(packet: number): number {
    const { packets, payloads } = this;
    const twin = packets.take();
    packets.copy(packet, twin);
    packets.destination[twin] = packets.destination[packet];
    packets.source[twin] = packets.source[packet];
    packets.priority[twin] = packets.priority[packet];
    packets.ipTrafficClass[twin] = packets.ipTrafficClass[packet];
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

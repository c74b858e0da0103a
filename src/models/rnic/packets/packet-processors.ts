import { FluidServer } from '../../resource/fluid-server.js';

/**
 * Packet processors that the transmitted and the received packets of a queue pair share, transmitted ones first. A
 * device with such processors is fast in one direction and loses in the other when both are busy. Packets without
 * payload (acknowledgements, READ requests) do not go through them.
 */
export class PacketProcessors {
  readonly count: number;
  private readonly servicePs: number;
  /** Where this device's numbers begin in the hash. */
  private readonly first: number;
  /** Work of the packets to be sent, and of all packets: those received wait for both. */
  private readonly sending: FluidServer[];
  private readonly all: FluidServer[];

  /** `node`: where the device is in the fabric, so that the two ends of a connection have processors of their own. */
  constructor(count: number, serviceNs: number, node = 0) {
    this.count = count;
    this.first = 1 + 1009 * node;
    this.servicePs = Math.round(serviceNs * 1000);
    this.sending = Array.from({ length: count }, () => new FluidServer());
    this.all = Array.from({ length: count }, () => new FluidServer());
  }

  /**
   * The processor of a queue pair. Every `count` that are made one after the other have all of them, so that few queue pairs
   * never crowd on one; in which order is a hash that differs from device to device: with the same at both ends their
   * bursts would fall into step, each on the processor that the other leaves free.
   */
  processorOf(queuePair: number): number {
    const { count, first } = this;
    const round = Math.floor(queuePair / count);
    return (queuePair + (Math.imul(round + first, 0x9e3779b1) >>> 16)) % count;
  }

  /** When a packet that could be sent at `earliestPs` begins to leave its processor. */
  transmit(processor: number, nowPs: number, earliestPs: number): number {
    this.all[processor].book(nowPs, earliestPs, this.servicePs);
    return this.sending[processor].book(nowPs, earliestPs, this.servicePs) - this.servicePs;
  }

  /** When a received packet has been processed: behind those before it, and behind all that waits to be sent. */
  receive(processor: number, nowPs: number): number {
    return Math.round(this.all[processor].book(nowPs, nowPs, this.servicePs));
  }
}

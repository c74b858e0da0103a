import type { PacketPool } from '../packet/packet-pool.js';

/** The telemetry of the newest data that arrived, for the acknowledgement that brings it back. */
export class TelemetryEcho {
  private readonly packets: PacketPool;
  private readonly words: Int32Array;

  constructor(packets: PacketPool) {
    this.packets = packets;
    this.words = new Int32Array(packets.telemetryStride);
  }

  /** Data arrived. */
  keep(packet: number): void {
    const { words, packets } = this;
    const from = packet * words.length;
    for (let word = 0; word < words.length; word++) words[word] = packets.telemetry[from + word];
  }

  /** An acknowledgement leaves. */
  put(packet: number): void {
    const { words, packets } = this;
    packets.telemetry.set(words, packet * words.length);
  }
}

import { IcrcFlow, type PacketRecorder, type RecordedPacket } from '../../link/index.js';
import { NO_REFERENCE, PacketCodec, PacketFlag } from '../../transport/index.js';
import { crc32Update, ICRC_BYTES, ROCE_PORT, writeIcrc } from '../../wire/index.js';
import type { World } from './world.js';

const PS_PER_NS = 1000;
/** Real NICs vary the source port by flow; a simulated fabric has one path and needs no more than one. */
const SOURCE_PORT = 0xc000;
const CONGESTION_EXPERIENCED = 3;
const PRIORITY_SHIFT = 5;

/** Puts itself before the arrival of packets and records each as the bytes that it would be on a wire. */
export class CapturedArrival {
  readonly handler: number;
  private readonly world: World;
  private readonly recorder: PacketRecorder;
  private readonly codec: PacketCodec;
  private readonly flow = new IcrcFlow(ROCE_PORT, crc32Update);
  private readonly bytes = new Uint8Array(8192);
  private readonly packet: RecordedPacket;

  constructor(world: World, recorder: PacketRecorder, name: string, target: number) {
    this.world = world;
    this.recorder = recorder;
    this.codec = new PacketCodec(world.packets);
    const nowhere = new Uint8Array(16);
    this.packet = {
      timeNs: 0,
      source: { gid: nowhere, udpPort: SOURCE_PORT },
      destination: { gid: nowhere, udpPort: ROCE_PORT },
      trafficClass: 0,
      identification: 0,
    };
    this.handler = world.simulation.register(`${name}/captured`, (packet, port) => {
      this.record(packet);
      world.simulation.after(0, target, packet, port);
    });
  }

  private record(packet: number): void {
    const { world, bytes, flow } = this;
    const { packets, payloads } = world;
    const payloadBytes = packets.payloadBytes[packet];
    const at = this.codec.encode(packet, bytes, 0);
    const slot = packets.payload[packet];
    const icrcOffset = at + ((payloadBytes + 3) & ~3);
    bytes.fill(0, at, icrcOffset);
    // Memory without bytes of its own reads as zeros.
    if (slot !== NO_REFERENCE) {
      const from = payloads.at(slot);
      bytes.set(payloads.bytes.subarray(from, from + payloadBytes), at);
    }
    const source = world.parseGid(world.gids[packets.source[packet]]);
    const destination = world.parseGid(world.gids[packets.destination[packet]]);
    flow.set(source, destination, SOURCE_PORT);
    writeIcrc(bytes, icrcOffset, flow.icrcOf(bytes, 0, icrcOffset));
    const marked = (packets.flags[packet] & PacketFlag.ECN_CE) !== 0;
    this.packet.timeNs = Math.floor(world.simulation.now / PS_PER_NS);
    this.packet.source.gid = source;
    this.packet.destination.gid = destination;
    this.packet.trafficClass =
      (packets.priority[packet] << PRIORITY_SHIFT) | (marked ? CONGESTION_EXPERIENCED : 0);
    this.recorder.record(this.packet, bytes, 0, icrcOffset + ICRC_BYTES);
  }
}

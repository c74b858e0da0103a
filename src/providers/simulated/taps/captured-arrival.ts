import { IcrcFlow, type RecordedPacket } from '../../../link/index.js';
import { NO_REFERENCE, PacketCodec, PacketFlag } from '../../../transport/index.js';
import {
  crc32Update,
  ICRC_BYTES,
  OPCODE,
  ROCE_PORT,
  roceSourcePort,
  writeIcrc,
} from '../../../wire/index.js';
import type { World } from '../world/world.js';
import type { CapturedPort } from './captured-port.js';

const PS_PER_NS = 1000;
const PRIORITY_SHIFT = 5;
const DSCP_SHIFT = 2;
/** The two ECN bits (RFC 3168): what a sender that takes part sets, and what a congested switch makes of it. */
const Ecn = { NOT_CAPABLE: 0, CAPABLE: 2, CONGESTION_EXPERIENCED: 3 } as const;

const ECN_MASK = 3;

/** Puts itself before the arrival of packets and records each as the bytes that it would be on a wire. */
export class CapturedArrival {
  readonly handler: number;
  private readonly world: World;
  private readonly port: CapturedPort;
  private readonly plain: PacketCodec;
  private readonly placed: PacketCodec;
  private readonly flow = new IcrcFlow(ROCE_PORT, crc32Update);
  private readonly bytes = new Uint8Array(8192);
  private readonly packet: RecordedPacket;

  constructor(world: World, port: CapturedPort, target: number) {
    this.world = world;
    this.port = port;
    this.plain = new PacketCodec(world.packets);
    this.placed = new PacketCodec(world.packets, true);
    const nowhere = new Uint8Array(16);
    this.packet = {
      timeNs: 0,
      source: { gid: nowhere, udpPort: 0 },
      destination: { gid: nowhere, udpPort: ROCE_PORT },
      trafficClass: 0,
      identification: 0,
    };
    this.handler = world.simulation.register(`${port.name}/captured`, (packet, port) => {
      if (!this.port.isFull) this.record(packet);
      world.simulation.after(0, target, packet, port);
    });
  }

  private record(packet: number): void {
    const { world, bytes, flow } = this;
    const { packets, payloads } = world;
    const payloadBytes = packets.payloadBytes[packet];
    const { wire } = world.devices[packets.source[packet]].nic.port;
    const at = (wire.placed ? this.placed : this.plain).encode(packet, bytes, 0);
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
    const sourcePort = roceSourcePort(packets.srcQpn[packet], packets.destQpn[packet]);
    flow.set(source, destination, sourcePort);
    writeIcrc(bytes, icrcOffset, flow.icrcOf(bytes, 0, icrcOffset));
    this.packet.timeNs = Math.floor(world.simulation.now / PS_PER_NS);
    this.packet.source.gid = source;
    this.packet.source.udpPort = sourcePort;
    this.packet.destination.gid = destination;
    this.packet.trafficClass = this.dscpOf(packet) | this.ecnOf(packet);
    this.port.arrived(this.packet, bytes, icrcOffset + ICRC_BYTES);
  }

  /** The upper bits of the traffic class: as its sender chose, else by its class; as the device has it for CNPs. */
  private dscpOf(packet: number): number {
    const { packets, devices } = this.world;
    if (packets.opcode[packet] !== OPCODE.CNP) {
      const chosen = packets.ipTrafficClass[packet] & ~ECN_MASK;
      return chosen === 0 ? packets.priority[packet] << PRIORITY_SHIFT : chosen;
    }
    return devices[packets.source[packet]].subsystem.device.constants.cnpDscp << DSCP_SHIFT;
  }

  private ecnOf(packet: number): number {
    const { packets, devices } = this.world;
    if ((packets.flags[packet] & PacketFlag.ECN_CE) !== 0) return Ecn.CONGESTION_EXPERIENCED;
    const chosen = packets.ipTrafficClass[packet] & ECN_MASK;
    if (chosen !== Ecn.NOT_CAPABLE) return chosen;
    const { ecn, congestionControl } = devices[packets.source[packet]].subsystem.settings;
    return ecn === 'enabled' || congestionControl !== 'none' ? Ecn.CAPABLE : Ecn.NOT_CAPABLE;
  }
}

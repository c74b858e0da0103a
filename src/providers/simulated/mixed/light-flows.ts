import type { Simulation } from '../../../engine/index.js';
import type { Fabric as GuestFabric, LightPacket } from '../../../models/fabric/index.js';
import type { FabricPackets } from '../../../models/index.js';
import { PacketFlag } from '../../../transport/index.js';
import { highWord, lowWord } from '../../../verbs/base/memory/address-words.js';
import { Access, type MemoryRegion, type Mtu, type QueuePair } from '../../../verbs/index.js';
import { OPCODE } from '../../../wire/index.js';
import type { SimulatedDevice } from '../device/device.js';

const PS_PER_NS = 1000;
const PSN_MASK = 0xffffff;
/** A flow is a row of WRITEs of this many bytes at most, all into one buffer, as storage has them. */
const MESSAGE_BYTES = 1 << 20;
/** Numbers 0 and 1 are of queue pairs for management. */
const FIRST_QPN = 2;
/** Send times of packets that are not acknowledged; more is in flight only where nothing bounds it. */
const STAMPS = 1024;
/** NAK of a PSN sequence error (9.7.5.2.8). */
const SEQUENCE_NAK = 0x60;
const MTUS: readonly Mtu[] = [256, 512, 1024, 2048, 4096];

/** A light flow to a full device: its queue pair there, and what acknowledgements bring back. */
interface Arrivals {
  readonly guest: number;
  readonly qpn: number;
  readonly priority: number;
  readonly region: MemoryRegion;
  readonly packets: number;
  /** Send times by packet, and which packet each is of. */
  readonly stamps: Int32Array;
  readonly stamped: Int32Array;
  lastStamp: number;
  /** Packets that are acknowledged. */
  acked: number;
  /** Marks that arrived and were not told of yet. */
  marked: boolean;
  telemetry: Int32Array | null;
}

/** What light flows to full devices are joined by. */
export interface LightFlowsParts {
  readonly fabric: GuestFabric;
  readonly simulation: Simulation;
  readonly packets: FabricPackets;
  /** The node that light NICs are for devices, and its address. */
  readonly node: number;
  readonly gid: string;
  /** By guest: the device, and what takes its packets. */
  deviceOf(guest: number): SimulatedDevice;
  arrivalOf(guest: number): { readonly handler: number; readonly latencyPs: number };
  /** The class of a device that travels in a class of the fabric. */
  priorityOf(trafficClass: number): number;
}

/**
 * Flows of light NICs to full devices. Each has a queue pair of its own there, whose peer it is: its packets become WRITEs
 * that go the whole way through the device, and the device's acknowledgements go back to the light NIC. Marks come back
 * as the device tells of them: in notifications if it sends such, else in the acknowledgements.
 */
export class LightFlows {
  private readonly parts: LightFlowsParts;
  /** By flow. */
  private readonly arrivals = new Map<number, Arrivals>();

  constructor(parts: LightFlowsParts) {
    this.parts = parts;
  }

  /** A packet of a light flow reaches a device's port. */
  arrive(guest: number, light: LightPacket): void {
    const { packets, simulation, fabric } = this.parts;
    const { payloadBytes, headerBytes } = fabric.spec.nic;
    const flow = this.flow(light.flow, guest);
    const index = Math.floor(light.offset / payloadBytes);
    const packet = packets.take();
    const bytes = light.bytes - headerBytes;
    packets.payloadBytes[packet] = bytes;
    packets.wireBytes[packet] = light.bytes;
    packets.source[packet] = this.parts.node;
    packets.destination[packet] = this.parts.deviceOf(guest).node;
    packets.priority[packet] = flow.priority;
    packets.ipTrafficClass[packet] = 0;
    packets.destQpn[packet] = flow.qpn;
    packets.srcQpn[packet] = light.flow + FIRST_QPN;
    packets.psn[packet] = index & PSN_MASK;
    packets.flags[packet] = PacketFlag.ACK_REQUEST | (light.marked ? PacketFlag.ECN_CE : 0);
    packets.deviceSecond[packet] = 0;
    this.place(packet, flow, index);
    this.remember(flow, index, light);
    const { handler, latencyPs } = this.parts.arrivalOf(guest);
    simulation.after(light.arrivalNs * PS_PER_NS + latencyPs - simulation.now, handler, packet, 0);
  }

  /** An answer of a device to a light flow reaches the fabric. */
  answer(packet: number, nowNs: number): void {
    const { packets, fabric } = this.parts;
    const flowNumber = packets.destQpn[packet] - FIRST_QPN;
    const flow = this.arrivals.get(flowNumber);
    const opcode = packets.opcode[packet];
    const isNotification = opcode === OPCODE.CNP;
    if (flow !== undefined && (isNotification || opcode === OPCODE.RC_ACKNOWLEDGE)) {
      const isNak = !isNotification && packets.syndrome[packet] === SEQUENCE_NAK;
      if (!isNotification) this.advance(flow, packets.psn[packet], isNak);
      const { payloadBytes } = fabric.spec.nic;
      const seq = Math.min(fabric.flows.sizeBytes[flowNumber], flow.acked * payloadBytes);
      fabric.guests!.answer(flow.guest, flowNumber, {
        isNak,
        seq,
        bytes: packets.wireBytes[packet],
        marked: isNotification || flow.marked,
        stamp: flow.lastStamp,
        telemetry: flow.telemetry,
        arrivalNs: nowNs,
      });
      if (!isNotification) flow.marked = false;
    }
    packets.drop(packet);
  }

  private flow(flow: number, guest: number): Arrivals {
    let known = this.arrivals.get(flow);
    if (known === undefined) {
      known = this.open(flow, guest);
      this.arrivals.set(flow, known);
    }
    return known;
  }

  /** Makes the queue pair of a flow. */
  private open(flow: number, guest: number): Arrivals {
    const { fabric, gid } = this.parts;
    const { payloadBytes } = fabric.spec.nic;
    const device = this.parts.deviceOf(guest);
    const { verbs } = device;
    const priority = this.parts.priorityOf(fabric.state.lanes.classOf[fabric.flows.lane[flow]]);
    const pd = verbs.allocPd();
    const cq = verbs.createCq({ cqe: 1 });
    const cap = { maxSendWr: 1, maxRecvWr: 1, maxSendSge: 1, maxRecvSge: 1, maxInlineData: 0 };
    const qp = pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap });
    connect(qp, gid, flow + FIRST_QPN, priority, payloadBytes);
    // Light packets need not be of a size that the verbs know.
    device.endpointOf(qp.qpNum)!.attributes.pathMtu = payloadBytes;
    const region = pd.regMr({ lengthBytes: MESSAGE_BYTES }, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
    return {
      guest,
      qpn: qp.qpNum,
      priority,
      region,
      packets: Math.ceil(fabric.flows.sizeBytes[flow] / payloadBytes),
      stamps: new Int32Array(STAMPS),
      stamped: new Int32Array(STAMPS).fill(-1),
      lastStamp: 0,
      acked: 0,
      marked: false,
      telemetry: null,
    };
  }

  /** Says which packet of a WRITE it is, and where the first one leads. */
  private place(packet: number, { region, packets: count }: Arrivals, index: number): void {
    const { packets, fabric } = this.parts;
    const { payloadBytes } = fabric.spec.nic;
    const perMessage = Math.max(1, Math.floor(MESSAGE_BYTES / payloadBytes));
    const first = index % perMessage === 0;
    const last = (index + 1) % perMessage === 0 || index + 1 >= count;
    packets.opcode[packet] = first
      ? last
        ? OPCODE.RC_WRITE_ONLY
        : OPCODE.RC_WRITE_FIRST
      : last
        ? OPCODE.RC_WRITE_LAST
        : OPCODE.RC_WRITE_MIDDLE;
    if (!first) return;
    const inMessage = Math.min(perMessage, count - index);
    packets.remoteHigh[packet] = highWord(region.iova);
    packets.remoteLow[packet] = lowWord(region.iova);
    packets.rkey[packet] = region.rkey;
    const flow = packets.srcQpn[packet] - FIRST_QPN;
    const toEnd = fabric.flows.sizeBytes[flow] - index * payloadBytes;
    packets.dmaBytes[packet] = index + inMessage >= count ? toEnd : inMessage * payloadBytes;
  }

  private remember(flow: Arrivals, index: number, light: LightPacket): void {
    flow.stamps[index % STAMPS] = light.stamp;
    flow.stamped[index % STAMPS] = index;
    if (light.marked && !this.parts.deviceOf(flow.guest).notifies) flow.marked = true;
    if (light.telemetry === null) return;
    flow.telemetry ??= new Int32Array(light.telemetry.length);
    flow.telemetry.set(light.telemetry);
  }

  /** Everything up to a PSN has arrived; with a NAK, everything before it. */
  private advance(flow: Arrivals, psn: number, isNak: boolean): void {
    const next = (isNak ? psn : psn + 1) & PSN_MASK;
    const ahead = (next - flow.acked) & PSN_MASK;
    if (ahead > 0 && ahead <= PSN_MASK >> 1) flow.acked += ahead;
    const newest = flow.acked - 1;
    if (newest >= 0 && flow.stamped[newest % STAMPS] === newest)
      flow.lastStamp = flow.stamps[newest % STAMPS];
  }
}

/** Takes a queue pair to where it serves its peer; it sends nothing itself. */
function connect(qp: QueuePair, dgid: string, destQpNum: number, sl: number, payloadBytes: number): void {
  qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: Access.REMOTE_WRITE });
  qp.modify({
    state: 'RTR',
    ahAttr: { dgid, sgidIndex: 0, portNum: 1, sl },
    pathMtu: MTUS.find((mtu) => mtu >= payloadBytes) ?? 4096,
    destQpNum,
    rqPsn: 0,
    maxDestRdAtomic: 1,
    minRnrTimer: 12,
  });
}

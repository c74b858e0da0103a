import type { DmaPath, FabricPackets, HostModel, NicQueuePair, RnicClient } from '../../../models/index.js';
import { NO_REFERENCE } from '../../../transport/index.js';
import { type BaseAddressHandle, isLocal, NO_SLOT, type WqePool } from '../../../verbs/base/index.js';
import type { PayloadSlab } from './payload-slab.js';
import type { QueuePairTable } from './queue-pair-table.js';

/** What a NIC client is made of. */
export interface NicClientParts {
  queuePairs: QueuePairTable;
  wqes: WqePool;
  packets: FabricPackets;
  payloads: PayloadSlab;
  host: HostModel;
  /** The RNIC of the host's graph that the device is. */
  rnic: string;
  /** The node that has a GID, -1 where none has. */
  nodeOf(gid: string): number;
  /** The traffic class of a service level. */
  classOf(serviceLevel: number | undefined): number;
}

/** What the model of a NIC asks of the verbs and the world around it. */
export class NicClient implements RnicClient {
  private readonly parts: NicClientParts;
  private readonly queuePairs: QueuePairTable;
  private readonly wqes: WqePool;
  private readonly packets: FabricPackets;
  private readonly payloads: PayloadSlab;
  /** By the number of the placement. */
  private readonly paths: (DmaPath | undefined)[] = [];

  constructor(parts: NicClientParts) {
    this.parts = parts;
    this.queuePairs = parts.queuePairs;
    this.wqes = parts.wqes;
    this.packets = parts.packets;
    this.payloads = parts.payloads;
  }

  firstUntaken(pair: NicQueuePair): number {
    return this.queuePairs.qps[pair.index]?.sends.next ?? NO_SLOT;
  }

  executeLocal(pair: NicQueuePair): boolean {
    const { send } = pair;
    const qp = this.queuePairs.qps[pair.index];
    if (!qp) return false;
    const { sends } = qp;
    const wqe = sends.next;
    if (wqe === NO_SLOT || send.untaken <= 0 || !isLocal(this.wqes.opcode[wqe])) return false;
    const before = sends.taken;
    sends.take(1);
    const taken = (sends.taken - before) >>> 0;
    send.localBlocked = taken === 0;
    if (taken === 0) return false;
    // One that failed has flushed the queue, and with it what was on chip.
    send.untaken = Math.max(0, send.untaken - taken);
    return true;
  }

  wqesVisible(pair: NicQueuePair): void {
    pair.endpoint.allowSends();
  }

  findQueuePair(packet: number): NicQueuePair | null {
    const { packets } = this;
    const pair = this.queuePairs.find(packets.destQpn[packet]);
    if (pair === null) return null;
    // A connected queue pair hears its peer alone (specification 9.6.1.5).
    const stranger = !pair.isDatagram && pair.peerNode !== packets.source[packet];
    return stranger ? null : pair;
  }

  route(packet: number, pair: NicQueuePair, wqe: number): void {
    const { packets } = this;
    packets.priority[packet] = pair.priority;
    packets.ipTrafficClass[packet] = pair.ipTrafficClass;
    if (pair.isDatagram && wqe !== NO_SLOT) {
      const { address } = this.wqes.addressOf(wqe) as BaseAddressHandle;
      packets.destination[packet] = this.parts.nodeOf(address.dgid);
      packets.priority[packet] = this.parts.classOf(address.sl);
      packets.ipTrafficClass[packet] = address.trafficClass ?? 0;
    } else packets.destination[packet] = pair.peerNode;
  }

  pathTo(placement: number): DmaPath {
    const { host, rnic } = this.parts;
    let path = this.paths[placement];
    if (path === undefined) {
      path = host.path(rnic, host.placements[placement]);
      this.paths[placement] = path;
    }
    return path;
  }

  releasePayload(packet: number): void {
    this.payloads.release(this.packets.payload[packet]);
    this.packets.payload[packet] = NO_REFERENCE;
  }
}

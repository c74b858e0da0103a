import type { Simulation } from '../../../engine/index.js';
import type { DeviceConstants } from '../../../profiles/index.js';
import { NO_SLOT } from '../../../verbs/base/index.js';
import type { FabricPackets } from '../../fabric/fabric-packets.js';
import { FairQueue } from '../../resource/fair-queue.js';
import { IndexQueue } from '../../resource/index-queue.js';
import { Member, type SendScheduling } from '../parts/send-path.js';
import type { NicQueuePair } from '../queue-pair/nic-queue-pair.js';
import type { PacketRouter } from '../rnic-client.js';
import type { RnicCounters } from '../rnic-counters.js';
import type { TenantShares } from '../tenants/tenant-shares.js';
import type { ReceiveJobs } from './receive-jobs.js';

/** How acknowledgements leave the device. */
export interface FrameSender {
  frame(packet: number, pair: NicQueuePair): void;
  transmit(packet: number): void;
}

/** What an acknowledgement generator is made of. */
export interface AckGeneratorParts {
  name: string;
  simulation: Simulation;
  constants: DeviceConstants;
  counters: RnicCounters;
  shares: TenantShares;
  packets: FabricPackets;
  /** By index. */
  pairs: readonly NicQueuePair[];
  router: Pick<PacketRouter, 'route'>;
  receiver: Pick<ReceiveJobs, 'charge'>;
  port: FrameSender;
}

/**
 * Sends acknowledgements, at most one every `ackGapNs` and one waiting per queue pair; since they are cumulative, those
 * of a busy device coalesce by themselves.
 */
export class AckGenerator {
  private readonly simulation: Simulation;
  private readonly counters: RnicCounters;
  private readonly shares: TenantShares;
  private readonly packets: FabricPackets;
  private readonly pairs: readonly NicQueuePair[];
  private readonly router: Pick<PacketRouter, 'route'>;
  private readonly receiver: Pick<ReceiveJobs, 'charge'>;
  private readonly port: FrameSender;
  private readonly waiting: FairQueue;
  private readonly handler: number;
  private readonly gapPs: number;
  private readonly delayPs: number;
  private readonly cnpPriority: number;
  /** Notifications that wait: queue pair, node and queue pair number of the addressee. */
  private readonly notifications = new IndexQueue();
  private reads!: Pick<SendScheduling, 'ready'>;
  private armed = false;
  private lastPs = Number.NEGATIVE_INFINITY;

  constructor(parts: AckGeneratorParts) {
    const { simulation, constants } = parts;
    this.simulation = simulation;
    this.counters = parts.counters;
    this.shares = parts.shares;
    this.packets = parts.packets;
    this.pairs = parts.pairs;
    this.router = parts.router;
    this.receiver = parts.receiver;
    this.port = parts.port;
    this.waiting = new FairQueue(parts.shares.count);
    this.gapPs = Math.round(constants.ackGapNs * 1000);
    this.delayPs = Math.round(constants.ackDelayNs * 1000);
    this.cnpPriority = constants.cnpPriority;
    this.handler = simulation.register(`${parts.name}/ack`, () => this.fire());
  }

  /** Joins it to the scheduler that sends READ data, which is made after it. */
  join(reads: Pick<SendScheduling, 'ready'>): void {
    this.reads = reads;
  }

  /** A queue pair has something to answer: READ data goes the way of requests, the rest from here. */
  answer(pair: NicQueuePair): void {
    if (!pair.endpoint.canRespond(this.simulation.now)) return;
    if (pair.endpoint.nextResponseIsRead()) this.reads.ready(pair, Member.RESPONSES);
    else this.ready(pair);
  }

  /** A congestion notification is due: it goes the way of acknowledgements, before them. */
  notify(pair: NicQueuePair, node: number, qpn: number): void {
    this.notifications.push(pair.index);
    this.notifications.push(node);
    this.notifications.push(qpn);
    this.arm();
  }

  private ready(pair: NicQueuePair): void {
    if (pair.receive.ackPending) return;
    pair.receive.ackPending = true;
    this.waiting.push(pair.tenant, pair.index);
    this.arm();
  }

  private arm(): void {
    if (this.armed || this.waiting.length + this.notifications.length === 0) return;
    this.armed = true;
    const gapPs = this.lastPs + this.gapPs - this.simulation.now;
    this.simulation.after(gapPs > this.delayPs ? gapPs : this.delayPs, this.handler);
  }

  private fire(): void {
    const { simulation, packets } = this;
    this.armed = false;
    if (this.notifications.length > 0) {
      this.sendNotification();
      this.arm();
      return;
    }
    const tenant = this.waiting.next();
    const pair = this.pairs[this.waiting.shift(tenant)];
    this.waiting.charge(tenant, this.gapPs / this.shares.weightOf(tenant));
    pair.receive.ackPending = false;
    if (pair.endpoint.canRespond(this.simulation.now) && !pair.endpoint.nextResponseIsRead()) {
      this.lastPs = simulation.now;
      const packet = packets.take();
      pair.endpoint.emitResponse(packet, simulation.now);
      this.router.route(packet, pair, NO_SLOT);
      this.emit(packet, pair);
      this.answer(pair);
    }
    this.arm();
  }

  private sendNotification(): void {
    const { notifications, packets } = this;
    const pair = this.pairs[notifications.shift()];
    const packet = packets.take();
    packets.destination[packet] = notifications.shift();
    packets.priority[packet] = this.cnpPriority;
    packets.ipTrafficClass[packet] = 0;
    pair.endpoint.emitCnp(packet, notifications.shift());
    this.counters.np_cnp_sent++;
    this.lastPs = this.simulation.now;
    this.emit(packet, pair);
  }

  private emit(packet: number, pair: NicQueuePair): void {
    this.port.frame(packet, pair);
    this.packets.deviceSecond[packet] = 0;
    this.receiver.charge();
    this.port.transmit(packet);
  }
}

import { NO_SLOT } from '../../../verbs/base/index.js';
import { FairQueue } from '../../resource/fair-queue.js';
import { IndexQueue } from '../../resource/index-queue.js';
import type { NicQueuePair } from '../nic-queue-pair.js';
import type { Rnic } from '../rnic.js';

/**
 * Sends acknowledgements, at most one every `ackGapNs` and one waiting a queue pair; since they are cumulative, those
 * of a busy device coalesce by themselves.
 */
export class AckGenerator {
  private readonly nic: Rnic;
  private readonly waiting: FairQueue;
  private readonly handler: number;
  private readonly gapPs: number;
  private readonly delayPs: number;
  /** Notifications that wait: queue pair, node and queue pair number of the addressee. */
  private readonly notifications = new IndexQueue();
  private armed = false;
  private lastPs = Number.NEGATIVE_INFINITY;

  constructor(nic: Rnic) {
    this.nic = nic;
    this.waiting = new FairQueue(nic.shares.count);
    this.gapPs = Math.round(nic.constants.ackGapNs * 1000);
    this.delayPs = Math.round(nic.constants.ackDelayNs * 1000);
    this.handler = nic.simulation.register(`${nic.name}/ack`, () => this.fire());
  }

  /** A queue pair has an answer without payload to send; may be called from inside its endpoint. */
  ready(qp: NicQueuePair): void {
    if (qp.ackPending) return;
    qp.ackPending = true;
    this.waiting.push(qp.tenant, qp.index);
    this.arm();
  }

  /** A congestion notification is due: it goes the way of acknowledgements, before them. */
  notify(qp: NicQueuePair, node: number, qpn: number): void {
    this.notifications.push(qp.index);
    this.notifications.push(node);
    this.notifications.push(qpn);
    this.arm();
  }

  private arm(): void {
    if (this.armed || this.waiting.length + this.notifications.length === 0) return;
    this.armed = true;
    const now = this.nic.simulation.now;
    this.nic.simulation.at(Math.max(now + this.delayPs, this.lastPs + this.gapPs), this.handler);
  }

  private fire(): void {
    const { nic } = this;
    this.armed = false;
    if (this.notifications.length > 0) {
      this.sendNotification();
      this.arm();
      return;
    }
    const tenant = this.waiting.next();
    const qp = nic.queuePairs[this.waiting.shift(tenant)];
    this.waiting.charge(tenant, this.gapPs / nic.shares.weightOf(tenant));
    qp.ackPending = false;
    if (qp.endpoint.canRespond() && !qp.endpoint.nextResponseIsRead()) {
      this.lastPs = nic.simulation.now;
      const packet = nic.packets.take();
      qp.endpoint.emitResponse(packet, nic.simulation.now);
      nic.client.route(packet, qp, NO_SLOT);
      this.emit(packet, qp);
      nic.responseReady(qp);
    }
    this.arm();
  }

  private sendNotification(): void {
    const { nic, notifications } = this;
    const qp = nic.queuePairs[notifications.shift()];
    const packet = nic.packets.take();
    nic.packets.destination[packet] = notifications.shift();
    nic.packets.priority[packet] = nic.constants.cnpPriority;
    qp.endpoint.emitCnp(packet, notifications.shift());
    nic.counters.np_cnp_sent++;
    this.lastPs = nic.simulation.now;
    this.emit(packet, qp);
  }

  private emit(packet: number, qp: NicQueuePair): void {
    const { nic } = this;
    nic.frame(packet, qp);
    nic.packets.deviceSecond[packet] = 0;
    nic.receivePath.charge();
    nic.transmit(packet);
  }
}

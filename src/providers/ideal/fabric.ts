import { Simulation } from '../../engine/index.js';
import {
  AddressSpace,
  ackTimeoutNs,
  type BaseAddressHandle,
  type BaseQueuePair,
  checkList,
  gathers,
  KeyCheck,
  NO_SLOT,
  Phase,
  receivesIn,
  rnrTimerNs,
  Status,
} from '../../verbs/base/index.js';
import { formatGid, parseGid } from '../../wire/ib/gid.js';
import { VirtualTime } from '../time/virtual-time.js';
import { deliverDatagram } from './datagram.js';
import type { IdealDevice } from './device.js';
import { Blocked, Endpoint, packetsOf } from './endpoint.js';
import { executeAtPeer, NOT_READY } from './responder.js';

/** Besides a status: nobody answers. */
const LOST = 101;

/**
 * What joins ideal devices: whole messages arrive after a fixed latency, none at all unless set, and nothing is lost.
 * What happens without time passing happens in events of the present moment, never inside a caller.
 */
export class Fabric {
  readonly simulation = new Simulation();
  /** A tick is a nanosecond. */
  readonly time = new VirtualTime(this.simulation, 1);
  readonly addresses = new AddressSpace();
  private readonly latencyNs: number;
  private readonly devices = new Map<string, IdealDevice>();
  private readonly endpoints: (Endpoint | null)[] = [];
  private readonly freeIds: number[] = [];
  private nextEpoch = 0;
  private readonly onPump: number;
  private readonly onArrive: number;
  private readonly onRespond: number;
  private readonly onRetry: number;

  constructor(latencyNs: number, devices: readonly IdealDevice[]) {
    this.latencyNs = latencyNs;
    for (const device of devices) this.devices.set(formatGid(device.gidBytes), device);
    this.onPump = this.simulation.register('pump', (id, epoch) => this.pump(this.find(id, epoch)));
    this.onArrive = this.simulation.register('arrive', (id, epoch, wqe) =>
      this.arrive(this.find(id, epoch), wqe),
    );
    this.onRespond = this.simulation.register('respond', (id, epoch, wqe) =>
      this.respond(this.find(id, epoch), wqe),
    );
    this.onRetry = this.simulation.register('retry', (id, epoch) => this.retry(this.find(id, epoch)));
  }

  /** Makes the ends of a queue pair's connection. */
  attach(qp: BaseQueuePair, device: IdealDevice): Endpoint {
    const id = this.freeIds.pop() ?? this.endpoints.length;
    const endpoint = new Endpoint(qp, device, id, this.newEpoch());
    this.endpoints[id] = endpoint;
    return endpoint;
  }

  /** Forgets a queue pair. */
  detach(endpoint: Endpoint): void {
    endpoint.forget(this.newEpoch());
    this.endpoints[endpoint.id] = null;
    this.freeIds.push(endpoint.id);
  }

  /** Forgets the requests of a queue pair that are on their way. */
  forget(endpoint: Endpoint): void {
    endpoint.forget(this.newEpoch());
    endpoint.pumpScheduled = false;
  }

  /** Notes that the send queue wants looking at. */
  schedulePump(endpoint: Endpoint): void {
    if (endpoint.pumpScheduled) return;
    endpoint.pumpScheduled = true;
    this.simulation.after(0, this.onPump, endpoint.id, endpoint.epoch);
  }

  private find(id: number, epoch: number): Endpoint | null {
    const endpoint = this.endpoints[id];
    return endpoint !== null && endpoint.epoch === epoch ? endpoint : null;
  }

  private newEpoch(): number {
    this.nextEpoch = (this.nextEpoch + 1) | 0;
    return this.nextEpoch;
  }

  /** Sends all that the send queue gives. */
  private pump(endpoint: Endpoint | null): void {
    if (endpoint === null) return;
    endpoint.pumpScheduled = false;
    const { sends } = endpoint.qp;
    for (let wqe = sends.take(); wqe !== NO_SLOT; wqe = sends.take()) {
      if (endpoint.onTheWay === NO_SLOT) endpoint.onTheWay = wqe;
      this.simulation.after(this.latencyNs, this.onArrive, endpoint.id, endpoint.epoch, wqe);
    }
  }

  private arrive(endpoint: Endpoint | null, wqe: number): void {
    // A request behind one that waits for a retry comes again with it.
    if (endpoint === null || endpoint.blocked !== Blocked.NO || endpoint.onTheWay !== wqe) return;
    this.executeFirst(endpoint);
  }

  private respond(endpoint: Endpoint | null, wqe: number): void {
    if (endpoint === null) return;
    const { sends, context } = endpoint.qp;
    sends.finish(wqe, context.wqes.status[wqe]);
  }

  /** Time to send again: the receiver was not ready, or nobody answered. */
  private retry(endpoint: Endpoint | null): void {
    if (endpoint === null) return;
    if (endpoint.blocked === Blocked.TIMEOUT) {
      endpoint.device.counters.local_ack_timeout_err++;
      if (endpoint.timeoutRetries >= endpoint.qp.attr.retryCnt!) {
        this.answer(endpoint, Status.RETRY_EXC_ERR, 0);
        return;
      }
      endpoint.timeoutRetries++;
    }
    endpoint.blocked = Blocked.NO;
    endpoint.endWait(this.time.nowNs);
    while (endpoint.onTheWay !== NO_SLOT && endpoint.blocked === Blocked.NO) this.executeFirst(endpoint);
  }

  /** Executes the oldest request on its way. */
  private executeFirst(endpoint: Endpoint): void {
    const { qp, epoch } = endpoint;
    const outcome = this.carry(endpoint, endpoint.onTheWay);
    // What it did at the peer may have failed this end too: its own peer, or a completion queue that both use.
    if (endpoint.epoch !== epoch) return;
    if (outcome === NOT_READY) {
      const { rnrRetry } = qp.attr;
      if (rnrRetry !== 7 && endpoint.rnrRetries >= rnrRetry!) {
        endpoint.device.counters.rnr_nak_retry_err++;
        this.answer(endpoint, Status.RNR_RETRY_EXC_ERR, this.latencyNs);
        return;
      }
      endpoint.rnrRetries++;
      endpoint.beginWait(this.time.nowNs);
      this.block(
        endpoint,
        Blocked.NOT_READY,
        rnrTimerNs(this.peerOf(endpoint)!.qp.attr.minRnrTimer!) + 2 * this.latencyNs,
      );
    } else if (outcome === LOST) {
      this.block(endpoint, Blocked.TIMEOUT, ackTimeoutNs(qp.attr.timeout!));
    } else {
      endpoint.rnrRetries = 0;
      endpoint.timeoutRetries = 0;
      this.answer(endpoint, outcome, this.latencyNs);
    }
  }

  private block(endpoint: Endpoint, why: number, delayNs: number): void {
    endpoint.blocked = why;
    if (delayNs !== Number.POSITIVE_INFINITY) {
      this.simulation.after(delayNs, this.onRetry, endpoint.id, endpoint.epoch);
    }
  }

  /** The oldest request on its way has its result; the next one behind it becomes the oldest. */
  private answer(endpoint: Endpoint, status: number, delayNs: number): void {
    const { wqes } = endpoint.qp.context;
    const wqe = endpoint.onTheWay;
    wqes.status[wqe] = status;
    endpoint.blocked = status === Status.SUCCESS ? Blocked.NO : Blocked.FAILED;
    let next = wqes.next[wqe];
    // Local operations among the requests are done already.
    while (next !== NO_SLOT && wqes.phase[next] === Phase.DONE) next = wqes.next[next];
    endpoint.onTheWay = next !== NO_SLOT && wqes.phase[next] === Phase.TAKEN ? next : NO_SLOT;
    this.simulation.after(delayNs, this.onRespond, endpoint.id, endpoint.epoch, wqe);
  }

  /** Executes a request and returns its status, NOT_READY or LOST. */
  private carry(endpoint: Endpoint, wqe: number): number {
    const { qp, device } = endpoint;
    const { wqes, memory } = qp.context;
    const length = wqes.length[wqe];
    const writes = !gathers(wqes.opcode[wqe]);
    if (checkList(memory, wqes, wqe, qp.pd.handle, length, writes) !== KeyCheck.OK)
      return Status.LOC_PROT_ERR;
    if (qp.qpType === 'UD') {
      const { gid } = wqes.addressOf(wqe) as BaseAddressHandle;
      deliverDatagram(qp, wqe, device, this.devices.get(formatGid(gid)));
      return Status.SUCCESS;
    }
    const peer = this.peerOf(endpoint);
    if (peer === null) return qp.qpType === 'RC' ? LOST : Status.SUCCESS;
    if (peer.qp.state === 'RTR' && !peer.established) {
      peer.established = true;
      peer.qp.raise('COMM_EST');
    }
    const outcome = executeAtPeer(qp, peer.qp, wqe, peer.device.counters);
    if (outcome !== NOT_READY) {
      const packets = packetsOf(length, qp.attr.pathMtu!);
      endpoint.sendPsn = (endpoint.sendPsn + packets) & 0xffffff;
      peer.expectedPsn = (peer.expectedPsn + packets) & 0xffffff;
    }
    return outcome;
  }

  /** The other end, where it is there, receives, and is connected to this one. */
  private peerOf(endpoint: Endpoint): Endpoint | null {
    const { qp } = endpoint;
    const peer = this.deviceAt(endpoint)?.endpoints[qp.attr.destQpNum!] ?? null;
    if (peer === null || peer.qp.qpType !== qp.qpType || !receivesIn(peer.qp.state)) return null;
    if (this.deviceAt(peer) !== endpoint.device) return null;
    // UC answers nothing and takes up with whatever PSN a message begins (specification 9.8.2.2).
    if (qp.qpType === 'UC') return peer;
    return peer.qp.attr.destQpNum === qp.qpNum && peer.expectedPsn === endpoint.sendPsn ? peer : null;
  }

  /** The device that an endpoint's path leads to. */
  private deviceAt(endpoint: Endpoint): IdealDevice | null {
    const { ahAttr } = endpoint.qp.attr;
    if (endpoint.path !== ahAttr) {
      endpoint.path = ahAttr;
      endpoint.farDevice = this.devices.get(formatGid(parseGid(ahAttr!.dgid))) ?? null;
    }
    return endpoint.farDevice;
  }
}

import { type CmLimits, GSI_QKEY, GSI_QPN, URGENCIES, Urgency } from '../../transport/cm/index.js';
import type { Mtu } from '../../verbs/index.js';
import { type Gid, MAD_BYTES } from '../../wire/index.js';
import type { ManagementDevice, ManagementListener } from '../cm/index.js';
import { FairQueue } from './fair-queue.js';
import type { ManagementDatagram } from './packets/inbox.js';
import type { SoftwareContext } from './provider.js';

/** The longest that a timer of Node's can be set to; one that is longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** Connections move data while the last byte of theirs is no older than this: longer than a peer waits for a processor. */
const QUIET_NS = 100e6;

/** How long messages are served before connections get their turn again. */
const SLICE_NS = 200e3;

/** How often it is measured what of the time of messages is processor time, and how much of that is remembered. */
const SAMPLE_EVERY_NS = 1e6;
const REMEMBERED_NS = 50e6;

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) * 1000;
}

/**
 * The management of a software device: real datagrams on queue pair 1, timers and random numbers of the system.
 *
 * Connections come first: datagrams are served when all that arrived with them has been, and take no more than a part of
 * the time while connections move data. What has to wait is kept by what it is and by peer, and both take turns.
 */
export class SoftwareManagement implements ManagementDevice {
  private readonly context: SoftwareContext;
  private readonly listener: ManagementListener;
  private timer: NodeJS.Timeout | null = null;
  private readonly limits: CmLimits;
  private readonly processorNs: () => number;
  private readonly queues: readonly FairQueue[];
  /** Whose turn it is. */
  private next = 0;
  private movedBytes = 0;
  private movedNs = Number.NEGATIVE_INFINITY;
  /** Time that may be spent while connections move data, and when it was computed. */
  private budgetNs: number;
  private budgetAtNs = 0;
  private saving = false;
  /** When messages were last measured, how long they took of late, and the processor time of it. */
  private sampledAtNs = Number.NEGATIVE_INFINITY;
  private sampledNs = 0;
  private sampledProcessorNs = 0;
  private turning = false;
  private serving = false;

  /** `processorNs` tells the processor time that this process has used. */
  constructor(
    context: SoftwareContext,
    listener: ManagementListener,
    limits: CmLimits,
    processorNs: () => number = processorTime,
  ) {
    this.processorNs = processorNs;
    this.context = context;
    this.listener = listener;
    this.limits = limits;
    this.queues = Array.from(
      { length: URGENCIES },
      () => new FairQueue(Math.ceil(limits.waiting), limits.waitingPerPeer, MAD_BYTES),
    );
    this.budgetNs = limits.busyBurstNs;
    context.software.management = this;
  }

  /** A datagram arrived at queue pair 1. */
  arrived({ bytes, payloadOffset, payloadEnd, sourceGid, sourceQpn, qkey }: ManagementDatagram): void {
    if (qkey !== GSI_QKEY || sourceQpn !== GSI_QPN) return;
    const urgency = this.listener.urgencyOf(bytes, payloadOffset, payloadEnd, sourceGid);
    if (urgency === Urgency.DROPPED) return;
    if (!this.queues[urgency].push(bytes, payloadOffset, payloadEnd, sourceGid))
      this.context.software.deviceCounters.cm_dropped++;
  }

  /** Whatever arrived for connections has been served: serves what waits, as far as there is time for it. */
  serve(): void {
    if (this.backlog === 0 || this.serving) return;
    const startNs = this.nowNs;
    const busy = this.movesData(startNs);
    if (!busy) this.serveUntil(startNs + SLICE_NS);
    else if (this.mayServe(startNs)) {
      const tookNs = this.processorTimeOf(startNs, startNs + Math.min(SLICE_NS, this.budgetNs));
      this.budgetNs = Math.max(-this.limits.busyBurstNs, this.budgetNs - tookNs);
    }
    if (this.backlog > 0 && !this.turning) this.turnLater(busy);
  }

  /** Serves what waits, at least one message, until a time; what they send is part of what they take. */
  private serveUntil(untilNs: number): void {
    this.serving = true;
    try {
      do {
        const queue = this.shift();
        if (queue === null) break;
        this.listener.received(queue.bytes, 0, queue.length, queue.source);
      } while (this.nowNs < untilNs);
    } finally {
      this.serving = false;
    }
    this.context.software.flush();
  }

  /**
   * Serves what waits, and says what processor time it took: while other programs had the processor, nothing was taken
   * from connections. To ask the system costs as much as a message, so that it is asked now and then. What is measured is
   * the time of messages alone: a device that waits for packets uses no processor either, and nobody took it.
   */
  private processorTimeOf(startNs: number, untilNs: number): number {
    if (startNs - this.sampledAtNs < SAMPLE_EVERY_NS) {
      this.serveUntil(untilNs);
      const share = this.sampledNs > 0 ? this.sampledProcessorNs / this.sampledNs : 1;
      return (this.nowNs - startNs) * share;
    }
    const usedNs = this.processorNs();
    this.serveUntil(untilNs);
    const tookNs = this.nowNs - startNs;
    const processorNs = Math.min(tookNs, this.processorNs() - usedNs);
    this.sampledAtNs = startNs;
    this.sampledNs += tookNs;
    this.sampledProcessorNs += processorNs;
    if (this.sampledNs > REMEMBERED_NS) {
      this.sampledProcessorNs *= REMEMBERED_NS / this.sampledNs;
      this.sampledNs = REMEMBERED_NS;
    }
    return processorNs;
  }

  /**
   * Whether time may be spent while connections move data. What was spent up is saved up to a whole slice first: messages
   * one by one, each between others' packets, cost several times what they cost in a row.
   */
  private mayServe(nowNs: number): boolean {
    const { busyShare, busyBurstNs } = this.limits;
    this.budgetNs = Math.min(busyBurstNs, this.budgetNs + (nowNs - this.budgetAtNs) * busyShare);
    this.budgetAtNs = nowNs;
    if (this.budgetNs <= 0) this.saving = true;
    else if (this.budgetNs >= Math.min(SLICE_NS, busyBurstNs)) this.saving = false;
    return !this.saving;
  }

  get backlog(): number {
    let size = 0;
    for (const queue of this.queues) size += queue.size;
    return size;
  }

  /** The queue whose turn it was, with what was taken from it; null where nothing waits. */
  private shift(): FairQueue | null {
    for (let tries = 0; tries < URGENCIES; tries++) {
      const queue = this.queues[this.next];
      this.next = (this.next + 1) % URGENCIES;
      if (queue.shift()) return queue;
    }
    return null;
  }

  /** Goes on in a later turn of the loop: the next, or the one by which some time may be spent again. */
  private turnLater(busy: boolean): void {
    this.turning = true;
    const missingNs = SLICE_NS - this.budgetNs;
    if (!busy || missingNs <= 0) setImmediate(this.turn);
    else setTimeout(this.turn, Math.ceil(missingNs / this.limits.busyShare / 1e6)).unref();
  }

  private readonly turn = (): void => {
    this.turning = false;
    this.context.software.turnOfManagement();
  };

  /** Whether connections sent or received something lately. */
  private movesData(nowNs: number): boolean {
    const { rx_payload_bytes, tx_payload_bytes } = this.context.software.deviceCounters;
    if (rx_payload_bytes + tx_payload_bytes !== this.movedBytes) {
      this.movedBytes = rx_payload_bytes + tx_payload_bytes;
      this.movedNs = nowNs;
    }
    return nowNs - this.movedNs < QUIET_NS;
  }

  get nowNs(): number {
    return this.context.clock.nowNs;
  }

  get gids(): readonly Gid[] {
    return this.context.software.link.gids;
  }

  get activeMtu(): Mtu {
    return this.context.queryPort(1).activeMtu;
  }

  get maxResponderResources(): number {
    return this.context.device.maxQpRdAtom;
  }

  get maxInitiatorDepth(): number {
    return this.context.device.maxQpInitRdAtom;
  }

  send(datagram: Uint8Array, to: Gid, gidIndex: number): void {
    this.context.software.sendManagement(datagram, to, gidIndex);
  }

  setTimer(atNs: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (atNs === Number.POSITIVE_INFINITY) return;
    const delayMs = Math.max(0, Math.ceil((atNs - this.nowNs) / 1e6));
    this.timer = setTimeout(
      () => {
        this.timer = null;
        this.listener.due();
      },
      Math.min(delayMs, LONGEST_TIMER_MS),
    ).unref();
  }

  random32(): number {
    return this.context.random();
  }

  fault(error: unknown, port: number | null): void {
    this.context.software.fault(error, port);
  }

  withhold(qpNum: number, onProof: () => void): void {
    this.context.software.withhold(qpNum, onProof);
  }

  release(qpNum: number): void {
    this.context.software.release(qpNum);
  }

  get setSelective(): ((qpNum: number, selective: boolean) => void) | undefined {
    const { software } = this.context;
    return software.anyPlaced ? (qpNum, selective) => software.setSelective(qpNum, selective) : undefined;
  }

  /** Real time passes by itself. */
  waiting(): void {}

  answered(): void {}
}

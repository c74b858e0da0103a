import type { Context } from '../../verbs/index.js';
import {
  type InterposedContext,
  type InterposedQueuePair,
  type SchemeSeat,
  Worker,
} from '../interposer/index.js';
import type { SchemeHost, SchemeTenant } from '../scheme.js';
import { JUSTITIA } from './constants.js';
import { PacedPath } from './path.js';
import { ReferenceFlow } from './reference-flow.js';

/** A tenant that has posted nothing for this long is not counted among those present. */
const ABSENT_NS = 10e6;

/** What a pacer is set to. */
export interface PacerOptions {
  targetNs: number;
  /** All hosts of the run: the reference flow needs the other end. */
  hosts: readonly SchemeHost[];
  /** No tenant is taken for latency-sensitive: all are paced. */
  paceAll?: boolean;
  /** Another chunk than the original's. */
  chunkBytes?: number;
}

/** One tenant on one host: whether it is latency-sensitive, and the bytes it may send. */
export class PacedTenant {
  readonly pacer: Pacer;
  /** Credit in bytes; a request that cannot be cut may overdraw it. */
  credit = 0;
  readonly stalled = new Set<PacedPath>();
  lastPostNs = Number.NEGATIVE_INFINITY;
  /** The largest message, and the most requests outstanding of a queue pair, so far. */
  private largestBytes = 0;
  private mostOutstanding = 0;
  private watched = new Set<object>();

  constructor(pacer: Pacer) {
    this.pacer = pacer;
  }

  /** It sends short messages, a few at a time: it is not paced, and it is who the others are paced for. */
  get isSensitive(): boolean {
    if (this.pacer.options.paceAll === true) return false;
    return (
      this.largestBytes < JUSTITIA.smallBytes.value && this.mostOutstanding <= JUSTITIA.fewOutstanding.value
    );
  }

  get isPresent(): boolean {
    return this.pacer.nowNs - this.lastPostNs < ABSENT_NS;
  }

  /** A stand in the way of one of its queue pairs. */
  path(qp: InterposedQueuePair): PacedPath {
    return new PacedPath(qp, this);
  }

  /** It posted a message with this many others unfinished. */
  note(bytes: number, outstanding: number): void {
    this.lastPostNs = this.pacer.nowNs;
    if (bytes > this.largestBytes) this.largestBytes = bytes;
    if (outstanding > this.mostOutstanding) this.mostOutstanding = outstanding;
    if (this.isSensitive) this.pacer.sensitiveSeen();
  }

  /** Whether `bytes` of a message may go; they are paid for then. Short messages are paid by number. */
  spend(bytes: number, messageBytes: number): boolean {
    if (this.isSensitive) return true;
    if (this.credit <= 0 && !this.pacer.grant(this)) return false;
    const { chunkBytes, opsPerToken } = JUSTITIA;
    const opBytes =
      messageBytes < chunkBytes.value / opsPerToken.value ? chunkBytes.value / opsPerToken.value : bytes;
    this.credit -= opBytes;
    return true;
  }

  /** A queue pair waits for credit or for room. */
  waits(path: PacedPath): void {
    this.stalled.add(path);
    const { inner } = path.qp.sendCq;
    if (!this.watched.has(inner)) {
      this.watched.add(inner);
      this.pacer.worker.watch(inner);
    }
    // With credit left it is room in the device's queue that is waited for.
    if (this.credit > 0) this.pacer.worker.wakeOnCompletion();
    else this.pacer.wakeForToken();
  }
}

/**
 * Justitia's pacer on one host: tokens come at the rate of a virtual link capacity, are dealt to tenants in turn, and the
 * capacity follows the latency of a reference flow (AIMD).
 */
export class Pacer implements SchemeSeat {
  readonly worker: Worker;
  readonly workers: readonly Worker[];
  readonly insideNs = 0;
  /** The virtual link capacity. */
  capacityBytesPerNs: number;
  private readonly lineBytesPerNs: number;
  readonly options: PacerOptions;
  private readonly context: Context;
  private readonly tenants: PacedTenant[] = [];
  private reference: ReferenceFlow | null = null;
  /** The reference flow runs: there are latency-sensitive tenants beside others. */
  private measuring = false;
  private latencyNs = 0;
  private nextTokenNs = 0;
  private turn = 0;

  constructor(host: SchemeHost, options: PacerOptions) {
    this.context = host.context;
    this.options = options;
    const { lineRateBps = JUSTITIA.lineRateBps.value } = host.context.queryPort(1);
    this.lineBytesPerNs = (JUSTITIA.lineShare.value * lineRateBps) / 8e9;
    this.capacityBytesPerNs = this.lineBytesPerNs;
    this.worker = new Worker(host.context, 'justitia', () => this.step());
    this.workers = [this.worker];
  }

  get nowNs(): number {
    return this.context.clock.nowNs;
  }

  /** Bytes of a token, and of a chunk. */
  get chunkBytes(): number {
    if (this.options.chunkBytes !== undefined) return this.options.chunkBytes;
    return this.measuring ? JUSTITIA.smallChunkBytes.value : JUSTITIA.chunkBytes.value;
  }

  admit(_tenant: SchemeTenant, _context: InterposedContext): PacedTenant {
    const tenant = new PacedTenant(this);
    this.tenants.push(tenant);
    return tenant;
  }

  /** Tenants of this host talk to that one: the reference flow will, too. It is made before there is traffic. */
  destination(gid: string): void {
    if (this.reference !== null) return;
    const peer = this.options.hosts.find(({ context }) => context.queryGid(1, 0) === gid);
    if (peer === undefined) return;
    this.reference = new ReferenceFlow(this.context, peer.context, JUSTITIA.referenceBytes.value);
    this.worker.watch(this.reference.cq);
  }

  /** A latency-sensitive tenant is here: the reference flow runs from now on while there is one. */
  sensitiveSeen(): void {
    if (this.measuring || this.reference === null) return;
    if (!this.tenants.some((tenant) => tenant.isPresent && !tenant.isSensitive)) return;
    this.measuring = true;
    this.worker.wake();
  }

  /** Gives a tenant the token that is due, if one is and it is the tenant's turn or nobody else's. */
  grant(tenant: PacedTenant): boolean {
    this.catchUp();
    if (this.nextTokenNs > this.nowNs) return false;
    const next = this.nextInLine();
    if (next !== null && next !== tenant) return false;
    this.giveToken(tenant);
    return tenant.credit > 0;
  }

  /** Asks for a step when the next token is due. */
  wakeForToken(): void {
    this.worker.wakeAtNs(Math.max(this.nowNs, this.nextTokenNs));
  }

  private step(): void {
    this.observe();
    this.catchUp();
    for (const tenant of this.tenants) if (tenant.credit > 0) this.serve(tenant);
    while (this.nextTokenNs <= this.nowNs) {
      const tenant = this.nextInLine();
      if (tenant === null) break;
      this.giveToken(tenant);
      this.turn = this.tenants.indexOf(tenant) + 1;
      this.serve(tenant);
    }
    if (this.nextInLine() !== null) this.wakeForToken();
  }

  /** Lets the queue pairs of a tenant that wait go on, in turn. */
  private serve(tenant: PacedTenant): void {
    const paths = [...tenant.stalled];
    tenant.stalled.clear();
    for (const path of paths) path.pump();
  }

  private giveToken(tenant: PacedTenant): void {
    tenant.credit += this.chunkBytes;
    this.nextTokenNs += this.chunkBytes / this.capacityBytesPerNs;
  }

  /** Tokens that nobody took are lost but for the last few. */
  private catchUp(): void {
    const tokenNs = this.chunkBytes / this.capacityBytesPerNs;
    this.nextTokenNs = Math.max(this.nextTokenNs, this.nowNs - (JUSTITIA.maxTokens.value - 1) * tokenNs);
  }

  /** The tenant that is next of those that wait for credit. */
  private nextInLine(): PacedTenant | null {
    const { tenants } = this;
    for (let step = 0; step < tenants.length; step++) {
      const tenant = tenants[(this.turn + step) % tenants.length];
      if (tenant.stalled.size > 0 && tenant.credit <= 0) return tenant;
    }
    return null;
  }

  /** Reads the reference flow and moves the capacity (AIMD); without sensitive tenants there is none. */
  private observe(): void {
    const { reference } = this;
    if (reference === null || !this.measuring) return;
    const sampleNs = reference.take(this.nowNs);
    if (sampleNs === null) return;
    const { smoothing, decrease, increaseBytesPerSecond } = JUSTITIA;
    this.latencyNs =
      this.latencyNs === 0 ? sampleNs : smoothing.value * sampleNs + (1 - smoothing.value) * this.latencyNs;
    const present = this.tenants.filter((tenant) => tenant.isPresent);
    const big = present.filter((tenant) => !tenant.isSensitive).length;
    if (this.latencyNs > this.options.targetNs) {
      // A single receiver is assumed, as in the original: its big flows are this host's; sensitive tenants count as one.
      const floor = (this.lineBytesPerNs * big) / (big + 1);
      this.capacityBytesPerNs = Math.max(floor, this.capacityBytesPerNs / decrease.value);
    } else {
      const grown = this.capacityBytesPerNs + increaseBytesPerSecond.value / 1e9;
      this.capacityBytesPerNs = Math.min(this.lineBytesPerNs, grown);
    }
    if (present.some((tenant) => tenant.isSensitive) && big > 0) reference.send(this.nowNs);
    else {
      this.measuring = false;
      this.capacityBytesPerNs = this.lineBytesPerNs;
    }
  }
}

import type { CompletionQueue, Context, QueuePair } from '../../verbs/index.js';
import { type InterposedContext, type SchemeSeat, Worker } from '../interposer/index.js';
import type { SchemeHost, SchemeTenant } from '../scheme.js';
import { PERF, type PerfSettings } from './constants.js';
import { CoreTurns } from './core-turns.js';
import type { Call, Peers } from './peers.js';
import { PerfTenant } from './tenant.js';

/**
 * PeRF's master on one host: knows the type of every tenant and decides who is isolated and how (PeRF §3.2, §4.4). It and
 * the workers of all tenants share one core, as the paper has them.
 */
export class Master implements SchemeSeat {
  readonly context: Context;
  readonly settings: PerfSettings;
  readonly worker: Worker;
  readonly workers: readonly Worker[];
  readonly tenants: PerfTenant[] = [];
  /** The other hosts' parts of PeRF, and where their calls come in. */
  readonly peers: Peers;
  readonly gid: string;
  readonly inbox: { qp: QueuePair; cq: CompletionQueue }[] = [];
  /** Messages to other hosts' parts. */
  calls = 0;
  /** Looks of the scheme at requests of tenants, on the tenants' own cores. */
  intercepted = 0;
  private readonly linkBytesPerSecond: number;
  /** Which tenant's worker has the core. */
  readonly core = new CoreTurns<PerfTenant>(PERF.workerSliceNs.value);
  private nextLookNs = 0;
  private turn = 0;
  private turnEndsNs = 0;

  constructor({ context }: SchemeHost, settings: PerfSettings, peers: Peers) {
    this.context = context;
    this.settings = settings;
    this.peers = peers;
    this.gid = context.queryGid(1, 0);
    peers.add(this.gid, this);
    const { lineRateBps = PERF.lineRateBps.value } = context.queryPort(1);
    this.linkBytesPerSecond = lineRateBps / 8;
    this.worker = new Worker(context, 'perf', () => this.step());
    this.workers = [this.worker];
  }

  get nowNs(): number {
    return this.context.clock.nowNs;
  }

  get insideNs(): number {
    return this.intercepted * PERF.interceptNs.value;
  }

  get ownRequests(): number {
    return this.calls + this.tenants.reduce((sum, tenant) => sum + tenant.ownRequests, 0);
  }

  admit(tenant: SchemeTenant, context: InterposedContext): PerfTenant {
    const admitted = new PerfTenant(this, tenant, context);
    this.tenants.push(admitted);
    return admitted;
  }

  /** Something changed: a tenant came, or turned out to be of another type. */
  reconsider(): void {
    const { settings } = this;
    const active = this.tenants.filter((tenant) => tenant.isActive);
    const queuePairs = active.reduce((sum, tenant) => sum + tenant.queuePairs, 0);
    const limit = this.queuePairLimit(active);
    const bandwidth = active.filter((tenant) => tenant.type === 'B');
    const isBeset = bandwidth.length > PERF.manyBandwidthTenants.value && active.length > bandwidth.length;
    for (const tenant of this.tenants) {
      const others = active.filter((each) => each !== tenant);
      const sensitive = others.some(({ type }) => type !== 'B');
      const isLarge = tenant.type === 'B' || tenant.usesAtomics;
      tenant.interrupts =
        settings.isolation === 'always' || (settings.isolation === 'selective' && isLarge && sensitive);
      const crowded = tenant.queuePairs > 1 && tenant.type !== 'D' && others.length > 0 && queuePairs > limit;
      const isHeld = settings.isolation === 'always' || (settings.isolation === 'selective' && crowded);
      const share = Math.max(settings.allowedQueuePairs, limit - (queuePairs - tenant.queuePairs));
      tenant.hold(isHeld ? share : 0);
      tenant.mayPost = !isBeset || tenant.type !== 'B' || this.hasTurn(tenant, bandwidth);
    }
  }

  /** A tenant posts for the first time, or again after a long while: looks begin. */
  awake(): void {
    if (this.nextLookNs === 0) this.nextLookNs = this.nowNs + PERF.sampleNs.value;
    this.worker.wakeAtNs(this.nextLookNs);
    this.reconsider();
  }

  /**
   * How many queue pairs the device serves without one hurting another: those that saturate its message rate, fewer where
   * messages are so long that they saturate the link first (as the original computes it).
   */
  private queuePairLimit(active: readonly PerfTenant[]): number {
    const { queuePairsToSaturate } = this.settings;
    const largest = Math.max(1, ...active.map((tenant) => tenant.meanBytes));
    const byLink =
      (PERF.linkShare.value * this.linkBytesPerSecond) / largest / PERF.queuePairMessagesPerSecond.value;
    return Math.max(1, Math.floor(Math.min(queuePairsToSaturate, byLink)));
  }

  /** A call of another host, or the answer to one of ours. */
  private called(call: Call): void {
    if (call.state === 'asked') call.callee.serve(call);
    else call.caller.answered();
  }

  private hasTurn(tenant: PerfTenant, bandwidth: readonly PerfTenant[]): boolean {
    const place = bandwidth.indexOf(tenant);
    const first = this.turn % bandwidth.length;
    return (
      (place - first + bandwidth.length) % bandwidth.length < PERF.bandwidthTenantsAtOnce.value && place >= 0
    );
  }

  private step(): void {
    const now = this.nowNs;
    if (this.nextLookNs > 0 && now >= this.nextLookNs) {
      this.nextLookNs = now + PERF.sampleNs.value;
      if (now >= this.turnEndsNs) {
        this.turn++;
        this.turnEndsNs = now + PERF.turnNs.value;
      }
      for (const tenant of this.tenants) tenant.look();
      this.reconsider();
      if (!this.tenants.some((tenant) => tenant.isActive)) this.nextLookNs = 0;
    }
    this.peers.receive(this.inbox, (call) => this.called(call));
    this.core.turn(this.tenants, now);
    for (const tenant of this.tenants) tenant.work();
    const nextTurnNs = this.core.turn(this.tenants, now);
    if (nextTurnNs < Number.POSITIVE_INFINITY) this.worker.wakeAtNs(nextTurnNs);
    if (this.nextLookNs > 0) this.worker.wakeAtNs(this.nextLookNs);
  }
}

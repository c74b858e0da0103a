import type { InterposedContext, InterposedQueuePair } from '../interposer/index.js';
import type { SchemeTenant } from '../scheme.js';
import { type ApplicationType, Classifier } from './classifier.js';
import { PERF } from './constants.js';
import type { Master } from './master.js';
import { PerfPath } from './path.js';
import { Semaphore } from './semaphore.js';
import { TokenBucket } from './token-bucket.js';

/** One tenant on one host: its type, what is done to it, and the part of the worker that does it. */
export class PerfTenant {
  readonly master: Master;
  private readonly context: InterposedContext;
  readonly classifier = new Classifier();
  readonly bucket: TokenBucket | null;
  /** Large messages are interrupted: cut, with WAITs for nothing between (LMSE). */
  interrupts = false;
  /** It has its turn among many bandwidth tenants. */
  mayPost = true;
  usesAtomics = false;
  private readonly stalled = new Set<PerfPath>();
  private readonly paths = new Set<PerfPath>();
  private readonly watched = new Set<object>();
  private semaphore: Semaphore | null = null;
  private allowed = 0;
  private lastPostNs = Number.NEGATIVE_INFINITY;

  constructor(master: Master, tenant: SchemeTenant, context: InterposedContext) {
    this.master = master;
    this.context = context;
    const gbps = master.settings.targetGbps[tenant.name];
    this.bucket = gbps === undefined ? null : new TokenBucket(gbps, PERF.bucketBytes.value);
  }

  get type(): ApplicationType {
    return this.classifier.type;
  }

  get meanBytes(): number {
    return this.classifier.meanBytes;
  }

  /** Queue pairs that it has posted to. */
  get queuePairs(): number {
    let count = 0;
    for (const path of this.paths) if (path.messages > 0) count++;
    return count;
  }

  get isActive(): boolean {
    const { activeNs, activeSensitiveNs } = PERF;
    const limitNs = this.type === 'D' ? activeSensitiveNs.value : activeNs.value;
    return this.master.nowNs - this.lastPostNs < limitNs;
  }

  /** The tokens that its queue pairs must hold to send; null where they need none (MQSE). */
  get held(): Semaphore | null {
    return this.allowed > 0 ? this.semaphore : null;
  }

  /** Requests of its semaphore. */
  get ownRequests(): number {
    return this.semaphore?.workRequests ?? 0;
  }

  /** Lets `queuePairs` of it send at a time; 0 for all. */
  hold(queuePairs: number): void {
    if (queuePairs > 0) this.semaphore?.allow(queuePairs);
    this.allowed = queuePairs;
  }

  /** Tokens of a queue pair that is gone. */
  giveBack(tokens: number): void {
    for (let left = tokens; left > 0; left--) this.semaphore?.giveBack();
  }

  path(qp: InterposedQueuePair): PerfPath {
    const path = new PerfPath(qp, this);
    this.paths.add(path);
    this.classifier.add(path.use);
    // Made before there is traffic: a control verb in its midst would stop the device.
    if (this.paths.size === 2 || this.master.settings.isolation === 'always') this.makeSemaphore();
    return path;
  }

  forget(path: PerfPath): void {
    this.paths.delete(path);
    this.stalled.delete(path);
    this.classifier.remove(path.use);
  }

  /** A request was posted. */
  posted(path: PerfPath, bytes: number): void {
    const { type, isActive } = this;
    const first = path.messages === 1;
    this.master.intercepted++;
    this.context.working?.work?.(PERF.interceptNs.value);
    this.lastPostNs = this.master.nowNs;
    this.classifier.posted(path.use, bytes);
    if (!isActive) this.master.awake();
    else if (first || this.classifier.type !== type) this.master.reconsider();
  }

  look(): void {
    this.classifier.look();
  }

  /** Requests of a queue pair wait: for the worker's next step, or else for room in the device's queue. */
  waits(path: PerfPath, forWorker: boolean): void {
    this.stalled.add(path);
    const { inner } = path.qp.sendCq;
    if (!this.watched.has(inner)) {
      this.watched.add(inner);
      this.master.worker.watch(inner);
    }
    const { worker, nowNs } = this.master;
    const readyNs = path.hasLarge(true) ? 0 : (this.bucket?.readyNs ?? 0);
    if (readyNs > nowNs) worker.wakeAtNs(readyNs);
    else if (forWorker && this.mayPost) worker.wakeAtNs(nowNs);
    else worker.wakeOnCompletion();
  }

  /** Whether its worker could do something for its large messages now. */
  wantsCore(nowNs: number): boolean {
    if (!this.mayPost) return false;
    const onlyBegun = this.bucket !== null && this.bucket.readyNs > nowNs;
    for (const path of this.stalled) if (path.hasLarge(onlyBegun)) return true;
    return false;
  }

  /** Takes a message's bytes from its bucket, where it has one; false where there is nothing in it. */
  pays(bytes: number): boolean {
    return this.bucket === null || this.bucket.spend(bytes, this.master.nowNs);
  }

  /** The worker's part: posts what waits, a little of each queue pair in turn. */
  work(): void {
    this.semaphore?.refill();
    if (!this.mayPost || this.stalled.size === 0) return;
    const paths = [...this.stalled];
    this.stalled.clear();
    for (const path of paths) path.pump();
  }

  private makeSemaphore(): void {
    if (this.semaphore !== null) return;
    this.semaphore = new Semaphore(this.master.context);
    this.master.worker.watch(this.semaphore.completions);
    if (this.allowed > 0) this.semaphore.allow(this.allowed);
  }
}

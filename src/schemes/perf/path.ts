import type { SendWr } from '../../verbs/index.js';
import {
  canBeCut,
  type InterposedQueuePair,
  Part,
  pieceOf,
  SendPath,
  type Waiting,
} from '../interposer/index.js';
import type { QueueUse } from './classifier.js';
import { PERF } from './constants.js';
import type { Semaphore } from './semaphore.js';
import type { PerfTenant } from './tenant.js';

/** Every how many sub-messages the device is asked for a completion, so that places in its queue come free. */
const PARTS_A_SIGNAL = 4;
/** Sub-messages that the worker posts for one queue pair before it looks at the next. */
const PARTS_A_STEP = 4;
/** A queue pair number that nobody has: datagrams to it are dropped. */
const NOBODY_QPN = 0xffffff;

/** The send queue of a queue pair under PeRF. */
export class PerfPath extends SendPath {
  /** What the classifier knows of it. */
  readonly use: QueueUse = { messages: 0, bytes: 0, unfinished: () => this.unfinished };
  private readonly tenant: PerfTenant;
  private parts = 0;
  /** The last look at what waits posted some of it. */
  private progressed = false;
  /** The semaphore whose token the requests posted last hold, and the bytes of theirs. */
  private holds: Semaphore | null = null;
  private heldBytes = 0;
  /** A token was never taken: the queue was flushed before. */
  private acquireFailed = false;

  constructor(qp: InterposedQueuePair, tenant: PerfTenant) {
    super(qp);
    this.tenant = tenant;
  }

  override destroyed(): void {
    super.destroyed();
    this.tenant.forget(this);
  }

  protected override posted(wr: SendWr, bytes: number): void {
    if (wr.opcode.startsWith('ATOMIC')) this.tenant.usesAtomics = true;
    this.tenant.posted(this, bytes);
  }

  /** Completions that the tenant's own WAITs count must all be the tenant's: such a queue pair is left alone. */
  private get isLeftAlone(): boolean {
    return this.qp.sendCq.isWaitedOn;
  }

  protected passes(wr: SendWr, bytes: number): boolean {
    const { tenant } = this;
    if (this.isLeftAlone) return true;
    if (!tenant.mayPost || tenant.bucket !== null || tenant.held !== null) return false;
    return !this.isInterrupted(wr, bytes);
  }

  /** Whether a request is one of those that others are kept from: large, or an atomic (PeRF §3.4, appendix D). */
  private isInterrupted(wr: SendWr, bytes: number): boolean {
    if (!this.tenant.interrupts) return false;
    return bytes >= PERF.largeBytes.value || wr.opcode.startsWith('ATOMIC');
  }

  /**
   * What need not be cut is posted where it comes from, on the tenant's core; the worker does the rest, a few
   * sub-messages at a time so that the tenant's other queue pairs get their turn.
   */
  protected advance(): void {
    const { tenant, waiting } = this;
    const { subMessageBytes, waitUnitBytes } = tenant.master.settings;
    const most = 4 + Math.ceil(subMessageBytes / waitUnitBytes);
    const list: SendWr[] = [];
    let parts = 0;
    if (this.room < most * PARTS_A_STEP) this.makeRoom();
    while (waiting.length > 0 && this.room >= most && parts < PARTS_A_STEP * 8) {
      const first = waiting[0];
      const large = first.bytes > subMessageBytes && this.isInterrupted(first.wr, first.bytes);
      if (large && canBeCut(first.wr)) {
        if (!tenant.master.worker.running) break;
        if (parts >= PARTS_A_STEP) break;
      }
      if (!tenant.mayPost && !this.isLeftAlone) break;
      const left = first.bytes - first.offset;
      const cut = large && canBeCut(first.wr) && left > subMessageBytes;
      const bytes = cut ? subMessageBytes : left;
      if (tenant.bucket !== null && !tenant.bucket.spend(bytes, tenant.master.nowNs)) break;
      this.takeToken(list, bytes);
      this.push(list, first, bytes, cut);
      parts++;
      if (this.heldBytes >= PERF.holdBytes.value || (waiting.length === 0 && !cut)) this.giveToken(list);
    }
    this.progressed = list.length > 0;
    if (list.length === 0) return;
    if (waiting.length === 0 || waiting[0].offset === 0) this.giveToken(list);
    this.post(list);
  }

  protected stalled(): void {
    this.tenant.waits(this, this.progressed || !this.tenant.master.worker.running);
    this.progressed = false;
  }

  protected override tokenEnded(kind: number, failed: boolean): void {
    if (kind === Part.ACQUIRE) this.acquireFailed = failed;
    else if (failed && !this.acquireFailed) this.tenant.held?.giveBack();
  }

  /** One part of the first waiting request, and the WAITs for nothing that make way for others. */
  private push(list: SendWr[], first: Waiting, bytes: number, cut: boolean): void {
    const { wr, request, offset } = first;
    const interrupted = this.isInterrupted(wr, first.bytes) && !this.isLeftAlone;
    if (cut && canBeCut(wr)) {
      const signal = ++this.parts % PARTS_A_SIGNAL === 0;
      list.push(this.entry(pieceOf(wr, offset, bytes), Part.PIECE, request, signal));
      first.offset += bytes;
    } else {
      this.waiting.shift();
      list.push(this.lastOf(first, offset > 0 && canBeCut(wr) ? pieceOf(wr, offset, bytes) : wr));
    }
    if (!interrupted) return;
    const { waitUnitBytes, subMessageBytes } = this.tenant.master.settings;
    const pause = this.pauseLike(wr);
    // What cannot be cut makes way once, as one sub-message would.
    const units = Math.ceil(Math.min(bytes, subMessageBytes) / waitUnitBytes);
    for (let left = Math.max(1, units); left > 0; left--)
      list.push(this.entry(pause, Part.OWN, request, false));
  }

  /** A request that does nothing but take a turn: a WAIT for nothing, or on UD, whose devices have no WAIT, an empty message. */
  private pauseLike(wr: SendWr): SendWr {
    if (this.qp.qpType === 'UD' && 'ah' in wr && wr.ah !== undefined)
      return { opcode: 'SEND', ah: wr.ah, remoteQpn: NOBODY_QPN, remoteQkey: 0 };
    return { opcode: 'WAIT', cq: this.qp.sendCq.inner, count: 0 };
  }

  private takeToken(list: SendWr[], bytes: number): void {
    const { held } = this.tenant;
    if (this.holds === null && held !== null && !this.isLeftAlone) {
      list.push(this.entry(held.acquire, Part.ACQUIRE, 0, false));
      this.holds = held;
      this.heldBytes = 0;
    }
    this.heldBytes += bytes;
  }

  private giveToken(list: SendWr[]): void {
    if (this.holds === null) return;
    list.push(this.entry(this.holds.release, Part.RELEASE, 0, false));
    this.holds = null;
  }
}

import {
  Access,
  addressDistance,
  addressPlus,
  type QpAttr,
  type RecvWr,
  type SendWr,
  type WorkCompletion,
} from '../../verbs/index.js';
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
import { restOf, writtenAhead } from './parts.js';
import type { Call } from './peers.js';
import { Receives } from './receives.js';
import { readable, regionAt } from './regions.js';
import type { Semaphore } from './semaphore.js';
import type { PerfTenant } from './tenant.js';

/** Every how many sub-messages the device is asked for a completion, so that places in its queue come free. */
const PARTS_A_SIGNAL = 4;
/** Sub-messages that the worker posts for one queue pair before it looks at the next, */
const PARTS_A_STEP = 1;
/** requests that need not be cut, */
const REQUESTS_A_STEP = 32;
/** and sub-messages that it posts behind the WAIT of a queue pair. */
const PARTS_AHEAD = 4;
/** Requests at the head of the queue that the peer is asked about ahead of their turn. */
const ASKED_AHEAD = 4;
/** A queue pair number that nobody has: datagrams to it are dropped. */
const NOBODY_QPN = 0xffffff;

/** Data that is written to the peer because it asked to READ it. */
interface Service {
  call: Call;
  key: number;
  /** Where the data lies in local memory. */
  addr: number;
  offset: number;
}

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
  /** The device was seen to have taken that token; until then little more than the WAIT for it is posted (PeRF §4.2). */
  private acquired = false;
  private heldParts = 0;
  /** Tokens that its requests in the device may have taken and have not given back. */
  private tokens = 0;
  private readonly receives = new Receives();
  /** Messages posted that take a receive of the peer; of long ones their number, and the call about them, by request. */
  private sequence = 0;
  private readonly sequences = new Map<number, number>();
  private readonly calls = new Map<number, Call>();
  private readonly services: Service[] = [];
  /** Calls whose last write has this number. */
  private readonly ends = new Map<number, Call>();
  private peerGid: string | null = null;
  private peerQpn = -1;

  constructor(qp: InterposedQueuePair, tenant: PerfTenant) {
    super(qp);
    this.tenant = tenant;
  }

  override destroyed(): void {
    super.destroyed();
    this.disconnect();
    this.tenant.forget(this);
  }

  override modified(attr: QpAttr): void {
    if (attr.state === 'RESET') this.disconnect();
    if (attr.ahAttr !== undefined && attr.destQpNum !== undefined) {
      const { master } = this.tenant;
      this.peerGid = attr.ahAttr.dgid;
      this.peerQpn = attr.destQpNum;
      master.peers.join(this, master.gid, this.peerGid);
    }
    super.modified(attr);
  }

  override receivesPosted(wr: RecvWr | readonly RecvWr[], count: number): void {
    if (this.qp.qpType !== 'RC' || this.qp.srq !== null) return;
    const list: readonly RecvWr[] = Array.isArray(wr) ? wr : [wr as RecvWr];
    for (let index = 0; index < count; index++) this.receives.post(list[index]);
  }

  override receiveCompleted(completion: WorkCompletion): void {
    const bytes = this.receives.complete();
    if (bytes > 0 && completion.status === 'SUCCESS') completion.byteLen = bytes;
  }

  override sendCompleted(completion: WorkCompletion): number {
    const call = this.ends.get(completion.wrId);
    if (call !== undefined) {
      this.ends.delete(completion.wrId);
      this.reply(call, completion.status === 'SUCCESS' ? 'done' : 'refused');
    }
    return super.sendCompleted(completion);
  }

  override pump(): void {
    super.pump();
    if (this.services.length > 0) this.serveOn();
    if (this.ends.size === 0) return;
    this.makeRoom();
    if (this.ends.size > 0) this.tenant.waits(this, false);
  }

  /** The peer asks: to be written what it would READ (PeRF §4.4), or where a message of its will be received. */
  serve(call: Call): void {
    if (call.kind === 'RECEIVE') {
      const { qp } = this;
      const place = this.grants(Access.REMOTE_WRITE)
        ? this.receives.placeOf(call.sequence, call.bytes)
        : null;
      const region =
        place === null ? null : regionAt(this.qp.pd, place.lkey, place.addr, call.bytes, Access.REMOTE_WRITE);
      if (place === null || region === null || qp.state !== 'RTS') return this.reply(call, 'refused');
      call.remoteAddr = addressPlus(region.iova, place.addr - region.addr);
      call.rkey = region.rkey;
      this.receives.announce(call.sequence, call.bytes);
      return this.reply(call, 'granted');
    }
    const region = this.grants(Access.REMOTE_READ) ? readable(this.qp.pd, call) : null;
    if (region === null || this.qp.state !== 'RTS') return this.reply(call, 'refused');
    const addr = region.addr + addressDistance(region.iova, call.remoteAddr);
    this.services.push({ call, key: region.lkey, addr, offset: 0 });
    this.tenant.waits(this, true);
  }

  /** The peer has answered a call: what waited for it may go on. */
  answered(): void {
    if (this.waiting.length > 0) this.tenant.waits(this, true);
  }

  protected override posted(wr: SendWr, bytes: number): void {
    if (wr.opcode.startsWith('ATOMIC')) this.tenant.usesAtomics = true;
    if (wr.opcode.startsWith('SEND') || wr.opcode === 'RDMA_WRITE_WITH_IMM') {
      if (bytes > this.subMessageBytes) this.sequences.set(this.messages - 1, this.sequence);
      this.sequence++;
    }
    this.tenant.posted(this, bytes);
  }

  protected passes(wr: SendWr, bytes: number): boolean {
    const { tenant } = this;
    if (this.isLeftAlone) return true;
    if (!tenant.mayPost || tenant.bucket !== null || tenant.held !== null) return false;
    return !this.isInterrupted(wr, bytes);
  }

  /**
   * What need not be cut is posted where it comes from, on the tenant's core; the worker does the rest, a few
   * sub-messages at a time so that the tenant's other queue pairs get their turn.
   */
  protected advance(): void {
    const { tenant, waiting, most } = this;
    const list: SendWr[] = [];
    let parts = 0;
    this.askAhead();
    if (this.room < most * PARTS_A_STEP || this.awaitsToken) this.makeRoom();
    if (this.needsToken && this.room > 0) this.takeToken();
    while (waiting.length > 0 && this.room >= most && parts < REQUESTS_A_STEP) {
      const first = waiting[0];
      const call = this.calls.get(first.request);
      if (call?.state === 'asked') break;
      if (call?.kind === 'READ' && (call.state === 'done' || call.state === 'granted')) {
        this.finishRead(list, first);
        parts++;
        continue;
      }
      const large = this.isCutFor(first, call);
      if (large && (!this.mayCut || parts >= PARTS_A_STEP)) break;
      // Requests of a queue pair that is not active are kept until it is (PeRF §4.2), but for this much of a large message
      // as bridges the time until the worker sees it.
      if (this.awaitsToken && (!large || this.heldParts >= PARTS_AHEAD)) break;
      if ((!tenant.mayPost && !this.isLeftAlone) || this.needsToken) break;
      const left = first.bytes - first.offset;
      const cut = large && left > this.subMessageBytes;
      const bytes = cut ? this.subMessageBytes : left;
      // A message is paid for whole, before its first part goes (as the original's, whose tenants wait in their post).
      if (first.offset === 0 && !tenant.pays(first.bytes)) break;
      this.heldBytes += bytes;
      this.heldParts++;
      this.push(list, first, bytes, cut, call);
      parts++;
      if (this.heldBytes >= PERF.holdBytes.value || this.heldParts >= PERF.holdRequests.value)
        this.giveToken(list);
    }
    this.progressed = list.length > 0;
    if (list.length === 0) return;
    if (waiting.length === 0) this.giveToken(list);
    this.post(list);
  }

  protected stalled(): void {
    this.tenant.waits(this, this.progressed || !this.tenant.master.worker.running);
    this.progressed = false;
  }

  protected override tokenEnded(kind: number, failed: boolean): void {
    if (kind === Part.ACQUIRE) {
      this.acquired = true;
      if (failed) this.tokens--;
    } else if (!failed) this.tokens--;
    // What is left when everything was flushed was taken and not given back.
    if (failed && this.ring.outstanding === 0) this.giveBack();
  }

  /** The device was not seen to have taken the token that its requests need. */
  private get awaitsToken(): boolean {
    return this.holds !== null && !this.acquired;
  }

  /** A large message waits to be cut; `begun`: one whose first part went. */
  hasLarge(begun: boolean): boolean {
    const [first] = this.waiting;
    if (first === undefined || (begun && first.offset === 0)) return false;
    return this.isCutFor(first, this.calls.get(first.request));
  }

  /** Large messages are cut by the worker, while its tenant has the core. */
  private get mayCut(): boolean {
    const { master } = this.tenant;
    return master.worker.running && master.core.has(this.tenant);
  }

  private get subMessageBytes(): number {
    return this.tenant.master.settings.subMessageBytes;
  }

  /** Requests that one sub-message needs at most: itself, its pauses, a token taken and given. */
  private get most(): number {
    return 4 + Math.ceil(this.subMessageBytes / this.tenant.master.settings.waitUnitBytes);
  }

  /** Completions that the tenant's own WAITs count must all be the tenant's: such a queue pair is left alone. */
  private get isLeftAlone(): boolean {
    return this.qp.sendCq.isWaitedOn;
  }

  /** Whether a request is one of those that others are kept from: large, or an atomic (PeRF §3.4, appendix D). */
  private isInterrupted(wr: SendWr, bytes: number): boolean {
    if (!this.tenant.interrupts || this.isLeftAlone) return false;
    return bytes >= PERF.largeBytes.value || wr.opcode.startsWith('ATOMIC');
  }

  /** Whether a waiting request goes in sub-messages: one that can, or one that the peer has made it possible for. */
  private isCutFor(first: Waiting, call: Call | undefined): boolean {
    if (first.bytes <= this.subMessageBytes || !this.isInterrupted(first.wr, first.bytes)) return false;
    return canBeCut(first.wr) || call?.state === 'granted';
  }

  /** Asks the peer about long requests before their turn: READs it could write, messages that take a receive of its. */
  private askAhead(): void {
    const { master } = this.tenant;
    if (this.peerGid === null || this.qp.qpType !== 'RC' || this.isLeftAlone) return;
    for (let index = 0; index < Math.min(ASKED_AHEAD, this.waiting.length); index++) {
      const { wr, request, bytes, offset } = this.waiting[index];
      if (bytes <= this.subMessageBytes || offset > 0 || this.calls.has(request)) continue;
      if (!this.isInterrupted(wr, bytes) || wr.opcode === 'RDMA_WRITE' || wr.inlineData !== undefined)
        continue;
      const callee = master.peers.find(this.peerGid, this.peerQpn);
      const call = callee === null ? null : this.callFor(wr, request, bytes, callee);
      if (call === null) continue;
      this.calls.set(request, call);
      master.peers.send(master.gid, this.peerGid, call);
    }
  }

  private callFor(wr: SendWr, request: number, bytes: number, callee: PerfPath): Call | null {
    const call: Call = {
      kind: 'RECEIVE',
      caller: this,
      callee,
      state: 'asked',
      bytes,
      remoteAddr: 0,
      rkey: 0,
      localAddr: 0,
      localKey: 0,
      sequence: this.sequences.get(request) ?? -1,
    };
    if (wr.opcode !== 'RDMA_READ') return call.sequence < 0 ? null : call;
    const [sge, ...more] = wr.sgList ?? [];
    if (more.length > 0 || !this.grants(Access.REMOTE_WRITE)) return null;
    const region = regionAt(this.qp.pd, sge.lkey, sge.addr, bytes, Access.REMOTE_WRITE);
    if (region === null) return null;
    const localAddr = addressPlus(region.iova, sge.addr - region.addr);
    return {
      ...call,
      kind: 'READ',
      remoteAddr: wr.remoteAddr,
      rkey: wr.rkey,
      localAddr,
      localKey: region.rkey,
    };
  }

  /** The data of a READ is there: a request that does nothing carries its completion, in its place in the order. */
  private finishRead(list: SendWr[], first: Waiting): void {
    this.waiting.shift();
    this.calls.delete(first.request);
    list.push(this.lastOf(first, { opcode: 'WAIT', cq: this.qp.sendCq.inner, count: 0 }));
  }

  /** One part of the first waiting request, and the WAITs for nothing that make way for others. */
  private push(list: SendWr[], first: Waiting, bytes: number, cut: boolean, call: Call | undefined): void {
    const { wr, request, offset } = first;
    if (cut) {
      const signal = ++this.parts % PARTS_A_SIGNAL === 0;
      const piece = canBeCut(wr)
        ? pieceOf(wr, offset, bytes)
        : writtenAhead(first, call!, bytes, this.subMessageBytes);
      list.push(this.entry(piece, Part.PIECE, request, signal));
      first.offset += piece.sgList!.reduce((sum, { length }) => sum + length, 0);
    } else {
      this.waiting.shift();
      this.calls.delete(request);
      this.sequences.delete(request);
      list.push(this.lastOf(first, offset > 0 ? restOf(first, bytes) : wr));
    }
    if (this.isInterrupted(wr, first.bytes)) this.pause(list, wr, bytes, request);
  }

  private pause(list: SendWr[], wr: SendWr, bytes: number, request: number): void {
    const pause = this.pauseLike(wr);
    // What cannot be cut makes way once, as one sub-message would.
    const units = Math.ceil(
      Math.min(bytes, this.subMessageBytes) / this.tenant.master.settings.waitUnitBytes,
    );
    for (let left = Math.max(1, units); left > 0; left--)
      list.push(this.entry(pause, Part.OWN, request, false));
  }

  /**
   * A request that does nothing but take a turn: a WAIT for nothing, or on UD, whose devices have no WAIT, an empty message.
   */
  private pauseLike(wr: SendWr): SendWr {
    if (this.qp.qpType === 'UD' && 'ah' in wr && wr.ah !== undefined)
      return { opcode: 'SEND', ah: wr.ah, remoteQpn: NOBODY_QPN, remoteQkey: 0 };
    return { opcode: 'WAIT', cq: this.qp.sendCq.inner, count: 0 };
  }

  private get needsToken(): boolean {
    return this.holds === null && this.tenant.held !== null && !this.isLeftAlone;
  }

  /** PAUSE: a WAIT that passes when the tenant's queue pairs before this one are done. */
  private takeToken(): void {
    const { held } = this.tenant;
    this.tokens++;
    this.holds = held;
    this.heldBytes = 0;
    this.heldParts = 0;
    this.acquired = false;
    this.post([this.entry(held!.acquire, Part.ACQUIRE, 0, true)]);
  }

  private giveToken(list: SendWr[]): void {
    if (this.holds === null) return;
    list.push(this.entry(this.holds.release, Part.RELEASE, 0, true));
    this.holds = null;
  }

  /**
   * Gives back what a queue pair that failed or went can no longer: rather one too many than a tenant that waits forever.
   */
  private giveBack(): void {
    this.tenant.giveBack(this.tokens);
    this.tokens = 0;
    this.holds = null;
  }

  /** Writes on for READs of the peer, by the rules of this side. */
  private serveOn(): void {
    const { services, most } = this;
    if (this.room < most * PARTS_A_STEP) this.makeRoom();
    const list: SendWr[] = [];
    for (let parts = 0; parts < PARTS_A_STEP && services.length > 0 && this.room >= most; parts++) {
      const { call, key, addr, offset } = services[0];
      const bytes = Math.min(this.subMessageBytes, call.bytes - offset);
      const last = offset + bytes === call.bytes;
      const piece: SendWr = {
        opcode: 'RDMA_WRITE',
        sgList: [{ addr: addr + offset, length: bytes, lkey: key }],
        remoteAddr: addressPlus(call.localAddr, offset),
        rkey: call.localKey,
      };
      const entry = this.entry(piece, Part.OWN, 0, last || ++this.parts % PARTS_A_SIGNAL === 0);
      list.push(entry);
      // The caller asked because it is to be interrupted; its neighbours' READs are answered from here too.
      this.pause(list, piece, bytes, 0);
      services[0].offset += bytes;
      if (last) {
        this.ends.set(entry.wrId!, call);
        services.shift();
      }
    }
    if (list.length > 0) this.post(list);
    if (services.length > 0) this.tenant.waits(this, list.length > 0);
  }

  private reply(call: Call, state: Call['state']): void {
    call.state = state;
    const { master } = this.tenant;
    if (this.peerGid !== null) master.peers.send(master.gid, this.peerGid, call);
  }

  private grants(access: number): boolean {
    return ((this.qp.query().qpAccessFlags ?? 0) & access) !== 0;
  }

  private disconnect(): void {
    const { master } = this.tenant;
    master.peers.leave(this, master.gid);
    for (const { call } of this.services.splice(0)) this.reply(call, 'refused');
    for (const call of this.ends.values()) this.reply(call, 'refused');
    this.ends.clear();
    this.calls.clear();
    this.sequences.clear();
    this.sequence = 0;
    this.receives.clear();
    this.peerGid = null;
    this.giveBack();
  }
}

import { ACCESS_ALL, Access } from '../../access.js';
import type { AddressHandle } from '../../address-handle.js';
import type { AsyncEvent, AsyncEventType } from '../../async-event.js';
import type { CompletionChannel, CompletionQueue, CqOptions } from '../../completion-queue.js';
import type {
  ConnectionEvent,
  ConnectionEventType,
  ConnectionManager,
  ConnectionManagerOptions,
} from '../../connection-manager.js';
import type { Context } from '../../context.js';
import { VerbsError } from '../../error.js';
import type { MemoryRegion, MemoryWindow } from '../../memory.js';
import type { ProtectionDomain } from '../../protection-domain.js';
import type { QpType } from '../../queue-pair.js';
import type { RemoteAddress } from '../../remote-address.js';
import type { SharedReceiveQueue, SrqOptions } from '../../shared-receive-queue.js';
import type { WcStatus, WorkCompletion } from '../../work-completion.js';
import { broken, expectCompletion, expectEqual, expectList } from './assert.js';
import { bringUp, gidOf, type Overrides, type PeerAddress, QKEY } from './bring-up.js';
import { End, type EndOptions } from './end.js';
import { fillPattern } from './pattern.js';

/** Two opened devices that can reach each other. */
export interface ContractDevices {
  left: Context;
  right: Context;
  /** Whether every packet between them arrives, once and in order. */
  lossless: boolean;
  /** The row of the GID tables to use; default: 0. */
  gidIndex?: number;
  close(): Promise<void>;
}

/** What a case chooses about a connected pair. */
export interface PairOptions {
  type?: QpType;
  /** Both ends on the left device. */
  loopback?: boolean;
  both?: EndOptions;
  a?: EndOptions;
  b?: EndOptions;
  attr?: Overrides;
  attrA?: Overrides;
  attrB?: Overrides;
}

/** Two connected ends: `a` on the left device, `b` on the right one. */
export interface Pair {
  a: End;
  b: End;
}

/** Thrown by {@link ContractBench.skip}: the devices cannot do what the case asks about. */
export class ContractSkipped extends Error {}

/** The shape of an async event, by its name. */
export type EventOf<T extends AsyncEventType, E = AsyncEvent> = E extends { type: infer U }
  ? T extends U
    ? E
    : never
  : never;

/** The shape of a connection event, by its name. */
export type ConnectionEventOf<T extends ConnectionEventType> = Extract<ConnectionEvent, { type: T }>;

/** Between two looks at a completion queue. */
const LONGEST_STEP_NS = 1e6;
/** Between two looks at memory where time is real, or nothing happens of itself. */
const LOOK_NS = 10_000;

/** Events that a device may raise at any time and that no case asks about. */
const CHATTER: readonly AsyncEventType[] = ['COMM_EST', 'PORT_ACTIVE', 'QP_LAST_WQE_REACHED'];

/** Everything a case works with: two devices, makers of small resources with defaults, and ways to wait. */
export class ContractBench {
  readonly left: Context;
  readonly right: Context;
  readonly lossless: boolean;
  readonly gidIndex: number;
  readonly #patienceNs: number;
  readonly #undo: (() => void)[] = [];
  #seed = 0;

  constructor(devices: ContractDevices, patienceNs: number) {
    this.left = devices.left;
    this.right = devices.right;
    this.lossless = devices.lossless;
    this.gidIndex = devices.gidIndex ?? 0;
    this.#patienceNs = patienceNs;
  }

  /** Ends the case as skipped. */
  skip(reason: string): never {
    throw new ContractSkipped(reason);
  }

  pd(context: Context): ProtectionDomain {
    const pd = context.allocPd();
    return this.#later(pd, () => pd.dealloc());
  }

  cq(context: Context, options: Partial<CqOptions> = {}): CompletionQueue {
    const cq = context.createCq({ cqe: 64, ...options });
    return this.#later(cq, () => cq.destroy());
  }

  channel(context: Context): CompletionChannel {
    const channel = context.createCompChannel();
    return this.#later(channel, () => channel.destroy());
  }

  srq(pd: ProtectionDomain, options: Partial<SrqOptions> = {}): SharedReceiveQueue {
    const srq = pd.createSrq({ maxWr: 16, maxSge: 2, ...options });
    return this.#later(srq, () => srq.destroy());
  }

  ah(from: End, to: End): AddressHandle {
    const ah = from.pd.createAh({
      dgid: gidOf(to.context, this.gidIndex),
      sgidIndex: this.gidIndex,
      portNum: 1,
    });
    return this.#later(ah, () => ah.destroy());
  }

  /** A connection manager that asks again soon, so that a lost message costs little. */
  manager(context: Context, options: ConnectionManagerOptions = {}): ConnectionManager {
    const manager = context.createConnectionManager({ responseTimeout: 13, ...options });
    return this.#later(manager, () => manager.close());
  }

  mw(pd: ProtectionDomain): MemoryWindow {
    const mw = pd.allocMw();
    return this.#later(mw, () => mw.dealloc());
  }

  /** Registers memory (filled with a pattern of its own when only its length is given). */
  mr<Iova extends RemoteAddress = number>(
    pd: ProtectionDomain,
    memory: Uint8Array | number,
    access = allButZeroBased(),
    iova?: Iova,
  ): MemoryRegion<Iova> {
    const bytes = typeof memory === 'number' ? fillPattern(new Uint8Array(memory), ++this.#seed) : memory;
    const mr = pd.regMr<Iova>(bytes, access, iova === undefined ? {} : { iova });
    return this.#later(mr, () => mr.dereg());
  }

  /** A region for fast registration. */
  fastMr(pd: ProtectionDomain, maxBytes: number): MemoryRegion<RemoteAddress> {
    const mr = pd.allocMr(maxBytes);
    return this.#later(mr, () => mr.dereg());
  }

  /** An end whose queue pair is still in RESET. */
  end(context: Context, options: EndOptions = {}): End {
    const pd = options.pd ?? this.pd(context);
    const sendCq = options.sendCq ?? this.cq(context);
    const recvCq = options.recvCq ?? this.cq(context);
    const mr = this.mr(pd, options.memory ?? 8192, options.access);
    const { qpType = 'RC', srq, sqSigAll, managedSend, placement } = options;
    const cap = { maxSendWr: 32, maxRecvWr: 32, maxSendSge: 4, maxRecvSge: 4, ...options.cap };
    const qp = pd.createQp({ qpType, sendCq, recvCq, srq, sqSigAll, managedSend, placement, cap });
    return this.#later(new End(context, qp, mr, mr.memory!), () => qp.destroy());
  }

  /** Two ends, connected and in RTS (datagram ends are merely both in RTS). */
  pair(options: PairOptions = {}): Pair {
    const type = { qpType: options.type ?? 'RC' };
    const a = this.end(this.left, { ...type, ...options.both, ...options.a });
    const b = this.end(options.loopback ? this.left : this.right, { ...type, ...options.both, ...options.b });
    bringUp(a, this.address(b), { ...options.attr, ...options.attrA });
    bringUp(b, this.address(a), { ...options.attr, ...options.attrB });
    return { a, b };
  }

  /** Where peers find this end. */
  address(end: End): PeerAddress {
    return { qpNum: end.qp.qpNum, gid: gidOf(end.context, this.gidIndex), sgidIndex: this.gidIndex };
  }

  /** The target fields of a datagram. */
  route(from: End, to: End): { ah: AddressHandle; remoteQpn: number; remoteQkey: number } {
    return { ah: this.ah(from, to), remoteQpn: to.qp.qpNum, remoteQkey: QKEY };
  }

  /** Waits for `count` completions. */
  async completions(cq: CompletionQueue, count: number): Promise<WorkCompletion[]> {
    const { clock } = cq.context;
    const deadlineNs = clock.nowNs + this.#patienceNs;
    const found = cq.poll(count);
    // Looks ever less often, so that completions lie in the queue together: only then does their order show.
    for (let stepNs = 1000; found.length < count; stepNs = Math.min(2 * stepNs, LONGEST_STEP_NS)) {
      if (clock.nowNs >= deadlineNs)
        broken(`${found.length} of ${count} completions arrived before the deadline`);
      await clock.sleep(stepNs);
      found.push(...cq.poll(count - found.length));
    }
    return found;
  }

  /** Waits for the next completion and compares the given fields; SUCCESS where no status is given. */
  async completion(cq: CompletionQueue, expected: Partial<WorkCompletion> = {}): Promise<WorkCompletion> {
    const [found] = await this.completions(cq, 1);
    expectCompletion(found!, { status: 'SUCCESS', ...expected }, `request ${expected.wrId ?? found!.wrId}`);
    return found!;
  }

  /** Waits for successful completions with these request ids, in this order. */
  async succeed(cq: CompletionQueue, ...wrIds: number[]): Promise<WorkCompletion[]> {
    const found = await this.completions(cq, wrIds.length);
    expectList(
      found.map((each) => each.status),
      wrIds.map(() => 'SUCCESS' as WcStatus),
      'statuses',
    );
    expectList(
      found.map((each) => each.wrId),
      wrIds,
      'order of completions',
    );
    return found;
  }

  /** Waits for flushed completions with these request ids, in this order. */
  async flushed(cq: CompletionQueue, ...wrIds: number[]): Promise<void> {
    const found = await this.completions(cq, wrIds.length);
    expectList(
      found.map((each) => each.status),
      wrIds.map(() => 'WR_FLUSH_ERR' as WcStatus),
      'statuses',
    );
    expectList(
      found.map((each) => each.wrId),
      wrIds,
      'order of flushed requests',
    );
  }

  /**
   * Waits for a request that the responder refuses. A responder in ERR answers nothing more, so where its one NAK
   * can be lost the requester may see its retries exhausted instead.
   */
  async refusedByPeer(cq: CompletionQueue, wrId: number, status: WcStatus): Promise<void> {
    const [found] = await this.completions(cq, 1);
    const lost = !this.lossless && found!.status === 'RETRY_EXC_ERR';
    expectCompletion(found!, { wrId, status: lost ? 'RETRY_EXC_ERR' : status }, `request ${wrId}`);
  }

  /** Lets a short time pass and expects that nothing completed. */
  async quiet(...cqs: CompletionQueue[]): Promise<void> {
    await cqs[0]!.context.clock.sleep(2e6);
    for (const cq of cqs) {
      const [found] = cq.poll();
      if (found !== undefined)
        broken('something completed that must not', `${found.opcode} ${found.status} wrId ${found.wrId}`);
    }
  }

  /** Lets what has left arrive: an unreliable send completes at its sender before it is in place at its receiver. */
  async arrival(): Promise<void> {
    await this.right.clock.sleep(2e6);
  }

  /** Lets time pass until the condition holds. */
  async until(what: string, condition: () => boolean, context = this.left): Promise<void> {
    const deadlineNs = context.clock.nowNs + this.#patienceNs;
    for (let stepNs = 1000; !condition(); stepNs = Math.min(stepNs * 2, 1e6)) {
      if (context.clock.nowNs >= deadlineNs) broken(`it never came to pass that ${what}`);
      await context.clock.sleep(stepNs);
    }
  }

  /** Watches a byte of memory until it is no longer 0, as closely as the clock lets one. */
  async seen(end: End, offset: number): Promise<void> {
    const { clock } = end.context;
    const deadlineNs = clock.nowNs + this.#patienceNs;
    while (end.memory[offset] === 0) {
      if (clock.nowNs >= deadlineNs) broken('the byte was never written');
      if (clock.step?.(deadlineNs) !== true) await clock.sleep(LOOK_NS);
    }
  }

  /** Waits for an async event of this kind; any other event but the chatter of a device fails the case. */
  async event<T extends AsyncEventType>(context: Context, type: T): Promise<EventOf<T>> {
    let found: AsyncEvent | null = null;
    await this.until(
      `${context.deviceName} raises ${type}`,
      () => {
        found = this.nextEvent(context, type);
        return found !== null;
      },
      context,
    );
    const event = found as AsyncEvent | null;
    expectEqual<string | undefined>(event?.type, type, 'async event');
    return event as EventOf<T>;
  }

  /** Waits for the next event of a connection manager, which must be of this kind. */
  async cmEvent<T extends ConnectionEventType>(
    manager: ConnectionManager,
    type: T,
  ): Promise<ConnectionEventOf<T>> {
    let found: ConnectionEvent | null = null;
    await this.until(`there is the event ${type}`, () => {
      found ??= manager.tryGetCmEvent();
      return found !== null;
    });
    const event = found as ConnectionEvent | null;
    expectEqual<string | undefined>(event?.type, type, 'connection event');
    return event as ConnectionEventOf<T>;
  }

  /** An async event that is there already, or null; skips the chatter of a device unless it is asked for. */
  nextEvent(context: Context, wanted?: AsyncEventType): AsyncEvent | null {
    for (;;) {
      const event = context.tryGetAsyncEvent();
      if (event === null || event.type === wanted || !CHATTER.includes(event.type)) return event;
    }
  }

  /** Waits for a promise while time passes; fails the case when it does not settle. */
  async settle<T>(what: string, promise: Promise<T>, context = this.left): Promise<T> {
    let settled = false;
    const seen = promise.finally(() => {
      settled = true;
    });
    // The outcome is awaited below; until then a rejection is not unhandled.
    seen.catch(() => undefined);
    await this.until(what, () => settled, context);
    return seen;
  }

  /** Destroys whatever the case made and left, newest first. */
  dispose(): void {
    for (const undo of this.#undo.reverse()) {
      try {
        undo();
      } catch (error) {
        if (!(error instanceof VerbsError && error.code === 'OBJECT_DESTROYED')) throw error;
      }
    }
  }

  #later<T>(made: T, undo: () => void): T {
    this.#undo.push(undo);
    return made;
  }
}

function allButZeroBased(): number {
  return ACCESS_ALL & ~(Access.ZERO_BASED | Access.RELAXED_ORDERING);
}

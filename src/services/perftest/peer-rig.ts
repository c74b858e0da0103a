import { KelpieError } from '../../error.js';
import {
  Access,
  type AddressHandle,
  type CompletionQueue,
  type Connection,
  type Context,
  emptyWorkCompletion,
  type MemoryRegion,
  type ProtectionDomain,
  type QueuePair,
  type SendWr,
  type WorkCompletion,
} from '../../verbs/index.js';
import { acceptAll, askForAll, unlessStopped } from './by-manager.js';
import type { Destination } from './destination.js';
import type { PeerOptions, PeerVerb } from './peer-options.js';

const PORT = 1;
/** perftest's queue key for datagrams. */
const QKEY = 0x11111111;
const GRH_BYTES = 40;
const POLL_BATCH = 16;
const ATOMIC_BYTES = 8;
/** What a test lets its peer do, as perftest's: a peer that runs another test hears at once that it may not. */
const PEER_ACCESS: Readonly<Record<PeerVerb, number>> = {
  write: Access.REMOTE_WRITE,
  read: Access.REMOTE_READ,
  send: 0,
  atomic: Access.REMOTE_ATOMIC,
};
/** A virtual clock moves only as far as somebody sleeps. */
const VIRTUAL_TURN_NS = 100;

/** The verbs' objects of one side: queue pairs, one region with a sending and a receiving part for each, two queues. */
export class PeerRig {
  readonly context: Context;
  readonly options: PeerOptions;
  readonly sendCq: CompletionQueue;
  readonly recvCq: CompletionQueue;
  readonly qps: QueuePair[] = [];
  readonly ends: Destination[] = [];
  readonly memory: Uint8Array;
  private readonly signal: AbortSignal;
  private readonly pd: ProtectionDomain;
  private readonly region: MemoryRegion;
  private readonly partBytes: number;
  private readonly slots = Array.from({ length: POLL_BATCH }, emptyWorkCompletion);
  private theirs: readonly Destination[] = [];
  /** Messages of each queue pair, and the time that there is for them; one of the two is infinite. */
  readonly messagesEach: number;
  readonly durationNs: number;
  /** The peer has hung up, and nothing more will come. */
  over = false;
  private connections: Connection[] = [];
  private readonly handles: AddressHandle[] = [];

  constructor(context: Context, options: PeerOptions, cycleBytes: number, signal: AbortSignal) {
    this.signal = signal;
    this.context = context;
    this.options = options;
    const { qps, txDepth, rxDepth, transport } = options;
    this.durationNs = options.durationNs ?? Number.POSITIVE_INFINITY;
    this.messagesEach = options.durationNs === undefined ? options.iterations : Number.POSITIVE_INFINITY;
    this.partBytes = (Math.max(cycleBytes, ...options.sizes) + GRH_BYTES + 63) & ~63;
    this.memory = new Uint8Array(2 * qps * this.partBytes);
    this.pd = context.allocPd();
    this.region = this.pd.regMr(this.memory, Access.LOCAL_WRITE | PEER_ACCESS[options.verb]);
    this.sendCq = context.createCq({ cqe: txDepth * qps + 1 });
    this.recvCq = context.createCq({ cqe: rxDepth * qps + 1 });
    for (let index = 0; index < qps; index++) {
      const qp = this.pd.createQp({
        qpType: transport,
        sendCq: this.sendCq,
        recvCq: this.recvCq,
        cap: {
          maxSendWr: txDepth,
          maxRecvWr: rxDepth,
          maxSendSge: 1,
          maxRecvSge: 1,
          maxInlineData: options.inlineBytes,
        },
      });
      this.qps.push(qp);
      this.ends.push({
        qpn: qp.qpNum,
        psn: options.randomPsn(),
        rkey: this.region.rkey,
        addr: this.region.iova + this.receiveAt(index),
        outReads: Math.min(options.outReads, context.queryDevice().maxQpRdAtom),
        gid: context.queryGid(PORT, options.gidIndex),
      });
    }
  }

  /** Where in the memory a queue pair sends from. */
  sendAt(index: number): number {
    return index * this.partBytes;
  }

  /** Where the peer of a queue pair writes. */
  receiveAt(index: number): number {
    return (this.options.qps + index) * this.partBytes;
  }

  /** Called now and then in a test that goes on until somebody ends it. */
  progress: (messages: number, sizeBytes: number, elapsedNs: number) => void = () => {};

  /** Has every queue pair connected by RDMA-CM, at the port of the exchange, with whom the exchange is with. */
  async connectByManager(peerAddress: string | undefined): Promise<void> {
    const { cm, role, verb, outReads } = this.options;
    if (cm === undefined) return;
    const depth = verb === 'read' || verb === 'atomic' ? Math.min(outReads, this.ends[0].outReads) : 0;
    const depths = {
      ...{ responderResources: depth, initiatorDepth: depth },
      qpAccessFlags: PEER_ACCESS[verb],
    };
    this.connections =
      role === 'client'
        ? await unlessStopped(this.signal, askForAll(this.qps, cm, depths))
        : await acceptAll(this.qps, { ...cm, address: peerAddress ?? cm.address }, depths, this.signal);
  }

  /** Ends what RDMA-CM made. */
  async disconnect(): Promise<void> {
    await Promise.all(this.connections.map((connection) => connection.disconnect()));
  }

  /** Brings every queue pair up towards its peer. */
  connect(theirs: readonly Destination[]): void {
    this.theirs = theirs;
    if (this.options.cm !== undefined) return;
    const { gidIndex: sgidIndex, serviceLevel: sl, trafficClass, transport, mtu } = this.options;
    const device = this.context.queryDevice();
    for (const [index, qp] of this.qps.entries()) {
      const { gid: dgid, qpn, psn, outReads } = theirs[index];
      const ahAttr = { dgid, sgidIndex, portNum: PORT, sl, trafficClass };
      const init = { state: 'INIT', pkeyIndex: 0, portNum: PORT } as const;
      if (transport === 'UD') {
        qp.modify({ ...init, qkey: QKEY });
        qp.modify({ state: 'RTR' });
        qp.modify({ state: 'RTS', sqPsn: this.ends[index].psn });
        this.handles.push(this.pd.createAh(ahAttr));
        continue;
      }
      const rc = transport === 'RC';
      qp.modify({ ...init, qpAccessFlags: PEER_ACCESS[this.options.verb] });
      qp.modify({
        state: 'RTR',
        ahAttr,
        pathMtu: mtu,
        destQpNum: qpn,
        rqPsn: psn,
        ...(rc ? { maxDestRdAtomic: this.ends[index].outReads, minRnrTimer: 12 } : {}),
      });
      qp.modify({
        state: 'RTS',
        sqPsn: this.ends[index].psn,
        ...(rc
          ? {
              timeout: this.options.timeout,
              retryCnt: 7,
              rnrRetry: 7,
              maxRdAtomic: Math.max(1, Math.min(outReads, device.maxQpInitRdAtom)),
            }
          : {}),
      });
    }
  }

  /** Posts one receive of a queue pair. */
  postReceive(index: number, sizeBytes: number): void {
    const length = sizeBytes + (this.options.transport === 'UD' ? GRH_BYTES : 0);
    const { addr, lkey } = this.region;
    this.qps[index].postRecv({
      wrId: index,
      sgList: [{ addr: addr + this.receiveAt(index), length, lkey }],
    });
  }

  /** Posts receives without room in a test that has no SENDs: its sender hears at once that it does not fit. */
  expectNoSends(): void {
    for (const [index, qp] of this.qps.entries()) qp.postRecv({ wrId: index, sgList: [] });
  }

  /** Posts one message of the test. */
  postMessage(index: number, sizeBytes: number, signaled: boolean): void {
    this.qps[index].postSend(this.requestOf(index, sizeBytes, signaled));
  }

  private requestOf(index: number, sizeBytes: number, signaled: boolean): SendWr {
    const { verb, inlineBytes, compareSwap } = this.options;
    const { addr, rkey } = this.theirs[index];
    const at = this.sendAt(index);
    const inlined = (verb === 'write' || verb === 'send') && sizeBytes <= inlineBytes;
    const length = verb === 'atomic' ? ATOMIC_BYTES : sizeBytes;
    const data = inlined
      ? { inlineData: this.memory.subarray(at, at + sizeBytes) }
      : { sgList: [{ addr: this.region.addr + at, length, lkey: this.region.lkey }] };
    const common = { wrId: index, signaled, ...data };
    switch (verb) {
      case 'write':
        return { ...common, opcode: 'RDMA_WRITE', remoteAddr: addr, rkey };
      case 'read':
        return { ...common, opcode: 'RDMA_READ', remoteAddr: addr, rkey };
      case 'atomic':
        return compareSwap
          ? { ...common, opcode: 'ATOMIC_CMP_AND_SWP', remoteAddr: addr, rkey, compareAdd: 0n, swap: 0n }
          : { ...common, opcode: 'ATOMIC_FETCH_AND_ADD', remoteAddr: addr, rkey, compareAdd: 1n };
      case 'send':
        return this.options.transport === 'UD'
          ? {
              ...common,
              opcode: 'SEND',
              ah: this.handles[index],
              remoteQpn: this.theirs[index].qpn,
              remoteQkey: QKEY,
            }
          : { ...common, opcode: 'SEND' };
    }
  }

  /** Takes what is there of a completion queue; throws where a request failed. */
  poll(cq: CompletionQueue, each: (completion: WorkCompletion) => void): number {
    const count = cq.pollInto(this.slots);
    for (let index = 0; index < count; index++) {
      const completion = this.slots[index];
      if (completion.status !== 'SUCCESS')
        throw new KelpieError('CANNOT_RUN', 'a request of the test failed', {
          field: 'status',
          given: completion.status,
          allowed: 'SUCCESS',
        });
      each(completion);
    }
    return count;
  }

  /** Lets the provider work for a turn. */
  breathe(): Promise<void> {
    this.signal.throwIfAborted();
    return this.context.clock.sleep(this.context.clock.virtual ? VIRTUAL_TURN_NS : 0);
  }

  /** Gives everything back. */
  destroy(): void {
    for (const handle of this.handles) handle.destroy();
    for (const qp of this.qps) qp.destroy();
    this.sendCq.destroy();
    this.recvCq.destroy();
    this.region.dereg();
    this.pd.dealloc();
  }
}

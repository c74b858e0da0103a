import {
  ACCESS_REMOTE,
  Access,
  type CompletionQueue,
  type Connection,
  type ConnectionManager,
  type Context,
  type MemoryRegion,
  type ProtectionDomain,
  type QueuePair,
} from '../../../verbs/index.js';
import type { PairTimes } from './mesh.js';

/** How pairs of processes are probed. */
export interface MeshProbeOptions {
  readonly smallBytes: number;
  /** Its transfer must take several times what the small one does. */
  readonly largeBytes: number;
  /** What has no completion by then has failed. */
  readonly timeoutNs: number;
}

/** At 18 Gb/s and 13 us, as a software device has it, a large probe of this size takes many times as long as a small one. */
export const MESH_PROBES: MeshProbeOptions = { smallBytes: 64, largeBytes: 2 ** 20, timeoutNs: 1e9 };
/** The port of RDMA-CM's space at which the ends of a mesh listen. */
export const MESH_PORT = 7471;
const INFO_BYTES = 12;
/** A process of this machine answers within milliseconds, a busy one within a turn of its loop: 134 ms, six times. */
const PATIENCE = { responseTimeout: 15, maxCmRetries: 5 } as const;
const CAP = { maxSendWr: 4, maxRecvWr: 1, maxSendSge: 1, maxRecvSge: 1, maxInlineData: 0 } as const;

interface Way {
  readonly connection: Connection;
  readonly remoteAddr: bigint;
  readonly rkey: number;
}

/**
 * A process's part of a mesh: a device that others may write to, and that writes to others, or to itself, and takes the
 * time. One probe is in flight.
 *
 * @example
 * const end = new MeshEnd(await new SoftwareProvider().open('127.0.0.2'), options);
 * const times = await end.probe('127.0.0.3'); // { smallNs, largeNs }
 */
export class MeshEnd {
  private readonly context: Context;
  private readonly options: MeshProbeOptions;
  private readonly manager: ConnectionManager;
  private readonly pd: ProtectionDomain;
  private readonly cq: CompletionQueue;
  private readonly source: MemoryRegion;
  private readonly target: MemoryRegion;
  private readonly ways = new Map<string, Way>();

  /** Listens from now on. */
  constructor(context: Context, options: MeshProbeOptions) {
    this.context = context;
    this.options = options;
    this.manager = context.createConnectionManager(PATIENCE);
    this.pd = context.allocPd();
    this.cq = context.createCq({ cqe: 4096 });
    this.source = this.pd.regMr(new Uint8Array(options.largeBytes), Access.LOCAL_WRITE);
    this.target = this.pd.regMr(new Uint8Array(options.largeBytes), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
    this.manager.listen(MESH_PORT, (request) =>
      request.accept(this.queuePair(), { privateData: this.targetInfo(), destroyQp: true }),
    );
  }

  /** A small and a large probe of the way to the device at an address; a sentence where one fails. */
  async probe(address: string): Promise<PairTimes | string> {
    const { smallBytes, largeBytes } = this.options;
    try {
      const way = this.ways.get(address) ?? (await this.connect(address));
      const smallNs = await this.timed(way, smallBytes);
      return { smallNs, largeNs: await this.timed(way, largeBytes) };
    } catch (error) {
      this.ways.get(address)?.connection.qp.destroy();
      this.ways.delete(address);
      return (error as Error).message;
    }
  }

  /** Ends the way to an address: the other end forgets its part of it, too. */
  async leave(address: string): Promise<void> {
    const way = this.ways.get(address);
    this.ways.delete(address);
    await way?.connection.disconnect();
  }

  private async connect(address: string): Promise<Way> {
    const connection = await this.manager.connect(this.queuePair(), {
      ...{ address, port: MESH_PORT, destroyQp: true },
    });
    const { privateData } = connection;
    const view = new DataView(privateData.buffer, privateData.byteOffset, privateData.byteLength);
    const way = { connection, remoteAddr: view.getBigUint64(0), rkey: view.getUint32(8) };
    this.ways.set(address, way);
    return way;
  }

  /** Posts one WRITE and takes its time. */
  private async timed({ connection: { qp }, remoteAddr, rkey }: Way, length: number): Promise<number> {
    const { context, cq, source } = this;
    const startedNs = context.clock.nowNs;
    qp.postSend({
      opcode: 'RDMA_WRITE',
      sgList: [{ addr: source.addr, length, lkey: source.lkey }],
      ...{ remoteAddr, rkey, signaled: true },
    });
    for (;;) {
      const [completion] = cq.poll(1);
      const nowNs = context.clock.nowNs;
      if (completion !== undefined) {
        if (completion.status !== 'SUCCESS') throw new Error(completion.status);
        return nowNs - startedNs;
      }
      if (nowNs - startedNs > this.options.timeoutNs)
        throw new Error(`no completion within ${this.options.timeoutNs / 1e6} ms`);
      // One turn of the loop, in which the device looks for datagrams.
      await context.clock.sleep(0);
    }
  }

  private queuePair(): QueuePair {
    const qp = this.pd.createQp({ qpType: 'RC', sendCq: this.cq, recvCq: this.cq, cap: CAP });
    qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: ACCESS_REMOTE });
    return qp;
  }

  private targetInfo(): Uint8Array {
    const info = new Uint8Array(INFO_BYTES);
    const view = new DataView(info.buffer);
    view.setBigUint64(0, BigInt(this.target.iova));
    view.setUint32(8, this.target.rkey);
    return info;
  }
}

import { type SoftwareContext, SoftwareProvider } from '../../src/providers/software/index.js';
import {
  Access,
  type Connection,
  type ConnectionManager,
  type MemoryRegion,
  waitForCompletions,
} from '../../src/verbs/index.js';
import { lengthOf, type Part, partOf, type Schedule } from './schedule.js';
import { readRegions, SERVICE, SHARED_BYTES } from './victim.js';

/** What an honest peer had of a while. */
export interface HonestFigures {
  /** Throughput while nobody attacks, while the attacker aims at the decoy, and while it aims at the victim. */
  quietGbps: number;
  decoyGbps: number;
  gbps: number;
  rounds: number;
  /** Rounds whose bytes did not come back as they were sent, and rounds that failed. */
  corrupt: number;
  failed: number;
  /** New connections that were made meanwhile, the longest time that one took, and those that came to nothing. */
  connections: number;
  slowestConnectMs: number;
  /** The same of connections from addresses that the victim had never heard of. */
  slowestNewcomerMs: number;
  refused: number;
}

/** Rounds at a time: throughput is measured, not how long one takes. Each has a part of the region to itself. */
const IN_FLIGHT = 16;
const ROUND_BYTES = SHARED_BYTES / IN_FLIGHT;
/** A second, as Linux' RDMA-CM has it: five processes may share two processors here. */
const ACK_TIMEOUT = 18;
const CONNECT_EVERY_MS = 200;
const NEWCOMER_EVERY_MS = 400;
const ROUND_TIMEOUT_NS = 20e9;

/** A peer that writes, reads back and compares, and that connects anew now and then. */
export class Honest {
  readonly context: SoftwareContext;
  private readonly manager: ConnectionManager;
  private readonly target: string;
  private readonly newAddress: () => string;
  private readonly memory = new Uint8Array(2 * SHARED_BYTES);
  private connection!: Connection;
  private region!: MemoryRegion;
  private remote = { remoteAddr: 0, rkey: 0 };
  private fill = 0;

  private constructor(context: SoftwareContext, target: string, newAddress: () => string) {
    this.context = context;
    this.target = target;
    this.newAddress = newAddress;
    this.manager = context.createConnectionManager();
  }

  /** `newAddress` gives addresses that nobody has used. */
  static async open(address: string, target: string, newAddress: () => string): Promise<Honest> {
    const context = await new SoftwareProvider({ congestion: 'dcqcn' }).open(address);
    const honest = new Honest(context, target, newAddress);
    await honest.renew();
    return honest;
  }

  /** The victim's queue pair that the rounds go to. */
  get remoteQpNum(): number {
    return this.connection.qp.query().destQpNum ?? 0;
  }

  /** The connection that the rounds use; a new one where the last has ended. */
  private async renew(): Promise<void> {
    this.connection = await this.connect(this.context, this.manager);
    this.region = this.connection.qp.pd.regMr(this.memory, Access.LOCAL_WRITE);
    this.remote = readRegions(this.connection.privateData).shared;
  }

  private async connect(context: SoftwareContext, manager: ConnectionManager): Promise<Connection> {
    const pd = context.allocPd();
    const cq = context.createCq({ cqe: 64 });
    const cap = { maxSendWr: 2 * IN_FLIGHT, maxRecvWr: 1, maxSendSge: 1, maxRecvSge: 1 };
    const qp = pd.createQp({ qpType: 'RC', sendCq: cq, recvCq: cq, cap });
    return manager.connect(qp, {
      ...{ address: this.target, port: SERVICE, initiatorDepth: IN_FLIGHT, ackTimeout: ACK_TIMEOUT },
    });
  }

  /** Works for as long as a schedule lasts and says how it went. */
  async work(schedule: Schedule): Promise<HonestFigures> {
    const figures: HonestFigures = {
      ...{ quietGbps: 0, decoyGbps: 0, gbps: 0, rounds: 0, corrupt: 0, failed: 0 },
      ...{ connections: 0, slowestConnectMs: 0, slowestNewcomerMs: 0, refused: 0 },
    };
    const connecting = [this.connectNowAndThen(schedule, figures), this.newcomers(schedule, figures)];
    const rounds = { before: 0, quiet: 0, decoy: 0, attack: 0, over: 0 };
    while (partOf(schedule, Date.now()) !== 'over') {
      try {
        await this.rounds(schedule, figures, rounds);
      } catch {
        figures.failed++;
        await this.renew().catch(() => {});
      }
    }
    const gbps = (part: 'quiet' | 'decoy' | 'attack') =>
      (rounds[part] * 2 * ROUND_BYTES * 8) / (lengthOf(schedule, part) * 1e6);
    figures.quietGbps = gbps('quiet');
    figures.decoyGbps = gbps('decoy');
    figures.gbps = gbps('attack');
    await Promise.all(connecting);
    return figures;
  }

  /** Several rounds at a time, each a WRITE and a READ of the same bytes. */
  private async rounds(
    schedule: Schedule,
    figures: HonestFigures,
    byPart: Record<Part, number>,
  ): Promise<void> {
    const { sendCq } = this.connection.qp;
    let flying = 0;
    for (; flying < IN_FLIGHT; flying++) this.post(flying);
    while (flying > 0) {
      const done = await waitForCompletions(sendCq, { count: 1, timeoutNs: ROUND_TIMEOUT_NS });
      const part = partOf(schedule, Date.now());
      for (const { status, wrId } of done) {
        if (status !== 'SUCCESS') throw new Error(status);
        figures.rounds++;
        byPart[part]++;
        if (!this.isIntact(wrId)) figures.corrupt++;
        if (part !== 'over') this.post(wrId);
        else flying--;
      }
    }
  }

  private post(slot: number): void {
    const { memory, region, connection } = this;
    const { remoteAddr, rkey } = this.remote;
    const at = slot * ROUND_BYTES;
    memory.fill(++this.fill & 0xff, at, at + ROUND_BYTES);
    const remote = { remoteAddr: remoteAddr + at, rkey };
    const sgList = [{ addr: region.addr + at, length: ROUND_BYTES, lkey: region.lkey }];
    const back = [{ addr: region.addr + SHARED_BYTES + at, length: ROUND_BYTES, lkey: region.lkey }];
    connection.qp.postSend({ opcode: 'RDMA_WRITE', sgList, ...remote });
    connection.qp.postSend({ opcode: 'RDMA_READ', wrId: slot, sgList: back, ...remote, signaled: true });
  }

  private isIntact(slot: number): boolean {
    const at = slot * ROUND_BYTES;
    const sent = this.memory.subarray(at, at + ROUND_BYTES);
    const back = this.memory.subarray(SHARED_BYTES + at, SHARED_BYTES + at + ROUND_BYTES);
    return Buffer.compare(sent, back) === 0;
  }

  private async connectNowAndThen(schedule: Schedule, figures: HonestFigures): Promise<void> {
    while (partOf(schedule, Date.now()) !== 'over') {
      const tookMs = await this.connectOnce(this.context, this.manager, figures);
      figures.slowestConnectMs = Math.max(figures.slowestConnectMs, tookMs);
      await new Promise((resolve) => setTimeout(resolve, CONNECT_EVERY_MS));
    }
  }

  /** Honest peers that the victim has never heard of: nothing speaks for them but that they answer. */
  private async newcomers(schedule: Schedule, figures: HonestFigures): Promise<void> {
    while (partOf(schedule, Date.now()) !== 'over') {
      const context = await new SoftwareProvider().open(this.newAddress());
      const manager = context.createConnectionManager();
      const tookMs = await this.connectOnce(context, manager, figures);
      figures.slowestNewcomerMs = Math.max(figures.slowestNewcomerMs, tookMs);
      manager.close();
      await context.close();
      await new Promise((resolve) => setTimeout(resolve, NEWCOMER_EVERY_MS));
    }
  }

  /** Makes a connection and ends it; how long it took until it stood, or until it came to nothing. */
  private async connectOnce(
    context: SoftwareContext,
    manager: ConnectionManager,
    figures: HonestFigures,
  ): Promise<number> {
    const startMs = performance.now();
    try {
      const connection = await this.connect(context, manager);
      const tookMs = performance.now() - startMs;
      figures.connections++;
      const { qp } = connection;
      await connection.disconnect();
      const { pd, sendCq } = qp;
      qp.destroy();
      sendCq.destroy();
      pd.dealloc();
      return tookMs;
    } catch {
      figures.refused++;
      return performance.now() - startMs;
    }
  }
}

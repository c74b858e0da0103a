import {
  Access,
  type Context,
  connectRcPair,
  emptyWorkCompletion,
  type MemoryRegion,
  type RcEnd,
  type Thread,
} from '../../verbs/index.js';
import type { Application, ApplicationSite, RunningApplication } from './application.js';

const HOSTS = ['a', 'b', 'c', 'd'] as const;
/** Husky §5.2: two workers on each of four hosts, a buffer of 1 MB. */
const WORKERS_A_HOST = 2;
const BUFFER_BYTES = 1 << 20;

const WORKERS = HOSTS.length * WORKERS_A_HOST;
const CHUNK_BYTES = BUFFER_BYTES / WORKERS;
/** Scatter-reduce and all-gather round a ring. */
const STEPS = 2 * (WORKERS - 1);
/**
 * Time to add or copy a received chunk, by which the application uses 23 Gb/s of an undisturbed port (Husky §5.2): a step
 * then takes 45.6 us, and 14.8 us of it are the chunk's way at 100 Gb/s.
 */
const COMPUTE_NS = 30_800;
/** A neighbour on the same host is reached through its memory. */
const COPY_NS = 12_800;

/**
 * An all-reduce round a ring of eight workers on four hosts, again and again: each step a worker sends its neighbour a
 * chunk, waits for the one that comes, adds it up and goes on. One slow link slows all of them.
 */
export const allReduce: Application = {
  name: 'all-reduce',
  operation: 'all-reduces',
  hosts: HOSTS,
  uses: { transport: 'RC', opcodes: ['RDMA_WRITE_WITH_IMM'] },
  start: (site) => new AllReduce(site),
};

class AllReduce implements RunningApplication {
  readonly byHost: Readonly<Record<string, number>> = {};
  private readonly workers: RingWorker[] = [];

  constructor(site: ApplicationSite) {
    for (let index = 0; index < WORKERS; index++)
      this.workers.push(new RingWorker(site.contextOf(HOSTS[Math.floor(index / WORKERS_A_HOST)]), index));
    this.workers.forEach((worker, index) => {
      const next = this.workers[(index + 1) % WORKERS];
      if (worker.context === next.context) worker.neighbour = next;
      else worker.link(next, connectRcPair(worker.context, next.context, { sl: site.serviceLevel }));
    });
    for (const worker of this.workers) worker.start();
  }

  get operations(): number {
    return Math.min(...this.workers.map((worker) => worker.finished)) / STEPS;
  }

  stop(): void {
    for (const worker of this.workers) worker.thread.stop();
  }
}

/** One worker of the ring. */
class RingWorker {
  readonly context: Context;
  readonly thread: Thread;
  /** Steps that have ended. */
  finished = 0;
  /** The next worker, where it is on the same host. */
  neighbour: RingWorker | null = null;
  private out: { end: RcEnd; local: MemoryRegion; remote: MemoryRegion } | null = null;
  private into: RcEnd | null = null;
  /** Chunks that were sent, that came, and when the one being worked on is done. */
  private sent = 0;
  private came = 0;
  private doneNs = -1;
  /** When chunks through memory will have come, oldest first. */
  private readonly copies: number[] = [];
  private readonly slots = [emptyWorkCompletion(), emptyWorkCompletion(), emptyWorkCompletion()];

  constructor(context: Context, index: number) {
    this.context = context;
    const thread = context.createThread?.({ name: `all-reduce ${index}` });
    if (thread === undefined) throw new Error(`${context.deviceName} has no threads`);
    this.thread = thread;
  }

  /** Joins it to the next worker, on another host. */
  link(next: RingWorker, [near, far]: [RcEnd, RcEnd]): void {
    const memory = { lengthBytes: CHUNK_BYTES };
    this.out = {
      end: near,
      local: near.pd.regMr(memory, Access.LOCAL_WRITE),
      remote: far.pd.regMr(memory, Access.LOCAL_WRITE | Access.REMOTE_WRITE),
    };
    next.into = far;
    for (let credit = 0; credit < 8; credit++) far.qp.postRecv({});
    this.thread.watch(near.sendCq);
    next.thread.watch(far.recvCq);
  }

  start(): void {
    this.thread.run(() => this.step());
  }

  private step(): void {
    const nowNs = this.context.clock.nowNs;
    if (this.out !== null) while (this.out.end.sendCq.pollInto(this.slots) > 0);
    this.take(nowNs);
    if (this.doneNs >= 0 && nowNs >= this.doneNs) {
      this.doneNs = -1;
      this.finished++;
    }
    if (this.doneNs < 0 && this.came > this.finished) {
      this.doneNs = nowNs + COMPUTE_NS;
      this.thread.wakeAtNs(this.doneNs);
    }
    // A worker sends its chunk of a step when the step before has ended.
    if (this.sent === this.finished) this.send(nowNs);
  }

  private take(nowNs: number): void {
    if (this.into !== null)
      for (
        let count = this.into.recvCq.pollInto(this.slots);
        count > 0;
        count = this.into.recvCq.pollInto(this.slots)
      )
        for (let each = 0; each < count; each++) {
          this.came++;
          this.into.qp.postRecv({});
        }
    while (this.copies.length > 0 && this.copies[0] <= nowNs) {
      this.copies.shift();
      this.came++;
    }
  }

  private send(nowNs: number): void {
    this.sent++;
    if (this.neighbour !== null) {
      const atNs = nowNs + COPY_NS;
      this.neighbour.copies.push(atNs);
      this.neighbour.thread.wakeAtNs(atNs);
      return;
    }
    const { end, local, remote } = this.out!;
    end.qp.postSend({
      opcode: 'RDMA_WRITE_WITH_IMM',
      sgList: [{ addr: local.addr, length: CHUNK_BYTES, lkey: local.lkey }],
      remoteAddr: remote.iova,
      rkey: remote.rkey,
      immData: 0,
      signaled: true,
    });
  }
}

import { Access, type Context, connectRcPair, emptyWorkCompletion, type RcEnd } from '../../verbs/index.js';

/** All-reduces round a ring of hosts, one after the other. */
export interface RingOptions {
  /** How many; the first one is not counted, for a slow host slows the others only step by step. At least 2. */
  readonly rounds: number;
  /** Bytes of the buffer that is reduced; each step carries its share per host. */
  readonly bufferBytes: number;
  /** Where buffers lie; default: the memory of the device. */
  readonly placement?: string;
  /** It is given up after this long. */
  readonly timeoutNs: number;
}

/**
 * Runs all-reduces round a ring, scatter-reduce and all-gather: in each step a host sends its neighbour a chunk, and
 * begins the next when the one for it has come. Returns what each host sent, in Gb/s from the second one on; NaN where
 * they did not end. Adding chunks up costs nothing.
 *
 * @example
 * const contexts = testbed.hosts.map(({ context }) => context);
 * const rates = await ring(contexts, { rounds: 3, bufferBytes: 2 ** 23, timeoutNs: 1e8 });
 */
export async function ring(contexts: readonly Context[], options: RingOptions): Promise<readonly number[]> {
  const members = contexts.map((context, place) => new Member(context, place, contexts.length, options));
  members.forEach((member, place) => {
    member.join(members[(place + 1) % members.length]);
  });
  const [{ clock }] = contexts;
  const startNs = clock.nowNs;
  for (const member of members) member.start();
  while (members.some(({ doneNs }) => doneNs < 0) && clock.nowNs < startNs + options.timeoutNs)
    await clock.sleep(20_000);
  for (const member of members) member.stop();
  return members.map(({ countedBytes, firstNs, doneNs }) =>
    doneNs < 0 ? Number.NaN : (8 * countedBytes) / (doneNs - firstNs),
  );
}

class Member {
  /** When the first all-reduce had ended here, and the last. */
  firstNs = -1;
  doneNs = -1;
  private readonly context: Context;
  private readonly thread;
  private readonly options: RingOptions;
  private readonly chunkBytes: number;
  private readonly stepsPerRound: number;
  private readonly steps: number;
  private into: RcEnd | null = null;
  private send: (() => void) | null = null;
  private drain: (() => void) | null = null;
  private sent = 0;
  private came = 0;
  private readonly slots = [emptyWorkCompletion(), emptyWorkCompletion()];

  constructor(context: Context, place: number, members: number, options: RingOptions) {
    this.context = context;
    this.options = options;
    this.chunkBytes = Math.floor(options.bufferBytes / members);
    this.stepsPerRound = 2 * (members - 1);
    this.steps = options.rounds * this.stepsPerRound;
    const thread = context.createThread?.({ name: `ring ${place}` });
    if (thread === undefined) throw new Error(`${context.deviceName} has no threads`);
    this.thread = thread;
  }

  /** What it sent after the first all-reduce. */
  get countedBytes(): number {
    return (this.steps - this.stepsPerRound) * this.chunkBytes;
  }

  /** Joins it to the next one. */
  join(next: Member): void {
    const { chunkBytes } = this;
    const { placement } = this.options;
    const [near, far] = connectRcPair(this.context, next.context, { cap: { maxSendWr: 16, maxRecvWr: 256 } });
    const memory = { lengthBytes: chunkBytes, ...(placement === undefined ? {} : { placement }) };
    const local = near.pd.regMr(memory, Access.LOCAL_WRITE);
    const remote = far.pd.regMr(memory, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
    for (let step = 0; step < this.steps; step++) far.qp.postRecv({});
    next.into = far;
    next.thread.watch(far.recvCq);
    this.thread.watch(near.sendCq);
    const request = {
      opcode: 'RDMA_WRITE_WITH_IMM',
      sgList: [{ addr: local.addr, length: chunkBytes, lkey: local.lkey }],
      remoteAddr: remote.iova,
      rkey: remote.rkey,
      immData: 0,
      signaled: true,
    } as const;
    this.send = () => near.qp.postSend(request);
    this.drain = () => {
      while (near.sendCq.pollInto(this.slots) > 0);
    };
  }

  start(): void {
    this.thread.run(() => {
      this.drain!();
      for (let count = this.poll(); count > 0; count = this.poll()) this.came += count;
      const { nowNs } = this.context.clock;
      if (this.came >= this.stepsPerRound && this.firstNs < 0) this.firstNs = nowNs;
      if (this.came === this.steps && this.doneNs < 0) this.doneNs = nowNs;
      // A step begins when the chunk of the one before has come.
      if (this.sent > this.came || this.sent === this.steps) return;
      this.sent++;
      this.send!();
    });
  }

  stop(): void {
    this.thread.stop();
  }

  private poll(): number {
    return this.into!.recvCq.pollInto(this.slots);
  }
}

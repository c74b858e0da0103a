import { Access, type Context, connectRcPair, type RcEnd } from '../../../verbs/index.js';

/** Loopback traffic of one RNIC without pauses: it reads at one endpoint and writes to another, or to the same. */
export interface Flow {
  readonly rnic: string;
  readonly from: string;
  readonly to: string;
  readonly queuePairs: number;
}

const MESSAGE_BYTES = 2 ** 20;
/** Messages of a flow in all, and of a queue pair at least, one of which is on its way while the next waits. */
const MESSAGES = 16;
const LEAST_PER_QUEUE_PAIR = 4;
const OUTSTANDING = 3;
/** What has not ended by then is given up: a stream takes a millisecond, on a path at a tenth of its rate ten. */
const TIMEOUT_NS = 100e6;

/**
 * Runs flows at the same time and returns what each carries, in Gb/s, once it is under way: the first half of its messages
 * is not counted. NaN of a flow that did not end.
 */
export async function stream(
  flows: readonly Flow[],
  contextOf: (rnic: string) => Context,
): Promise<readonly number[]> {
  const { clock } = contextOf(flows[0].rnic);
  const running = flows.map((flow) => new RunningFlow(flow, contextOf(flow.rnic)));
  const untilNs = clock.nowNs + TIMEOUT_NS;
  for (const each of running) each.start();
  while (running.some(({ done }) => !done) && clock.nowNs < untilNs) await clock.sleep(20_000);
  for (const each of running) each.stop();
  return running.map(({ gbps }) => gbps);
}

class RunningFlow {
  private readonly context: Context;
  private readonly ends: readonly (readonly [RcEnd, RcEnd])[];
  private readonly messages: number;
  private readonly thread;
  private readonly posts: ((count: number) => void)[];
  private completed = 0;
  private readonly left: number[];
  private halfNs = 0;
  private endNs = Number.NaN;
  private readonly free: (() => void)[] = [];

  constructor({ from, to, queuePairs }: Flow, context: Context) {
    this.context = context;
    const each = Math.max(LEAST_PER_QUEUE_PAIR, MESSAGES / queuePairs);
    this.messages = each * queuePairs;
    this.left = new Array<number>(queuePairs).fill(each);
    this.ends = Array.from({ length: queuePairs }, () =>
      connectRcPair(context, context, { cap: { maxSendWr: 16, maxRecvWr: 1 } }),
    );
    this.thread = context.createThread?.({ name: 'ping-stream' }) ?? null;
    const access = Access.LOCAL_WRITE | Access.REMOTE_WRITE;
    this.posts = this.ends.map(([near, far]) => {
      const source = near.pd.regMr({ lengthBytes: MESSAGE_BYTES, placement: from }, access);
      const target = far.pd.regMr({ lengthBytes: MESSAGE_BYTES, placement: to }, access);
      this.free.push(
        () => source.dereg(),
        () => target.dereg(),
      );
      const request = {
        opcode: 'RDMA_WRITE',
        sgList: [{ addr: source.addr, length: MESSAGE_BYTES, lkey: source.lkey }],
        remoteAddr: target.iova,
        rkey: target.rkey,
        signaled: true,
      } as const;
      return (count) => {
        for (let message = 0; message < count; message++) near.qp.postSend(request);
      };
    });
  }

  get done(): boolean {
    return this.completed === this.messages;
  }

  get gbps(): number {
    const bits = 8 * MESSAGE_BYTES * (this.messages - Math.floor(this.messages / 2));
    return bits / (this.endNs - this.halfNs);
  }

  start(): void {
    const { thread } = this;
    if (thread === null) return;
    for (const [near] of this.ends) thread.watch(near.sendCq);
    let begun = false;
    thread.run(() => {
      if (!begun) {
        begun = true;
        for (let place = 0; place < this.ends.length; place++) this.post(place, OUTSTANDING);
      }
      this.ends.forEach(([near], place) => {
        const completions = near.sendCq.poll(OUTSTANDING);
        for (const { status } of completions) if (status === 'SUCCESS') this.count();
        this.post(place, completions.length);
      });
    });
  }

  stop(): void {
    this.thread?.stop();
    for (const [near, far] of this.ends) {
      near.qp.destroy();
      far.qp.destroy();
    }
    for (const free of this.free) free();
  }

  private post(place: number, most: number): void {
    const count = Math.min(most, this.left[place]);
    this.left[place] -= count;
    this.posts[place](count);
  }

  private count(): void {
    this.completed++;
    if (this.completed === Math.floor(this.messages / 2)) this.halfNs = this.context.clock.nowNs;
    if (this.done) this.endNs = this.context.clock.nowNs;
  }
}

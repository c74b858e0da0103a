import { KelpieError } from '../../error.js';
import { Access, type Context, emptyWorkCompletion, type QueuePair } from '../../verbs/index.js';
import type { ByteChannel } from './byte-channel.js';
import type { PingPongOptions, PingPongResult } from './ping-pong.js';
import { exchangeManyEnds, NO_END, type PingPongEnd } from './ping-pong-exchange.js';
import { Stillness, unlessSilent } from './silence.js';

const PORT = 1;
const RECEIVE = 1;
const SEND = 2;
/** `ibv_srq_pingpong` tells this many ends, whether it has them or not. */
const TOLD_ENDS = 256;

/** Choices by the names of `ibv_srq_pingpong`'s flags. */
export type SrqPingPongOptions = Omit<PingPongOptions, 'transport'> & { qps: number };

/**
 * The peer of `ibv_srq_pingpong`, in either role: SENDs back and forth on several RC queue pairs that take their receives
 * from one queue.
 *
 * @example
 * const { iterations } = await runSrqPingPong(context, channel, { ...options, qps: 16, role: 'server' }, signal);
 */
export async function runSrqPingPong(
  context: Context,
  channel: ByteChannel,
  options: SrqPingPongOptions,
  signal: AbortSignal,
): Promise<PingPongResult> {
  const rig = new SrqRig(context, options);
  try {
    const told = Array.from({ length: TOLD_ENDS }, (_, index) => rig.ends[index] ?? NO_END);
    const exchanged = exchangeManyEnds(channel, options.role, told, (theirs) => rig.connect(theirs));
    await unlessSilent(context, exchanged, { allowed: 'the same ping-pong on both sides' });
    const { clock } = context;
    const startNs = clock.nowNs;
    await rig.play(signal);
    const { sizeBytes, iterations } = options;
    return { bytes: 2 * sizeBytes * iterations, elapsedNs: clock.nowNs - startNs, iterations };
  } finally {
    rig.destroy();
    await channel.close();
  }
}

/** The queue pairs, their common receives, and what each waits for. */
class SrqRig {
  readonly ends: PingPongEnd[];
  private readonly context: Context;
  private readonly options: SrqPingPongOptions;
  private readonly pd;
  private readonly cq;
  private readonly srq;
  private readonly region;
  private readonly qps: QueuePair[];
  private readonly indexOf = new Map<number, number>();
  private readonly pending: number[];
  private posted = 0;
  private sent = 0;
  private received = 0;

  constructor(context: Context, options: SrqPingPongOptions) {
    const { qps, rxDepth, sizeBytes, role, gidIndex } = options;
    this.context = context;
    this.options = options;
    this.pd = context.allocPd();
    this.cq = context.createCq({ cqe: rxDepth + qps });
    this.srq = this.pd.createSrq({ maxWr: rxDepth, maxSge: 1 });
    this.region = this.pd.regMr(new Uint8Array(sizeBytes), Access.LOCAL_WRITE);
    this.fill();
    const cap = { maxSendWr: 1, maxRecvWr: 0, maxSendSge: 1, maxRecvSge: 0 };
    const queues = { sendCq: this.cq, recvCq: this.cq, srq: this.srq };
    this.qps = Array.from({ length: qps }, () => this.pd.createQp({ qpType: 'RC', ...queues, cap }));
    for (const [index, qp] of this.qps.entries()) {
      this.indexOf.set(qp.qpNum, index);
      qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: PORT, qpAccessFlags: 0 });
    }
    const gid = context.queryGid(PORT, gidIndex);
    this.ends = this.qps.map((qp) => ({ qpn: qp.qpNum, psn: options.randomPsn(), gid }));
    this.pending = this.qps.map(() => (role === 'client' ? RECEIVE | SEND : RECEIVE));
  }

  connect(theirs: readonly PingPongEnd[]): void {
    const { mtu, gidIndex: sgidIndex } = this.options;
    for (const [index, qp] of this.qps.entries()) {
      const { gid: dgid, qpn, psn } = theirs[index];
      const ahAttr = { dgid, sgidIndex, portNum: PORT };
      const path = { pathMtu: mtu, destQpNum: qpn, rqPsn: psn, maxDestRdAtomic: 1, minRnrTimer: 12 };
      qp.modify({ state: 'RTR', ahAttr, ...path });
      const sqPsn = this.ends[index].psn;
      qp.modify({ state: 'RTS', sqPsn, timeout: 14, retryCnt: 7, rnrRetry: 7, maxRdAtomic: 1 });
    }
  }

  async play(signal: AbortSignal): Promise<void> {
    const { iterations, role } = this.options;
    const { clock } = this.context;
    const slots = Array.from({ length: 16 }, emptyWorkCompletion);
    const stillness = new Stillness(this.context);
    if (role === 'client') for (const qp of this.qps) this.send(qp);
    while (this.received < iterations || this.sent < iterations) {
      signal.throwIfAborted();
      const count = this.cq.pollInto(slots);
      for (const { status, wrId, qpNum } of slots.slice(0, count)) {
        if (status !== 'SUCCESS')
          throw new KelpieError('CANNOT_RUN', 'a request of the ping-pong failed', {
            field: 'status',
            given: status,
            allowed: 'SUCCESS',
          });
        this.took(Number(wrId), this.indexOf.get(qpNum) as number);
      }
      if (count > 0) stillness.moved();
      else {
        stillness.still('the same -s, -n and -q on both sides');
        await clock.sleep(clock.virtual ? 100 : 0);
      }
    }
  }

  destroy(): void {
    for (const qp of this.qps) qp.destroy();
    this.srq.destroy();
    this.cq.destroy();
    this.region.dereg();
    this.pd.dealloc();
  }

  /** A queue pair answers when both its last message and its next one are there. */
  private took(what: number, index: number): void {
    if (what === SEND) this.sent++;
    else {
      this.received++;
      if (--this.posted <= this.options.qps) this.fill();
    }
    this.pending[index] &= ~what;
    if (this.sent >= this.options.iterations || this.pending[index] !== 0) return;
    this.send(this.qps[index]);
    this.pending[index] = RECEIVE | SEND;
  }

  private send(qp: QueuePair): void {
    const { addr, lkey } = this.region;
    const sgList = [{ addr, length: this.options.sizeBytes, lkey }];
    qp.postSend({ wrId: SEND, opcode: 'SEND', sgList, signaled: true });
  }

  private fill(): void {
    const { addr, lkey } = this.region;
    const sgList = [{ addr, length: this.options.sizeBytes, lkey }];
    for (; this.posted < this.options.rxDepth; this.posted++) this.srq.postRecv({ wrId: RECEIVE, sgList });
  }
}

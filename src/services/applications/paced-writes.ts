import { Access, type Context, connectRcPair, emptyWorkCompletion } from '../../verbs/index.js';

/** Service traffic at a rate: WRITEs of one size that begin at even times. */
export interface PacedWrites {
  readonly gbps: number;
  readonly messageBytes: number;
}

/** Traffic that runs until it is stopped. */
export interface RunningWrites {
  /** Bytes that were acknowledged so far. */
  readonly doneBytes: number;
  stop(): void;
}

/** Most messages on their way: a path that does not keep up loses what comes on top. */
const OUTSTANDING = 8;

/**
 * Starts writing from one device to another at an even rate. A message whose time has come while as many are on their way
 * as may be is not sent later: what the path does not carry in time is lost to the service.
 *
 * @example
 * const service = pacedWrites(client, server, { gbps: 120, messageBytes: 65536 });
 */
export function pacedWrites(from: Context, to: Context, { gbps, messageBytes }: PacedWrites): RunningWrites {
  const [near, far] = connectRcPair(from, to, { cap: { maxSendWr: 2 * OUTSTANDING, maxRecvWr: 1 } });
  const thread = from.createThread?.({ name: 'service' });
  if (thread === undefined) throw new Error(`${from.deviceName} has no threads`);
  const local = near.pd.regMr({ lengthBytes: messageBytes }, Access.LOCAL_WRITE);
  const remote = far.pd.regMr({ lengthBytes: messageBytes }, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
  const request = {
    opcode: 'RDMA_WRITE',
    sgList: [{ addr: local.addr, length: messageBytes, lkey: local.lkey }],
    remoteAddr: remote.iova,
    rkey: remote.rkey,
    signaled: true,
  } as const;
  const everyNs = (8 * messageBytes) / gbps;
  const slots = Array.from({ length: OUTSTANDING }, emptyWorkCompletion);
  let dueNs = from.clock.nowNs;
  let pending = 0;
  let done = 0;
  thread.watch(near.sendCq);
  thread.run(() => {
    for (let count = near.sendCq.pollInto(slots); count > 0; count = near.sendCq.pollInto(slots)) {
      pending -= count;
      done += count;
    }
    const { nowNs } = from.clock;
    while (dueNs <= nowNs) {
      dueNs += everyNs;
      thread.wakeAtNs(dueNs);
      if (pending === OUTSTANDING) continue;
      pending++;
      near.qp.postSend(request);
    }
  });
  return {
    get doneBytes() {
      return done * messageBytes;
    },
    stop: () => thread.stop(),
  };
}

import { KelpieError } from '../../error.js';
import {
  Access,
  type AddressHandle,
  type Context,
  emptyWorkCompletion,
  type Mtu,
  type QpType,
} from '../../verbs/index.js';
import type { ByteChannel, ExchangeRole } from './byte-channel.js';
import { exchangePingPong } from './ping-pong-exchange.js';
import { Stillness, unlessSilent } from './silence.js';

const PORT = 1;
const QKEY = 0x11111111;
const GRH_BYTES = 40;

/** Choices by the names of `ibv_rc_pingpong`'s flags; both sides must agree on all but the index of the GID. */
export interface PingPongOptions {
  transport: QpType;
  role: ExchangeRole;
  sizeBytes: number;
  iterations: number;
  rxDepth: number;
  mtu: Mtu;
  gidIndex: number;
  /** Draws 24 bits for a first PSN. */
  randomPsn(): number;
}

/** What a ping-pong gave. */
export interface PingPongResult {
  bytes: number;
  elapsedNs: number;
  iterations: number;
}

/**
 * The peer of `ibv_rc_pingpong`, `ibv_uc_pingpong` or `ibv_ud_pingpong`, in either role: SENDs back and forth, the client
 * begins.
 *
 * @example
 * const options = { ...PING_PONG_DEFAULTS, transport: 'RC', role: 'client', randomPsn };
 * const { elapsedNs } = await runPingPong(context, channel, options, signal);
 */
export async function runPingPong(
  context: Context,
  channel: ByteChannel,
  options: PingPongOptions,
  signal: AbortSignal,
): Promise<PingPongResult> {
  const { transport, role, sizeBytes, iterations, rxDepth, gidIndex: sgidIndex } = options;
  const headBytes = transport === 'UD' ? GRH_BYTES : 0;
  const pd = context.allocPd();
  const memory = new Uint8Array(sizeBytes + headBytes).fill(role === 'client' ? 0x7b : 0x7c);
  const region = pd.regMr(memory, Access.LOCAL_WRITE);
  const cq = context.createCq({ cqe: rxDepth + 1 });
  const qp = pd.createQp({
    qpType: transport,
    sendCq: cq,
    recvCq: cq,
    cap: { maxSendWr: 1, maxRecvWr: rxDepth, maxSendSge: 1, maxRecvSge: 1 },
  });
  let handle: AddressHandle | null = null;
  try {
    const init = { state: 'INIT', pkeyIndex: 0, portNum: PORT } as const;
    qp.modify(transport === 'UD' ? { ...init, qkey: QKEY } : { ...init, qpAccessFlags: 0 });
    const { addr, lkey } = region;
    const receive = () => qp.postRecv({ wrId: 1, sgList: [{ addr, length: sizeBytes + headBytes, lkey }] });
    for (let count = 0; count < rxDepth; count++) receive();
    const own = { qpn: qp.qpNum, psn: options.randomPsn(), gid: context.queryGid(PORT, sgidIndex) };
    let remoteQpn = 0;
    const exchanged = exchangePingPong(channel, role, own, (theirs) => {
      remoteQpn = theirs.qpn;
      const ahAttr = { dgid: theirs.gid, sgidIndex, portNum: PORT };
      const rc = transport === 'RC';
      if (transport === 'UD') {
        qp.modify({ state: 'RTR' });
        handle = pd.createAh(ahAttr);
      } else {
        qp.modify({
          state: 'RTR',
          ahAttr,
          pathMtu: options.mtu,
          destQpNum: theirs.qpn,
          rqPsn: theirs.psn,
          ...(rc ? { maxDestRdAtomic: 1, minRnrTimer: 12 } : {}),
        });
      }
      qp.modify({
        state: 'RTS',
        sqPsn: own.psn,
        ...(rc ? { timeout: 14, retryCnt: 7, rnrRetry: 7, maxRdAtomic: 1 } : {}),
      });
    });
    await unlessSilent(context, exchanged, { allowed: 'the same ping-pong on both sides' });
    const sgList = [{ addr: addr + headBytes, length: sizeBytes, lkey }];
    const datagram = handle === null ? {} : { ah: handle, remoteQpn, remoteQkey: QKEY };
    const send = () => qp.postSend({ wrId: 2, opcode: 'SEND', sgList, signaled: true, ...datagram });
    const slots = Array.from({ length: 8 }, emptyWorkCompletion);
    const { clock } = context;
    const startNs = clock.nowNs;
    const stillness = new Stillness(context);
    let [sent, received, outstanding] = [0, 0, 0];
    let due = role === 'client' ? 1 : 0;
    while (sent < iterations || received < iterations) {
      signal.throwIfAborted();
      if (due > 0 && outstanding === 0) {
        due--;
        outstanding++;
        send();
      }
      const count = cq.pollInto(slots);
      for (const { status, wrId } of slots.slice(0, count)) {
        if (status !== 'SUCCESS')
          throw new KelpieError('CANNOT_RUN', 'a request of the ping-pong failed', {
            field: 'status',
            given: status,
            allowed: 'SUCCESS',
          });
        if (wrId === 2) {
          outstanding--;
          sent++;
        } else {
          received++;
          if (received + rxDepth <= iterations) receive();
          // The client has begun: what it answers is one less than what it gets.
          if (role === 'server' || received < iterations) due++;
        }
      }
      if (count > 0) stillness.moved();
      else {
        stillness.still('the same -s and -n on both sides');
        await clock.sleep(clock.virtual ? 100 : 0);
      }
    }
    return { bytes: 2 * sizeBytes * iterations, elapsedNs: clock.nowNs - startNs, iterations };
  } finally {
    (handle as AddressHandle | null)?.destroy();
    qp.destroy();
    cq.destroy();
    region.dereg();
    pd.dealloc();
    await channel.close();
  }
}

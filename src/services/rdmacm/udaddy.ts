import { KelpieError } from '../../error.js';
import {
  Access,
  type AddressHandle,
  type CompletionQueue,
  type ConnectionManager,
  type Context,
  type DatagramService,
  type MemoryRegion,
  type ProtectionDomain,
  type QueuePair,
  type WorkCompletion,
  waitForCompletions,
} from '../../verbs/index.js';
import type { CmProgramOptions } from './program.js';

/** The queue key of RDMA-CM's UDP-like ports: Linux' RDMA_UDP_QKEY. */
const QKEY = 0x0123_4567;
/** The port of RDMA-CM that udaddy uses. */
export const UDADDY_PORT = 7174;
const MESSAGES = 10;
const MESSAGE_BYTES = 100;
const GRH_BYTES = 40;
const ROOM_BYTES = GRH_BYTES + MESSAGE_BYTES;
const TIMEOUT_NS = 20e9;

/**
 * The other side of librdmacm's `udaddy`: ten datagrams there and ten back, to a queue pair that is found by address and
 * port. A server unless `address` is set. The number of datagrams that came.
 *
 * @example
 * await runUdaddy(context, manager, { address: '10.77.0.2' });
 */
export async function runUdaddy(
  context: Context,
  manager: ConnectionManager,
  { address, port = UDADDY_PORT, onReady }: Omit<CmProgramOptions, 'connections'>,
): Promise<number> {
  const end = new DatagramEnd(context);
  try {
    if (address === undefined) {
      let handle: AddressHandle | null = null;
      const listener = manager.listenDatagrams(port, ({ gid, sgidIndex }) => {
        handle ??= end.handleOf({ gid, sgidIndex });
        return end.qp;
      });
      onReady?.();
      try {
        // A server waits for its client as long as it takes.
        const [{ immData }] = await end.receive(Number.POSITIVE_INFINITY);
        // Nobody knows the queue pair who has not asked for it.
        if (handle !== null) await end.send(handle, immData, QKEY);
      } finally {
        listener.close();
      }
    } else {
      const found = await manager.resolveDatagrams({ address, port });
      await end.send(end.handleOf(found), found.qpNum, found.qkey);
      await end.receive();
    }
    return MESSAGES;
  } finally {
    end.destroy();
  }
}

/** A queue pair of datagrams with its receives posted. */
class DatagramEnd {
  readonly qp: QueuePair;
  private readonly pd: ProtectionDomain;
  private readonly sendCq: CompletionQueue;
  private readonly recvCq: CompletionQueue;
  private readonly memory = new Uint8Array((MESSAGES + 1) * ROOM_BYTES);
  private readonly region: MemoryRegion;
  private readonly handles: AddressHandle[] = [];

  constructor(context: Context) {
    this.pd = context.allocPd();
    this.sendCq = context.createCq({ cqe: MESSAGES });
    this.recvCq = context.createCq({ cqe: MESSAGES });
    const cap = { maxSendWr: MESSAGES, maxRecvWr: MESSAGES, maxSendSge: 1, maxRecvSge: 1 };
    this.qp = this.pd.createQp({ qpType: 'UD', sendCq: this.sendCq, recvCq: this.recvCq, cap });
    this.region = this.pd.regMr(this.memory, Access.LOCAL_WRITE);
    this.qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qkey: QKEY });
    this.qp.modify({ state: 'RTR' });
    this.qp.modify({ state: 'RTS', sqPsn: 0 });
    const { addr, lkey } = this.region;
    for (let slot = 0; slot < MESSAGES; slot++)
      this.qp.postRecv({
        wrId: slot,
        sgList: [{ addr: addr + slot * ROOM_BYTES, length: ROOM_BYTES, lkey }],
      });
  }

  /** A way to somebody. */
  handleOf({ gid, sgidIndex }: Pick<DatagramService, 'gid' | 'sgidIndex'>): AddressHandle {
    const handle = this.pd.createAh({ dgid: gid, sgidIndex, portNum: 1 });
    this.handles.push(handle);
    return handle;
  }

  async send(ah: AddressHandle, remoteQpn: number, remoteQkey: number): Promise<void> {
    const { addr, lkey } = this.region;
    const sgList = [{ addr: addr + MESSAGES * ROOM_BYTES, length: MESSAGE_BYTES, lkey }];
    const to = { ah, remoteQpn, remoteQkey, immData: this.qp.qpNum };
    for (let index = 0; index < MESSAGES; index++)
      this.qp.postSend({ opcode: 'SEND_WITH_IMM', sgList, ...to, signaled: true });
    await until(this.sendCq);
  }

  /** The messages of the other side; the first may take this long. */
  async receive(firstNs = TIMEOUT_NS): Promise<WorkCompletion[]> {
    const first = await until(this.recvCq, 1, firstNs);
    return [...first, ...(await until(this.recvCq, MESSAGES - 1))];
  }

  destroy(): void {
    for (const handle of this.handles) handle.destroy();
    this.qp.destroy();
    this.sendCq.destroy();
    this.recvCq.destroy();
    this.region.dereg();
    this.pd.dealloc();
  }
}

async function until(
  cq: CompletionQueue,
  count = MESSAGES,
  timeoutNs = TIMEOUT_NS,
): Promise<WorkCompletion[]> {
  const completions = await waitForCompletions(cq, { count, timeoutNs });
  const failed = completions.find(({ status }) => status !== 'SUCCESS');
  if (failed === undefined) return completions;
  throw new KelpieError('CANNOT_RUN', 'a datagram of the test failed', {
    field: 'status',
    given: failed.status,
    allowed: 'SUCCESS',
  });
}

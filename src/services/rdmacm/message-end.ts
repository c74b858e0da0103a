import { KelpieError } from '../../error.js';
import {
  Access,
  type CompletionQueue,
  type Context,
  type MemoryRegion,
  type ProtectionDomain,
  type QueuePair,
  waitForCompletions,
} from '../../verbs/index.js';

const TIMEOUT_NS = 30e9;

/** One side of a connection that carries messages of one size: a queue pair with all its receives posted. */
export class MessageEnd {
  readonly qp: QueuePair;
  private readonly pd: ProtectionDomain;
  private readonly sendCq: CompletionQueue;
  private readonly recvCq: CompletionQueue;
  private readonly region: MemoryRegion;
  private readonly sizeBytes: number;

  constructor(context: Context, count: number, sizeBytes: number) {
    const room = Math.max(1, count);
    this.sizeBytes = sizeBytes;
    this.pd = context.allocPd();
    this.sendCq = context.createCq({ cqe: room });
    this.recvCq = context.createCq({ cqe: room });
    const cap = { maxSendWr: room, maxRecvWr: room, maxSendSge: 1, maxRecvSge: 1 };
    this.qp = this.pd.createQp({ qpType: 'RC', sendCq: this.sendCq, recvCq: this.recvCq, cap });
    this.region = this.pd.regMr(new Uint8Array(2 * sizeBytes), Access.LOCAL_WRITE);
    this.qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: Access.LOCAL_WRITE });
    const sgList = [{ addr: this.region.addr + sizeBytes, length: sizeBytes, lkey: this.region.lkey }];
    for (let index = 0; index < count; index++) this.qp.postRecv({ sgList });
  }

  /** Sends this many messages and waits until they have arrived. */
  async send(count: number): Promise<void> {
    const sgList = [{ addr: this.region.addr, length: this.sizeBytes, lkey: this.region.lkey }];
    for (let index = 0; index < count; index++) this.qp.postSend({ opcode: 'SEND', sgList, signaled: true });
    await this.until(this.sendCq, count);
  }

  /** Waits for this many messages. */
  receive(count: number): Promise<void> {
    return this.until(this.recvCq, count);
  }

  destroy(): void {
    this.qp.destroy();
    this.sendCq.destroy();
    this.recvCq.destroy();
    this.region.dereg();
    this.pd.dealloc();
  }

  private async until(cq: CompletionQueue, count: number): Promise<void> {
    for (let done = 0; done < count; ) {
      const completions = await waitForCompletions(cq, { count: 1, timeoutNs: TIMEOUT_NS });
      for (const { status } of completions) {
        if (status !== 'SUCCESS')
          throw new KelpieError('CANNOT_RUN', 'a message of the test failed', {
            field: 'status',
            given: status,
            allowed: 'SUCCESS',
          });
        done++;
      }
    }
  }
}

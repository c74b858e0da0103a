import { type LinkKind, type SoftwareContext, SoftwareProvider } from '../../src/providers/software/index.js';
import {
  ACCESS_REMOTE,
  Access,
  type CompletionChannel,
  type CompletionQueue,
  type MemoryRegion,
  type QueuePair,
} from '../../src/verbs/index.js';

/** What one end tells the other. */
export interface RdmaAddress {
  qpNum: number;
  gid: string;
  addr: number;
  rkey: number;
}

/** Bytes of the region that the other end writes to. */
export const REGION_BYTES = 1 << 20;
const PSN = 0x1000;

/** One end of the benchmark's connection: a device, a queue pair in RTS and a region. */
export class RdmaEnd {
  readonly context: SoftwareContext;
  readonly qp: QueuePair;
  readonly cq: CompletionQueue;
  readonly channel: CompletionChannel;
  readonly mr: MemoryRegion;
  readonly memory: Uint8Array;

  private constructor(context: SoftwareContext) {
    this.context = context;
    const pd = context.allocPd();
    this.channel = context.createCompChannel();
    this.cq = context.createCq({ cqe: 1024, channel: this.channel });
    this.memory = new Uint8Array(REGION_BYTES);
    this.mr = pd.regMr(this.memory, Access.LOCAL_WRITE | ACCESS_REMOTE);
    const cap = { maxSendWr: 512, maxRecvWr: 16, maxSendSge: 1, maxRecvSge: 1, maxInlineData: 64 };
    this.qp = pd.createQp({ qpType: 'RC', sendCq: this.cq, recvCq: this.cq, cap });
  }

  static async open(address: string, link: LinkKind): Promise<RdmaEnd> {
    return new RdmaEnd(await new SoftwareProvider({ link }).open(address));
  }

  get address(): RdmaAddress {
    const { qp, context, mr } = this;
    return { qpNum: qp.qpNum, gid: context.queryGid(1, 0), addr: mr.iova, rkey: mr.rkey };
  }

  connect(peer: RdmaAddress): void {
    const { qp } = this;
    qp.modify({ state: 'INIT', pkeyIndex: 0, portNum: 1, qpAccessFlags: ACCESS_REMOTE });
    qp.modify({
      state: 'RTR',
      ahAttr: { dgid: peer.gid, sgidIndex: 0 },
      pathMtu: 4096,
      destQpNum: peer.qpNum,
      rqPsn: PSN,
      maxDestRdAtomic: 16,
      minRnrTimer: 12,
    });
    qp.modify({ state: 'RTS', sqPsn: PSN, timeout: 14, retryCnt: 7, rnrRetry: 7, maxRdAtomic: 16 });
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

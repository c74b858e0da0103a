import type { QpAttr, SendWr } from '../../verbs/index.js';
import { canBeCut, type InterposedQueuePair, Part, pieceOf, SendPath } from '../interposer/index.js';
import type { PacedTenant } from './pacer.js';

/** Every how many parts the device is asked for a completion, so that places in its queue come free. */
const PARTS_A_SIGNAL = 16;

/** The send queue of a paced queue pair: what has no credit waits; long messages go chunk by chunk. */
export class PacedPath extends SendPath {
  private readonly tenant: PacedTenant;
  private parts = 0;

  constructor(qp: InterposedQueuePair, tenant: PacedTenant) {
    super(qp);
    this.tenant = tenant;
  }

  /** READs and atomics send nothing here and are not paced; nor is what WAITs of the tenant count. */
  private isPaced(wr: SendWr): boolean {
    switch (wr.opcode) {
      case 'SEND':
      case 'SEND_WITH_IMM':
      case 'SEND_WITH_INV':
      case 'RDMA_WRITE':
      case 'RDMA_WRITE_WITH_IMM':
        return !this.qp.sendCq.isWaitedOn;
      default:
        return false;
    }
  }

  override modified(attr: QpAttr): void {
    if (attr.ahAttr !== undefined) this.tenant.pacer.destination(attr.ahAttr.dgid);
    super.modified(attr);
  }

  protected override posted(_wr: SendWr, bytes: number): void {
    this.tenant.note(bytes, this.unfinished);
  }

  protected passes(wr: SendWr, bytes: number): boolean {
    return !this.isPaced(wr) || this.tenant.spend(bytes, bytes);
  }

  protected advance(): void {
    const { tenant, waiting } = this;
    if (this.room <= 2) this.makeRoom();
    while (waiting.length > 0 && this.room > 2) {
      const first = waiting[0];
      const left = first.bytes - first.offset;
      const chunk = tenant.pacer.chunkBytes;
      const { wr, request, offset } = first;
      const cut = left > chunk && canBeCut(wr);
      const bytes = cut ? chunk : left;
      if (this.isPaced(wr) && !tenant.spend(bytes, first.bytes)) return;
      if (cut) {
        const signal = ++this.parts % PARTS_A_SIGNAL === 0;
        this.post([this.entry(pieceOf(wr, offset, bytes), Part.PIECE, request, signal)]);
        first.offset += bytes;
      } else {
        waiting.shift();
        this.post([this.lastOf(first, offset > 0 && canBeCut(wr) ? pieceOf(wr, offset, bytes) : wr)]);
      }
    }
  }

  protected stalled(): void {
    this.tenant.waits(this);
  }
}

import type { CacheFreeSendConstants } from '../../../../profiles/index.js';
import { WqeFlag, type WqePool } from '../../../../verbs/base/index.js';
import { Doorbells } from '../../connectx/send/doorbells.js';
import type { SendPathParts } from '../../parts/nic-parts.js';
import type { RequestWqes, SendPath } from '../../parts/send-path.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';
import { CacheFreeScheduler } from './cache-free-scheduler.js';

/** Send WQEs of which none is kept: whoever needs one again reads it again. */
class DroppedWqes implements RequestWqes {
  readonly rereadsBehind = true;
  private readonly wqes: WqePool;

  constructor(wqes: WqePool) {
    this.wqes = wqes;
  }

  hasPayload(wqe: number): boolean {
    return (this.wqes.flags[wqe] & WqeFlag.INLINE) !== 0;
  }

  /** The response says which WQE it answers (§4.4.1), and that is read for its scatter list. */
  readAnswered(): boolean {
    return false;
  }

  serveReads(pair: NicQueuePair): void {
    pair.receive.servesReads = true;
  }

  oweAcks(pair: NicQueuePair): void {
    pair.receive.owesAcks = true;
  }
}

/** The send side of SRNIC: doorbells, and a scheduler that fetches WQEs and drops them. */
export class CacheFreeSends implements SendPath {
  readonly doorbells: Doorbells;
  readonly scheduler: CacheFreeScheduler;
  readonly requests: RequestWqes;

  constructor(parts: SendPathParts & { readonly constants: CacheFreeSendConstants }) {
    this.requests = new DroppedWqes(parts.wqes);
    this.scheduler = new CacheFreeScheduler({ ...parts, requests: this.requests });
    this.doorbells = new Doorbells({ ...parts, listener: this.scheduler });
  }

  add(pair: NicQueuePair): void {
    this.scheduler.add(pair);
  }

  forget(pair: NicQueuePair): void {
    this.scheduler.forget(pair);
  }
}

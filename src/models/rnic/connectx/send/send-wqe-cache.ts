import type { Random } from '../../../../engine/index.js';
import type { UnitSendConstants } from '../../../../profiles/index.js';
import { WqeFlag, type WqePool } from '../../../../verbs/base/index.js';
import { LineCache } from '../../../cache/line-cache.js';
import type { RequestWqes } from '../../parts/send-path.js';
import type { NicQueuePair } from '../../queue-pair/nic-queue-pair.js';

/** A WQE has at most this many cache lines: 64 B each, 16 scatter-gather elements. Longer inline data counts as these. */
const LINES_PER_WQE = 8;

/**
 * The cache that holds fetched send WQEs until their first packet; a READ's until its last response, whose scatter list
 * it is. What the device must remember as a responder is kept in the same memory: that is why traffic both ways has less
 * room for WQEs than one way (Collie #4, #10).
 */
export class SendWqeCache implements RequestWqes {
  readonly rereadsBehind = false;
  private readonly constants: UnitSendConstants;
  private readonly lineBytes: number;
  private readonly inlineWqeBytes: number;
  private readonly wqes: WqePool;
  /** Null where fetched WQEs are never pushed out. */
  private readonly cache: LineCache | null;
  private kept = 0;

  constructor(constants: UnitSendConstants, ablated: ReadonlySet<string>, wqes: WqePool, random: Random) {
    this.constants = constants;
    this.lineBytes = constants.sendWqeCacheLineBytes;
    this.inlineWqeBytes = constants.inlineWqeBytes;
    this.wqes = wqes;
    this.cache = ablated.has('send-wqe-cache')
      ? null
      : new LineCache(constants.sendWqeCacheLines, random.split('send WQEs'));
  }

  /** Lines that WQEs take now. */
  get lines(): number {
    return this.cache?.lines ?? 0;
  }

  /** Lines that responders want to keep; they get a part of the cache at most. */
  get responderLines(): number {
    return this.kept;
  }

  /** Whether a WQE is on chip when its first packet is due. */
  isOnChip(wqe: number): boolean {
    return this.cache === null || this.cache.has(wqe * LINES_PER_WQE);
  }

  hasPayload(wqe: number): boolean {
    return (this.wqes.flags[wqe] & WqeFlag.INLINE) !== 0;
  }

  /** A WQE was fetched. */
  put(wqe: number): void {
    const { cache } = this;
    if (cache === null) return;
    const lines = this.linesOf(wqe);
    for (let line = 0; line < lines; line++) cache.insert(wqe * LINES_PER_WQE + line);
  }

  /** A WQE is of no more use. */
  free(wqe: number): void {
    const { cache } = this;
    if (cache === null) return;
    const lines = this.linesOf(wqe);
    for (let line = 0; line < lines; line++) cache.free(wqe * LINES_PER_WQE + line);
  }

  readAnswered(pair: NicQueuePair): boolean {
    const wqe = pair.send.reads.shift();
    if (wqe < 0) return true;
    const onChip = this.isOnChip(wqe);
    this.free(wqe);
    return onChip;
  }

  serveReads({ receive }: NicQueuePair): void {
    if (receive.servesReads) return;
    receive.servesReads = true;
    this.reserve(this.constants.readReserveLines);
  }

  oweAcks({ receive, isReliable }: NicQueuePair): void {
    if (receive.owesAcks || !isReliable) return;
    receive.owesAcks = true;
    this.reserve(this.constants.ackReserveLines);
  }

  /** A queue pair answers nobody any more, and waits for no response. */
  forget(pair: NicQueuePair): void {
    const { readReserveLines, ackReserveLines } = this.constants;
    const { receive } = pair;
    while (pair.send.reads.length > 0) this.free(pair.send.reads.shift());
    this.reserve(-(receive.servesReads ? readReserveLines : 0) - (receive.owesAcks ? ackReserveLines : 0));
    receive.servesReads = false;
    receive.owesAcks = false;
  }

  private reserve(lines: number): void {
    const { sendWqeCacheLines, responderMaxShare } = this.constants;
    this.kept += lines;
    this.cache?.reserve(Math.min(this.kept, Math.floor(sendWqeCacheLines * responderMaxShare)));
  }

  /** Cache lines of a WQE: control and remote segments, 16 bytes per element, or its inline data (mlx5). */
  private linesOf(wqe: number): number {
    const { wqes } = this;
    const bytes = this.hasPayload(wqe)
      ? this.inlineWqeBytes + wqes.length[wqe]
      : 32 + 16 * Math.max(1, wqes.sgeCount[wqe]);
    return Math.min(LINES_PER_WQE, Math.ceil(bytes / this.lineBytes));
  }
}

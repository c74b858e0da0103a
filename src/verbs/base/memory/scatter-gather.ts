import { WqeFlag, type WqePool } from '../queues/wqe-pool.js';
import { copyBytes } from './copy.js';
import { KeyCheck, type MemoryTable } from './memory-table.js';

/**
 * Checks the first `length` bytes of a request's scatter-gather list against the local keys; elements that are not
 * touched are not checked. Returns the first refusal, or OK.
 */
export function checkList(
  memory: MemoryTable,
  wqes: WqePool,
  wqe: number,
  pd: number,
  length: number,
  write: boolean,
): number {
  const { sges } = wqes;
  const start = wqes.sgeStart[wqe];
  const end = start + wqes.sgeCount[wqe];
  let left = length;
  for (let index = start; index < end && left > 0; index++) {
    const piece = Math.min(left, sges.length[index]);
    if (piece === 0) continue;
    const check = memory.checkLocal(pd, sges.lkey[index], sges.addr[index], piece, write);
    if (check !== KeyCheck.OK) return check;
    left -= piece;
  }
  return KeyCheck.OK;
}

/** Checks bytes `offset` to `offset + length` of a request's list: all that is to be done where no memory has bytes. */
export function checkPart(
  memory: MemoryTable,
  wqes: WqePool,
  wqe: number,
  pd: number,
  offset: number,
  length: number,
  write: boolean,
): number {
  const { sges } = wqes;
  let index = wqes.sgeStart[wqe];
  const end = index + wqes.sgeCount[wqe];
  let skip = offset;
  for (let left = length; index < end && left > 0; index++) {
    const room = sges.length[index] - skip;
    if (room <= 0) {
      skip = -room;
      continue;
    }
    const piece = room < left ? room : left;
    const check = memory.checkLocal(pd, sges.lkey[index], sges.addr[index] + skip, piece, write);
    if (check !== KeyCheck.OK) return check;
    left -= piece;
    skip = 0;
  }
  return KeyCheck.OK;
}

/**
 * Copies bytes `offset` to `offset + length` of a request's message out of its inline data or its list. Returns the
 * first refusal of a key; then the target holds the bytes before it.
 */
export function gather(
  memory: MemoryTable,
  wqes: WqePool,
  wqe: number,
  pd: number,
  offset: number,
  target: Uint8Array | null,
  targetAt: number,
  length: number,
): number {
  if ((wqes.flags[wqe] & WqeFlag.INLINE) !== 0) {
    copyBytes(target, targetAt, wqes.inlineOf(wqe), offset, length);
    return KeyCheck.OK;
  }
  return walk(memory, wqes, wqe, pd, offset, target, targetAt, length, false);
}

/** Copies bytes into places `offset` to `offset + length` of a request's list; `source` null writes zeros. */
export function scatter(
  memory: MemoryTable,
  wqes: WqePool,
  wqe: number,
  pd: number,
  offset: number,
  source: Uint8Array | null,
  sourceAt: number,
  length: number,
): number {
  return walk(memory, wqes, wqe, pd, offset, source, sourceAt, length, true);
}

function walk(
  memory: MemoryTable,
  wqes: WqePool,
  wqe: number,
  pd: number,
  offset: number,
  other: Uint8Array | null,
  otherAt: number,
  length: number,
  write: boolean,
): number {
  const { sges } = wqes;
  const end = wqes.sgeStart[wqe] + wqes.sgeCount[wqe];
  let skip = offset;
  let done = 0;
  for (let index = wqes.sgeStart[wqe]; index < end && done < length; index++) {
    const room = sges.length[index];
    if (skip >= room) {
      skip -= room;
      continue;
    }
    const piece = Math.min(room - skip, length - done);
    const check = memory.checkLocal(pd, sges.lkey[index], sges.addr[index] + skip, piece, write);
    if (check !== KeyCheck.OK) return check;
    const bytes = memory.bytes[memory.found];
    if (write) copyBytes(bytes, memory.position, other, otherAt + done, piece);
    else copyBytes(other, otherAt + done, bytes, memory.position, piece);
    done += piece;
    skip = 0;
  }
  return KeyCheck.OK;
}

/**
 * Copies a whole message from one request's inline data or list into another request's list, `targetOffset` bytes into
 * it, without a place between. The two may belong to different devices. Both were checked before.
 */
export function copyMessage(
  from: { memory: MemoryTable; wqes: WqePool },
  fromWqe: number,
  fromPd: number,
  to: { memory: MemoryTable; wqes: WqePool },
  toWqe: number,
  toPd: number,
  targetOffset: number,
): void {
  const { wqes, memory } = from;
  if ((wqes.flags[fromWqe] & WqeFlag.INLINE) !== 0) {
    const length = wqes.length[fromWqe];
    scatter(to.memory, to.wqes, toWqe, toPd, targetOffset, wqes.inlineOf(fromWqe), 0, length);
    return;
  }
  const { sges } = wqes;
  const start = wqes.sgeStart[fromWqe];
  const end = start + wqes.sgeCount[fromWqe];
  let done = targetOffset;
  for (let index = start; index < end; index++) {
    const piece = sges.length[index];
    if (piece === 0) continue;
    memory.checkLocal(fromPd, sges.lkey[index], sges.addr[index], piece, false);
    // Read before the next check: both sides may be one device.
    const bytes = memory.bytes[memory.found];
    const position = memory.position;
    scatter(to.memory, to.wqes, toWqe, toPd, done, bytes, position, piece);
    done += piece;
  }
}

/** Below this, a loop beats making two views for a block copy. */
const LOOP_BYTES = 128;

/**
 * Copies bytes between memories that may have none: what is read from unbacked memory is zero, what is written there
 * is gone. Overlapping ranges of one buffer are copied as if through a third place.
 */
export function copyBytes(
  target: Uint8Array | null,
  targetAt: number,
  source: Uint8Array | null,
  sourceAt: number,
  length: number,
): void {
  if (target === null) return;
  if (source === null) {
    target.fill(0, targetAt, targetAt + length);
  } else if (length < LOOP_BYTES && target.buffer !== source.buffer) {
    for (let index = 0; index < length; index++) target[targetAt + index] = source[sourceAt + index];
  } else {
    target.set(source.subarray(sourceAt, sourceAt + length), targetAt);
  }
}

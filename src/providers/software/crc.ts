import * as zlib from 'node:zlib';
import type { CrcUpdate } from '../../link/index.js';
import { crc32Update } from '../../wire/index.js';

/** Below this a table beats a call out of JavaScript. */
const LOOP_BYTES = 256;

/**
 * The fastest CRC-32 at hand: zlib's, which uses the processor's carry-less multiplication, for what is long, and wire's
 * table for what is short.
 */
export const fastCrcUpdate: CrcUpdate =
  typeof zlib.crc32 === 'function'
    ? (state, bytes, from, to) =>
        to - from < LOOP_BYTES
          ? crc32Update(state, bytes, from, to)
          : // zlib takes and gives the CRC, which is the state inverted.
            ~zlib.crc32(bytes.subarray(from, to), ~state >>> 0)
    : crc32Update;

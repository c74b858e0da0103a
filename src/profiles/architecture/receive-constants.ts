import { type ConstantTable, real, type Values, whole } from '../constant.js';
import type { DeviceConstants } from './device-constants.js';

const ns: readonly [number, number] = [0, 1e9];
const bytes: readonly [number, number] = [0, 2 ** 30];

/** How receive WQEs lie in their rings. */
const receiveRingConstants = {
  receiveWqeStrideBytes: whole(
    'Receive WQEs',
    'B',
    [8, 1024],
    'Ring entry of an RC or UC receive for each element, the elements rounded up to a power of two.',
  ),
  udReceiveWqeStrideBytes: whole('Receive WQEs', 'B', [8, 1024], 'Ring entry of a UD receive.'),
} satisfies ConstantTable;

/** Receive WQEs that are read ahead, into a cache and into a window per queue. */
export const cachedReceiveConstants = {
  receiveWqeCacheBytes: whole('Receive WQEs', 'B', [64, 2 ** 30], 'Cache of posted receive WQEs.'),
  receiveReadAheadMisses: whole(
    'Receive WQEs',
    'misses',
    [0, 65536],
    'Per this many misses of a queue since its last post, the read at a miss brings one more WQE, at most one completion of PCIe.',
    '0: always one WQE',
  ),
  receiveAheadWqes: whole(
    'Receive WQEs',
    'WQEs',
    [0, 65536],
    'Receives of one queue, from the next one on, that are read into the cache.',
    '0: all that are posted',
  ),
  receivePrefetchWqes: whole(
    'Receive WQEs',
    'WQEs',
    [0, 65536],
    'Receives of one post that are read into the cache; those beyond go through the window of their queue.',
    '0: no limit and no window',
  ),
  receiveWindowBytes: whole(
    'Receive WQEs',
    'B',
    bytes,
    'Bytes of that window, for each queue, in chunks of pcieMaxReadRequestBytes. A chunk that was pushed out before its use stops the receive engine for two reads of receiveWqeMissNs.',
    '0: with no limit',
  ),
  receiveWindowMissNs: real(
    'Receive WQEs',
    'ns',
    ns,
    'Time for which the device stands still where a receive WQE is no longer there, beside the two reads that bring it.',
  ),
  ...receiveRingConstants,
} satisfies ConstantTable;

/** Receive WQEs that are read when their message has come. */
export const onDemandReceiveConstants = receiveRingConstants;

/** The numbers that such receive WQEs read. */
export type CachedReceiveConstants = DeviceConstants & Values<typeof cachedReceiveConstants>;

/** The numbers that receive WQEs on demand read. */
export type OnDemandReceiveConstants = DeviceConstants & Values<typeof onDemandReceiveConstants>;

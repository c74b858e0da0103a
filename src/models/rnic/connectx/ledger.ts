import type { DeviceConstants } from '../../../profiles/index.js';
import { PRIORITIES } from '../../fabric/egress-port.js';
import type { MemoryLedger, MemoryUse } from '../parts/memory-ledger.js';

/** An entry of the translation table, and the page that it translates (SRNIC, NSDI'23, §3.2: 8 B per page of 4 KB). */
const TRANSLATION_BYTES = 8;
const PAGE_BYTES = 4096;

/** The memory of a ConnectX: caches and buffers of fixed size on chip, the whole state in host memory. */
export function connectxLedger(constants: DeviceConstants, use: MemoryUse): MemoryLedger {
  const { contextBytes } = constants;
  return [
    { structure: 'context cache', place: 'chip', bytes: constants.contextCacheEntries * contextBytes },
    {
      structure: 'translation cache',
      place: 'chip',
      bytes: constants.translationCacheEntries * TRANSLATION_BYTES,
    },
    {
      structure: 'send WQE cache',
      place: 'chip',
      bytes: constants.sendWqeCacheLines * constants.sendWqeCacheLineBytes,
    },
    { structure: 'receive WQE cache', place: 'chip', bytes: constants.receiveWqeCacheBytes },
    {
      structure: 'receive WQE windows',
      place: 'chip',
      bytes: use.queuePairs * constants.receiveWindowBytes,
    },
    { structure: 'receive buffer', place: 'chip', bytes: constants.receiveBufferBytes },
    { structure: 'transmit buffer', place: 'chip', bytes: PRIORITIES * constants.transmitBufferBytes },
    { structure: 'contexts', place: 'host', bytes: use.queuePairs * contextBytes },
    {
      structure: 'translations',
      place: 'host',
      bytes: Math.ceil(use.regionsBytes / PAGE_BYTES) * TRANSLATION_BYTES,
    },
  ];
}

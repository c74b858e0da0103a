import type { GoBackNConstants } from '../../../profiles/index.js';
import { goBackNTimed, goBackZeroTimed, type RetransmissionTiming } from '../../../transport/index.js';
import { PRIORITIES } from '../../fabric/cable-side.js';
import { PciePort } from '../../pcie/pcie-port.js';
import { type NicArchitecture, nicPart } from '../architecture.js';
import { PAGE_BYTES, TRANSLATION_BYTES } from '../parts/memory-ledger.js';
import { roceFormat } from '../parts/wire-format.js';
import { programmable } from '../programmable-control.js';
import { CachedContexts } from './cached-contexts.js';
import { CachedTranslations } from './cached-translations.js';
import { DeviceDcqcn } from './dcqcn.js';
import { CachedReceiveWqes } from './receive/cached-receive-wqes.js';
import { ConnectxSendPath } from './send/send-path.js';
import { connectxTable } from './table.js';

const { parts, others } = connectxTable;

/**
 * The architecture of the ConnectX line, as its papers found it: contexts and translations in host memory behind caches,
 * WQEs that are read ahead, go-back-N, DCQCN.
 */
export const connectx: NicArchitecture = {
  ...connectxTable,
  parts: {
    bus: nicPart('bus', parts.bus, ({ port }) => new PciePort(port)),
    contexts: nicPart(
      'contexts',
      parts.contexts,
      (needs) => new CachedContexts(needs),
      ({ contextCacheEntries, contextBytes }, { queuePairs }) => [
        { structure: 'context cache', place: 'chip', bytes: contextCacheEntries * contextBytes },
        { structure: 'contexts', place: 'host', bytes: queuePairs * contextBytes },
      ],
    ),
    translations: nicPart(
      'translations',
      parts.translations,
      (needs) => new CachedTranslations(needs),
      ({ translationCacheEntries }, { regionsBytes }) => [
        {
          structure: 'translation cache',
          place: 'chip',
          bytes: translationCacheEntries * TRANSLATION_BYTES,
        },
        {
          structure: 'translations',
          place: 'host',
          bytes: Math.ceil(regionsBytes / PAGE_BYTES) * TRANSLATION_BYTES,
        },
      ],
    ),
    sends: nicPart(
      'sends',
      parts.sends,
      (needs) => new ConnectxSendPath(needs),
      ({ sendWqeCacheLines, sendWqeCacheLineBytes, transmitBufferBytes }) => [
        { structure: 'send WQE cache', place: 'chip', bytes: sendWqeCacheLines * sendWqeCacheLineBytes },
        { structure: 'transmit buffer', place: 'chip', bytes: PRIORITIES * transmitBufferBytes },
      ],
    ),
    receives: nicPart(
      'receives',
      parts.receives,
      (needs) => new CachedReceiveWqes(needs),
      ({ receiveWqeCacheBytes, receiveWindowBytes }, { queuePairs }) => [
        { structure: 'receive WQE cache', place: 'chip', bytes: receiveWqeCacheBytes },
        { structure: 'receive WQE windows', place: 'chip', bytes: queuePairs * receiveWindowBytes },
      ],
    ),
    wire: nicPart('wire', parts.wire, () => roceFormat),
    recovery: nicPart('recovery', parts.recovery, ({ constants }) => goBackNTimed(timingOf(constants))),
    congestion: nicPart('congestion', parts.congestion, (options) =>
      options.control === 'dcqcn'
        ? new DeviceDcqcn(options.constants, options.portBps)
        : programmable(options),
    ),
  },
  others: {
    recovery: [
      nicPart('recovery', others.recovery[0], ({ constants }) => goBackZeroTimed(timingOf(constants))),
    ],
  },
};

function timingOf(constants: GoBackNConstants): RetransmissionTiming {
  return {
    nakHandlingPs: Math.round(constants.nakHandlingNs * 1000),
    nakEachRound: constants.nakEachRound === 1,
    ackTimeoutWaits: constants.ackTimeoutWaits,
    adaptiveBasePs: Math.round(constants.adaptiveRetransmissionUs * 1e6),
  };
}

import { srnic as onloaded } from '../../../transport/index.js';
import { PciePort } from '../../pcie/pcie-port.js';
import { type NicArchitecture, nicPart } from '../architecture.js';
import { TRANSLATION_BYTES } from '../parts/memory-ledger.js';
import { srnicFormat } from '../parts/wire-format.js';
import { programmable } from '../programmable-control.js';
import { bitmapBytes, selectiveOptions } from '../selective-parts.js';
import { DeviceDctcp } from './dctcp.js';
import { HostThread } from './host-thread.js';
import { OnDemandReceives } from './on-demand-receives.js';
import { PagedTranslations } from './paged-translations.js';
import { ResidentContexts, residentBytes } from './resident-contexts.js';
import { CacheFreeSends } from './send/cache-free-sends.js';
import { SpilledContexts } from './spilled-contexts.js';
import { srnicTable } from './table.js';

/** An entry of the schedule queue: the number of a queue pair (§4.3.1). */
const SCHEDULE_ENTRY_BYTES = 2;

const { parts, others } = srnicTable;

/**
 * SRNIC (NSDI'23): every context on chip, and next to nothing else. Send WQEs are fetched for a turn and dropped, receive
 * WQEs are read when their message has come.
 */
export const srnic: NicArchitecture = {
  ...srnicTable,
  parts: {
    bus: nicPart('bus', parts.bus, ({ constants, port }) => {
      return new PciePort({ ...port, engineReadPs: Math.round(constants.dmaReadNs * 1000) });
    }),
    contexts: nicPart(
      'contexts',
      parts.contexts,
      () => new ResidentContexts(),
      (constants) => [{ structure: 'contexts', place: 'chip', bytes: residentBytes(constants) }],
    ),
    translations: nicPart(
      'translations',
      parts.translations,
      (needs) => new PagedTranslations(needs),
      ({ translationCacheEntries, translationPageBytes }, { regionsBytes }) => [
        {
          structure: 'translation cache',
          place: 'chip',
          bytes: translationCacheEntries * TRANSLATION_BYTES,
        },
        {
          structure: 'translations',
          place: 'host',
          bytes: Math.ceil(regionsBytes / translationPageBytes) * TRANSLATION_BYTES,
        },
      ],
    ),
    sends: nicPart(
      'sends',
      parts.sends,
      (needs) => new CacheFreeSends(needs),
      ({ transmitBufferBytes, scheduleFetches, scheduleWqes, sendWqeCacheLineBytes, maxQps }) => [
        { structure: 'schedule queue', place: 'chip', bytes: SCHEDULE_ENTRY_BYTES * maxQps },
        {
          structure: 'WQEs of turns',
          place: 'chip',
          bytes: scheduleFetches * scheduleWqes * sendWqeCacheLineBytes,
        },
        { structure: 'transmit buffer', place: 'chip', bytes: transmitBufferBytes },
      ],
    ),
    receives: nicPart('receives', parts.receives, (needs) => new OnDemandReceives(needs)),
    wire: nicPart('wire', parts.wire, () => srnicFormat),
    recovery: nicPart(
      'recovery',
      parts.recovery,
      (needs) => onloaded({ ...selectiveOptions(needs.constants), slowPath: new HostThread(needs) }),
      (constants, { queuePairs }) => [
        { structure: 'bitmaps', place: 'host', bytes: queuePairs * bitmapBytes(constants) },
        {
          structure: 'control queue',
          place: 'host',
          bytes: constants.slowPathQueueEvents * constants.slowPathEventBytes,
        },
      ],
    ),
    congestion: nicPart('congestion', parts.congestion, (options) =>
      options.control === 'dctcp' ? new DeviceDctcp(options.constants) : programmable(options),
    ),
  },
  others: {
    contexts: [
      nicPart(
        'contexts',
        others.contexts[0],
        (needs) => new SpilledContexts(needs),
        ({ contextCacheEntries, residentContextBytes }, { queuePairs }) => [
          { structure: 'contexts', place: 'chip', bytes: contextCacheEntries * residentContextBytes },
          {
            structure: 'contexts',
            place: 'host',
            bytes: Math.max(0, queuePairs - contextCacheEntries) * residentContextBytes,
          },
        ],
      ),
    ],
  },
};

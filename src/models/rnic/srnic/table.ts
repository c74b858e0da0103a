import { engineBusConstants } from '../../../profiles/architecture/bus-constants.js';
import { dctcpConstants } from '../../../profiles/architecture/dctcp-constants.js';
import type { ArchitectureTable } from '../../../profiles/architecture/part-table.js';
import { onDemandReceiveConstants } from '../../../profiles/architecture/receive-constants.js';
import { onloadedConstants } from '../../../profiles/architecture/recovery-constants.js';
import { cacheFreeSendConstants } from '../../../profiles/architecture/send-constants.js';
import {
  pagedTranslationConstants,
  residentContextConstants,
  spilledContextConstants,
} from '../../../profiles/architecture/state-constants.js';
import { withoutQuirks } from '../parts/without-quirks.js';

/** SRNIC (NSDI'23): contexts on chip, no caches of WQEs, receives on demand. */
export const srnicTable = {
  name: 'srnic',
  without: withoutQuirks,
  parts: {
    bus: { name: 'engine', constants: engineBusConstants },
    contexts: { name: 'resident', constants: residentContextConstants },
    translations: { name: 'paged', constants: pagedTranslationConstants },
    sends: { name: 'cache-free', constants: cacheFreeSendConstants },
    receives: { name: 'on-demand', constants: onDemandReceiveConstants },
    wire: { name: 'srnic', constants: {} },
    recovery: { name: 'onloaded', constants: onloadedConstants, placesEarly: true },
    congestion: { name: 'dctcp', constants: dctcpConstants },
  },
  others: { contexts: [{ name: 'spilled', constants: spilledContextConstants }] },
} as const satisfies ArchitectureTable;

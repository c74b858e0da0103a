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

/** Constants of every device that stand for mechanisms of ConnectX and of the devices that were modelled like it. */
export const withoutQuirks = {
  // No packet of a READ costs more than another, and atomics wait for no READ.
  readNearBytes: 0,
  atomicReadFenceNs: 0,
  atomicFenceWindowNs: 0,
  // Packets that are sent and received share no processors.
  sharedPacketProcessors: 0,
  packetProcessorNs: 0,
  // A doorbell is a pointer and brings no WQE; re-reads of WQEs do not stop the receive engine.
  pushBytes: 0,
  missQueueShare: 0,
  wqeMissTransmitNs: 0,
  // A context is one entry, whatever its queue pair sends.
  readContextEntries: 1,
  contextElements: 0,
  // Control verbs and receives that are not posted hold nobody.
  invalidationHoldNs: 0,
  rnrHoldReliableNs: 0,
  rnrHoldUnreliableNs: 0,
  rnrHoldReliableReach: 0,
  rnrHoldUnreliableReach: 0,
} as const;

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

import type { ArchitectureTable } from '../../../profiles/architecture/part-table.js';
import { withoutQuirks } from '../srnic/table.js';

/** Port and transport alone: no bus, no caches, and engines that take no time. */
export const idealTable = {
  name: 'ideal',
  without: {
    ...withoutQuirks,
    // There is no bus: what these bound is never reached.
    pcieGeneration: 6,
    pcieLanes: 32,
    pcieGbps: 4000,
    pcieMaxPayloadBytes: 4096,
    pcieMaxReadRequestBytes: 4096,
    pcieTlpOverheadBytes: 12,
    pcieWriteGapNs: 0,
    completionScatterBytes: 0,
    completionsPerWrite: 1,
    readOutstandingBytes: 2 ** 24,
    dmaLagNs: 1e9,
    // Engines take no time.
    deviceMessageGapNs: 0,
    deviceReadGapNs: 0,
    receiveOnlyNs: 0,
    receiveMultiNs: 0,
    receiveMultiBytes: 1,
    readRequestNs: 0,
    readResponseOnlyNs: 0,
    readResponseMultiNs: 0,
    ackNs: 0,
    ackGapNs: 0,
    ackDelayNs: 0,
    fetchAddNs: 0,
    compareSwapNs: 0,
    registrationNs: 0,
    deregistrationNs: 0,
    // WQEs are at hand, whatever their size.
    inlineWqeBytes: 0,
    udInlineWqeBytes: 0,
    wqeBytes: 64,
    udWqeBytes: 64,
    wqeElementBytes: 16,
    sendWqeCacheLineBytes: 64,
    receiveWqeMissSlots: 1,
    receiveWqeMissNs: 0,
    receiveDescriptors: 65536,
  },
  parts: {
    bus: { name: 'none', constants: {} },
    contexts: { name: 'unbounded', constants: {} },
    translations: { name: 'unbounded', constants: {} },
    sends: { name: 'immediate', constants: {} },
    receives: { name: 'at-hand', constants: {} },
    wire: { name: 'roce', constants: {} },
    recovery: { name: 'go-back-n-at-once', constants: {} },
    congestion: { name: 'none', constants: {} },
  },
} as const satisfies ArchitectureTable;

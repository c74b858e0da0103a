import { type DcqcnConstants, dcqcnConstants } from './dcqcn-constants.js';
import type { ArchitectureTable } from './part-table.js';
import { type CachedReceiveConstants, cachedReceiveConstants } from './receive-constants.js';
import { type GoBackNConstants, goBackNConstants } from './recovery-constants.js';
import { type UnitSendConstants, unitSendConstants } from './send-constants.js';
import {
  type CachedContextConstants,
  type CachedTranslationConstants,
  cachedContextConstants,
  cachedTranslationConstants,
} from './state-constants.js';

/** The ConnectX line, and devices whose anomalies were explained with the same mechanisms. */
export const connectxTable = {
  name: 'connectx',
  without: {},
  parts: {
    bus: { name: 'pcie', constants: {} },
    contexts: { name: 'cached', constants: cachedContextConstants },
    translations: { name: 'cached', constants: cachedTranslationConstants },
    sends: { name: 'units', constants: unitSendConstants },
    receives: { name: 'cached', constants: cachedReceiveConstants },
    wire: { name: 'roce', constants: {} },
    recovery: { name: 'go-back-n', constants: goBackNConstants },
    congestion: { name: 'dcqcn', constants: dcqcnConstants },
  },
} as const satisfies ArchitectureTable;

/** The numbers of a device with every part of this architecture. */
export type ConnectxConstants = CachedContextConstants &
  CachedTranslationConstants &
  UnitSendConstants &
  CachedReceiveConstants &
  GoBackNConstants &
  DcqcnConstants;

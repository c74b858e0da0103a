import { dcqcnConstants } from '../../../profiles/architecture/dcqcn-constants.js';
import type { ArchitectureTable } from '../../../profiles/architecture/part-table.js';
import { cachedReceiveConstants } from '../../../profiles/architecture/receive-constants.js';
import { goBackNConstants } from '../../../profiles/architecture/recovery-constants.js';
import { unitSendConstants } from '../../../profiles/architecture/send-constants.js';
import {
  cachedContextConstants,
  cachedTranslationConstants,
} from '../../../profiles/architecture/state-constants.js';

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
  // What RoCE NICs had before (RDMA over Commodity Ethernet at Scale, SIGCOMM'16, §4.1: livelock). How long a device takes
  // to go back, and how long it waits before, does not depend on where to.
  others: { recovery: [{ name: 'go-back-0', constants: goBackNConstants }] },
} as const satisfies ArchitectureTable;

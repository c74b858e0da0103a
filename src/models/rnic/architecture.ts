import type { DeviceConstants, Settings } from '../../profiles/index.js';
import type { LossRecovery } from '../../transport/index.js';
import type { CongestionFactory } from './parts/congestion-factory.js';
import type { ContextStore } from './parts/context-store.js';
import type { MemoryLedger, MemoryUse } from './parts/memory-ledger.js';
import type { NicParts, ReceiveWqeParts, SendPathParts } from './parts/nic-parts.js';
import type { ReceiveWqeSource } from './parts/receive-wqe-source.js';
import type { SendPath } from './parts/send-path.js';
import type { TranslationStore } from './parts/translation-store.js';

/** What the congestion control of a device depends on. */
export interface CongestionOptions {
  readonly constants: DeviceConstants;
  /** Rate of the device's port. */
  readonly portBps: number;
  readonly control: Settings['congestionControl'];
}

/**
 * How a NIC is built: the parts that architectures differ in. The device profile names one (`architecture`). The rest of
 * a NIC (port, receive engine, acknowledgements, PCIe, accounts of tenants) is the same for all; each part can be
 * replaced alone.
 */
export interface NicArchitecture {
  readonly name: string;
  contexts(parts: NicParts): ContextStore;
  translations(parts: NicParts): TranslationStore;
  sendPath(parts: SendPathParts): SendPath;
  receiveWqes(parts: ReceiveWqeParts): ReceiveWqeSource;
  recovery(): LossRecovery;
  congestion(options: CongestionOptions): CongestionFactory;
  /** The memory of every structure, from the constants that the timing model uses. */
  ledger(constants: DeviceConstants, use: MemoryUse): MemoryLedger;
}

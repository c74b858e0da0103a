import type { DcqcnConstants } from './dcqcn-constants.js';
import type { CachedReceiveConstants } from './receive-constants.js';
import type { GoBackNConstants } from './recovery-constants.js';
import type { UnitSendConstants } from './send-constants.js';
import type { CachedContextConstants, CachedTranslationConstants } from './state-constants.js';

/** The numbers of a device with every part of this architecture. */
export type ConnectxConstants = CachedContextConstants &
  CachedTranslationConstants &
  UnitSendConstants &
  CachedReceiveConstants &
  GoBackNConstants &
  DcqcnConstants;

import { goBackN, noCongestionControl } from '../../../transport/index.js';
import type { CongestionOptions, NicArchitecture } from '../architecture.js';
import type { CongestionFactory } from '../parts/congestion-factory.js';
import { CachedContexts } from './cached-contexts.js';
import { CachedTranslations } from './cached-translations.js';
import { DeviceDcqcn } from './dcqcn.js';
import { connectxLedger } from './ledger.js';
import { CachedReceiveWqes } from './receive/cached-receive-wqes.js';
import { ConnectxSendPath } from './send/send-path.js';

/** Nothing slows queue pairs down, and marked packets cause nothing. */
const uncontrolled: CongestionFactory = { control: () => noCongestionControl, notification: null };

/**
 * The architecture of the ConnectX line, as its papers found it: contexts and translations in host memory behind caches,
 * WQEs that are read ahead, go-back-N, DCQCN.
 */
export const connectx: NicArchitecture = {
  name: 'connectx',
  contexts: (parts) => new CachedContexts(parts),
  translations: (parts) => new CachedTranslations(parts),
  sendPath: (parts) => new ConnectxSendPath(parts),
  receiveWqes: (parts) => new CachedReceiveWqes(parts),
  recovery: () => goBackN,
  congestion: ({ constants, portBps, control }: CongestionOptions) =>
    control === 'dcqcn' ? new DeviceDcqcn(constants, portBps) : uncontrolled,
  ledger: connectxLedger,
};

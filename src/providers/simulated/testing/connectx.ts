import type { Rnic } from '../../../models/index.js';
import { ConnectxSendPath } from '../../../models/rnic/connectx/send/send-path.js';

/** The send path of a device whose architecture is `connectx`, with the parts that only tests look at. */
export function connectxSendPath(nic: Rnic): ConnectxSendPath {
  if (nic.sendPath instanceof ConnectxSendPath) return nic.sendPath;
  throw new Error(`${nic.name} has another architecture`);
}

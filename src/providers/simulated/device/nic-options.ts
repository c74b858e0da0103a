import { KelpieError } from '../../../error.js';
import type { NicArchitecture, OrderingPointOptions, Rnic } from '../../../models/index.js';
import type { HostConstants } from '../../../profiles/index.js';
import type { LossRecovery } from '../../../transport/index.js';

/** The ordering point of a host with strict ordering. */
export function orderingOf(constants: HostConstants): OrderingPointOptions {
  return {
    psPerByte: 8000 / constants.orderingGbps,
    depthBytes: constants.orderingDepthBytes,
    turnPs: Math.round(constants.orderingTurnNs * 1000),
    postedBytes: constants.orderingPostedBytes,
  };
}

/** The loss recovery of a NIC, which must be what its table tells programs: ARCHITECTURE_CLASH. */
export function recoveryOf({ parts }: NicArchitecture, nic: Rnic): LossRecovery {
  const { name, placesEarly = false } = parts.recovery;
  const recovery = parts.recovery.make(nic);
  if (recovery.selective === placesEarly) return recovery;
  throw new KelpieError(
    'ARCHITECTURE_CLASH',
    'a loss recovery and its table differ in what they place early',
    {
      field: `architecture.recovery ${name}`,
      given: placesEarly,
      allowed: String(recovery.selective),
    },
  );
}

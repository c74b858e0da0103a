import type { NicArchitecture } from '../../models/index.js';
import type { DeviceConstants, HostConstants } from '../../profiles/index.js';
import { capabilitiesWithout } from '../../verbs/base/index.js';
import type { Capabilities, DeviceAttr, PortAttr } from '../../verbs/index.js';

const IN_ORDER = capabilitiesWithout({});
const IN_PLACE = capabilitiesWithout({
  inOrderPlacement: 'its loss recovery puts what comes out of order in its place at once',
});

/** What a simulated device can do: every verb there is; its loss recovery says in what order bytes become visible. */
export function capabilitiesOf({ parts }: NicArchitecture): Capabilities {
  return parts.recovery.placesEarly === true ? IN_PLACE : IN_ORDER;
}

/** The limits that the verbs report. A region is no larger than the memory of the host. */
export function deviceLimits(constants: DeviceConstants, { memoryGigabytes }: HostConstants): DeviceAttr {
  return {
    maxQp: constants.maxQps,
    maxQpWr: constants.maxWorkRequests,
    maxSge: constants.maxElements,
    maxSgeRd: constants.maxElements,
    maxCq: constants.maxQps * 2,
    maxCqe: 1 << 22,
    maxMr: constants.maxMrs,
    maxMrBytes: Math.min(2 ** 40, memoryGigabytes * 1e9),
    maxMw: constants.maxMrs,
    maxPd: 1 << 20,
    maxAh: 1 << 20,
    maxSrq: 1 << 20,
    maxSrqWr: constants.maxWorkRequests,
    maxSrqSge: constants.maxElements,
    maxQpRdAtom: constants.maxOutstandingReads,
    maxQpInitRdAtom: constants.maxOutstandingReads,
    maxInlineData: constants.maxInlineBytes,
    maxMessageBytes: 2 ** 31,
    physPortCnt: 1,
  };
}

/** The port: as fast as the slower of device and cable, whose rate is 0 where the port decides. */
export function portAttr(device: DeviceConstants, cableGbps: number | null): PortAttr {
  const gbps = cableGbps === null || cableGbps === 0 ? device.portGbps : Math.min(device.portGbps, cableGbps);
  const state = cableGbps === null ? 'DOWN' : 'ACTIVE';
  return { state, activeMtu: 4096, maxMtu: 4096, gidTableLength: 1, lineRateBps: gbps * 1e9 };
}

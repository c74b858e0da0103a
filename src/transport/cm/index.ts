/**
 * Communication management as a pure state machine: REQ, MRA, REJ, REP, RTU, DREQ and DREP in both roles, with
 * retransmission, duplicates and limits (IBTA vol. 1, chapter 12), and RDMA-CM's addressing header (annex A11). SIDR
 * names queue pairs of datagrams; other paths (LAP) are refused by name.
 *
 * @example
 * const agent = new CmAgent(device, { caGuid: 0x0200_0000_0000_0001n });
 * const request = { peer, localGid, serviceId: rdmaCmServiceId(7174), qpn, startingPsn, pathMtuCode: 3 };
 * const connection = agent.connect(request, nowNs);
 *
 * @module
 */
export { addressKey } from './admission.js';
export * from './agent.js';
export * from './cm-device.js';
export { CmConnection } from './connection.js';
export type { CmEvent } from './event.js';
export { type CmLimits, cmLimits, TRUSTED_CM_LIMITS } from './limits.js';
export type { CmRequest } from './request.js';
export type { DatagramQueuePair } from './service-desk.js';
export * from './timing.js';
export { URGENCIES, Urgency } from './triage.js';

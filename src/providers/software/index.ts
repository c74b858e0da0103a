/**
 * The software provider: RoCEv2 devices in a Node process, over plain UDP, without a kernel module and without root. The
 * package koffi is optional: with it the sockets have batches, offloads and ECN.
 *
 * @example
 * import { Access, connectRcPair, waitForCompletion } from 'kelpie';
 * import { loopbackAddress, SoftwareProvider } from 'kelpie/software';
 *
 * const provider = new SoftwareProvider();
 * const contexts = await Promise.all([provider.open(loopbackAddress(10)), provider.open(loopbackAddress(11))]);
 * const [a, b] = connectRcPair(...contexts);
 * const target = b.pd.regMr(new Uint8Array(64), Access.LOCAL_WRITE);
 * b.qp.postRecv({ sgList: [{ addr: target.addr, length: 64, lkey: target.lkey }] });
 * const source = a.pd.regMr(new TextEncoder().encode('hello'), Access.LOCAL_WRITE);
 * a.qp.postSend({ opcode: 'SEND', sgList: [{ addr: source.addr, length: 5, lkey: source.lkey }] });
 * const { byteLen } = await waitForCompletion(b.recvCq);
 * console.log(byteLen); // 5
 * await Promise.all(contexts.map((context) => context.close()));
 *
 * @module
 */
export { SOFTWARE_LIMITS } from './capabilities.js';
export { type SoftwareControl, softwareControls } from './device/congestion.js';
export { type RecoveryName, softwareRecoveries } from './device/recovery.js';
export { type MachineSupport, examineMachine, type SocketDiagnosis } from './diagnosis.js';
export { type FrameLinkOptions, openFrameLink, scheduleTimeout } from './link/frame-link.js';
export type { LinkKind, LinkOptions } from './link/link-options.js';
export { openUdpLink } from './link/open-link.js';
export { loopbackAddress } from './loopback-address.js';
export type { ManagementDatagram } from './packets/inbox.js';
export { SoftwareContext, type SoftwareOptions, SoftwareProvider } from './provider.js';

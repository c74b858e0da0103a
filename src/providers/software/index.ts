/**
 * The software provider: RoCEv2 devices in a Node process, over plain UDP, without a kernel module and without root.
 *
 * @module
 */
export { type Diagnosis, diagnose, type SocketDiagnosis } from './diagnosis.js';
export type { ManagementDatagram } from './inbox.js';
export { type FrameLinkOptions, openFrameLink, scheduleTimeout } from './link/frame-link.js';
export type { LinkKind, LinkOptions } from './link/link-options.js';
export { openUdpLink } from './link/open-link.js';
export { loopbackAddress } from './loopback-address.js';
export { SoftwareContext, type SoftwareOptions, SoftwareProvider } from './provider.js';

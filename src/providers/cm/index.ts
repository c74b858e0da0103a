/**
 * RDMA-CM behind the verbs, once for all providers: connections, requests and listeners over the agent of
 * `transport/cm`. A provider gives it a {@link ManagementDevice}; those in virtual time share {@link VirtualManagement}.
 *
 * @module
 */
export { BaseConnectionManager } from './connection-manager.js';
export { ConnectionService } from './connection-service.js';
export type { ManagementDevice, ManagementListener } from './management-device.js';
export { VirtualManagement } from './virtual-management.js';

/**
 * The narrow waist: everything that a program can do to an RDMA subsystem, in rdma-core's own words. Jobs and
 * workloads are written against these types and run on every provider; providers implement them and prove it with
 * the contract suite.
 *
 * @module
 */
export * from './access.js';
export type * from './address-handle.js';
export type * from './async-event.js';
export type * from './clock.js';
export type * from './completion-queue.js';
export * from './connect.js';
export type * from './connection-manager.js';
export type * from './context.js';
export type * from './device.js';
export * from './error.js';
export type * from './memory.js';
export type * from './protection-domain.js';
export type * from './provider.js';
export * from './qp-state.js';
export type * from './queue-pair.js';
export * from './reject-reason.js';
export type * from './shared-receive-queue.js';
export type * from './thread.js';
export * from './wait.js';
export * from './work-completion.js';
export type * from './work-request.js';

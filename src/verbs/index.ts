/**
 * The narrow waist: everything that a program can do to an RDMA subsystem, in rdma-core's own words. Jobs and
 * workloads are written against these types and run on every provider; providers implement them and prove it with
 * the contract suite.
 *
 * @example
 * import { IdealProvider } from 'kelpie';
 * import { Access, connectRcPair, type Provider, waitForCompletion } from 'kelpie/verbs';
 *
 * // Written against the verbs, so it runs on every provider.
 * async function fetchAndAdd(provider: Provider, left: string, right: string): Promise<bigint> {
 *   const [a, b] = connectRcPair(await provider.open(left), await provider.open(right));
 *   const old = new Uint8Array(8);
 *   const counter = new Uint8Array(8);
 *   counter[0] = 41;
 *   const local = a.pd.regMr(old, Access.LOCAL_WRITE);
 *   const remote = b.pd.regMr(counter, Access.LOCAL_WRITE | Access.REMOTE_ATOMIC);
 *   a.qp.postSend({
 *     opcode: 'ATOMIC_FETCH_AND_ADD',
 *     sgList: [{ addr: local.addr, length: 8, lkey: local.lkey }],
 *     remoteAddr: remote.iova,
 *     rkey: remote.rkey,
 *     compareAdd: 1n,
 *     signaled: true,
 *   });
 *   await waitForCompletion(a.sendCq);
 *   return new DataView(old.buffer).getBigUint64(0, true);
 * }
 *
 * console.log(await fetchAndAdd(new IdealProvider(), 'ideal0', 'ideal1')); // 41n
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
export * from './remote-address.js';
export * from './send-list.js';
export type * from './shared-receive-queue.js';
export type * from './thread.js';
export * from './wait.js';
export * from './work-completion.js';
export type * from './work-request.js';

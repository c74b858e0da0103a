/**
 * Kelpie: a laboratory for RDMA subsystems. The verbs, and the providers that run in any JavaScript engine. Every part has
 * a face of its own beside this one: `kelpie/testbeds`, `kelpie/workload`, `kelpie/hunt`, `kelpie/wire` and so on.
 *
 * @example
 * import { Access, connectRcPair, SimulatedProvider, waitForCompletion } from 'kelpie';
 *
 * const provider = new SimulatedProvider({ subsystem: 'collie-f' });
 * const [a, b] = connectRcPair(await provider.open('sim0'), await provider.open('sim1'));
 * const source = a.pd.regMr(new Uint8Array(4096), Access.LOCAL_WRITE);
 * const target = b.pd.regMr(new Uint8Array(4096), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
 * a.qp.postSend({
 *   opcode: 'RDMA_WRITE',
 *   sgList: [{ addr: source.addr, length: 4096, lkey: source.lkey }],
 *   remoteAddr: target.iova,
 *   rkey: target.rkey,
 *   signaled: true,
 * });
 * const { status } = await waitForCompletion(a.sendCq);
 * console.log(status); // SUCCESS
 *
 * @module
 */
export { type ErrorDetail, KelpieError } from './error.js';
export { type IdealOptions, IdealProvider } from './providers/ideal/index.js';
export { type SimulatedOptions, SimulatedProvider } from './providers/simulated/index.js';
export * from './verbs/index.js';

/**
 * The simulated provider: an RDMA subsystem in virtual time. The same seed and version give the same bits.
 *
 * @example
 * import { Access, connectRcPair, waitForCompletions } from 'kelpie';
 * import { SimulatedProvider } from 'kelpie/simulated';
 *
 * const provider = new SimulatedProvider({ subsystem: 'collie-f', seed: 7 });
 * const [a, b] = connectRcPair(await provider.open('sim0'), await provider.open('sim1'));
 * const source = a.pd.regMr(new Uint8Array(65536), Access.LOCAL_WRITE);
 * const target = b.pd.regMr(new Uint8Array(65536), Access.LOCAL_WRITE | Access.REMOTE_WRITE);
 * const sgList = [{ addr: source.addr, length: 65536, lkey: source.lkey }];
 * for (let wrId = 0; wrId < 100; wrId++) {
 *   const remote = { remoteAddr: target.iova, rkey: target.rkey };
 *   a.qp.postSend({ opcode: 'RDMA_WRITE', wrId, sgList, ...remote, signaled: true });
 * }
 * const startNs = a.context.clock.nowNs;
 * await waitForCompletions(a.sendCq, { count: 100 });
 * const gbps = (100 * 65536 * 8) / (a.context.clock.nowNs - startNs);
 * console.log(gbps > 100 && gbps < 200); // true
 *
 * @module
 */
export {
  type BufferPolicy,
  type BufferPorts,
  type ContextStore,
  connectx,
  type LedgerRow,
  type LinkReading,
  ledgerOf,
  type Mechanism,
  type MemoryLedger,
  type MemoryUse,
  mechanisms,
  type NicArchitecture,
  type NicPart,
  type NicPartSet,
  nicPart,
  ThresholdBuffer,
} from '../../models/index.js';
export { type SimulatedOptions, SimulatedProvider } from './provider.js';
export type { Impairment } from './taps/impairment.js';
export type { BufferPolicyMaker, WorldFabricMaker } from './world/fabric.js';

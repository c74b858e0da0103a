/**
 * The contract suite of the verbs: what every provider promises, as cases that any test framework, a command or a
 * browser can run.
 *
 * @example
 * import { IdealProvider } from 'kelpie';
 * import { contractCases, runContract } from 'kelpie/contract';
 *
 * async function open() {
 *   const provider = new IdealProvider();
 *   const [left, right] = await Promise.all([provider.open('ideal0'), provider.open('ideal1')]);
 *   return { left, right, lossless: true, close: async () => {} };
 * }
 * const cases = contractCases.filter(({ group }) => group === 'atomics');
 * const report = await runContract({ name: 'ideal', open, cases });
 * console.log(report.failed.length); // 0
 *
 * @module
 */

export type { Capability } from '../device.js';
export { contractCases } from './cases.js';
export type { ContractDevices } from './kit/bench.js';
export type { ContractCase, Need } from './kit/case.js';
export * from './kit/run.js';
export * from './kit/suite.js';

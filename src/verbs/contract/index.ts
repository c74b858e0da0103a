/**
 * The contract suite of the verbs: what every provider promises, as cases that any test framework, a command or a
 * browser can run.
 *
 * @module
 */

export { contractCases } from './cases.js';
export type { ContractDevices } from './kit/bench.js';
export type { Feature } from '../device.js';
export type { ContractCase, Need } from './kit/case.js';
export * from './kit/run.js';
export * from './kit/suite.js';

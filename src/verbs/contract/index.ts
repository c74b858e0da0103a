/**
 * The contract suite of the verbs: what every provider promises, as cases that any test framework, a command or a
 * browser can run.
 *
 * @module
 */
export type { ContractDevices } from './bench.js';
export type { ContractCase, Feature, Need } from './case.js';
export { contractCases } from './cases.js';
export * from './run.js';
export * from './suite.js';

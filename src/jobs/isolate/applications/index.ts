export { allReduce } from './all-reduce.js';
export type { Application } from './application.js';
export type { ApplicationAttack } from './attacks.js';
export { keyValue } from './key-value.js';
export { type ApplicationResult, runApplication } from './run.js';

export { allReduce } from './all-reduce.js';
export type { Application, ApplicationSite, RunningApplication } from './application.js';
export { type ApplicationAttack, applicationAttacks } from './attacks.js';
export { keyValue } from './key-value.js';
export { type ApplicationResult, type ApplicationTask, runApplication } from './run.js';

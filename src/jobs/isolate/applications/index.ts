export type { ApplicationAttack } from './attacks.js';
export { type ApplicationResult, runApplication } from './run.js';

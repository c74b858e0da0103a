/**
 * Justitia: isolation by pacing, in software.
 *
 * @module
 */
export type { SchemeConstant } from './constants.js';
export { justitia, justitiaRelaxed, justitiaWith } from './justitia.js';

/**
 * Justitia: isolation by pacing, in software.
 *
 * @module
 */
export { JUSTITIA, type SchemeConstant } from './constants.js';
export { justitia, justitiaRelaxed, justitiaWith } from './justitia.js';
export { Pacer } from './pacer.js';

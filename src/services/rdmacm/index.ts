/**
 * The other side of librdmacm's small programs.
 *
 * @example
 * await runCmProgram(context, manager, 'ucmatose', {});
 *
 * @module
 */
export {
  CM_PROGRAM_PORT,
  CM_PROGRAMS,
  type CmProgramName,
  type CmProgramOptions,
  runCmProgram,
} from './program.js';
export { runUdaddy, UDADDY_PORT } from './udaddy.js';

/**
 * What testbeds and jobs use of Node: the software provider for testbeds.
 *
 * @example
 * registerProvider(softwareProvider);
 * const testbed = await openTestbed({ provider: 'software', hosts: 2 });
 *
 * @module
 */
export { softwareProvider } from './software-testbed.js';

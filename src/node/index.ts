/**
 * What testbeds and jobs use of Node: the software provider for testbeds.
 *
 * @example
 * import { softwareProvider } from 'kelpie/node';
 * import { openTestbed, registerProvider } from 'kelpie/testbeds';
 *
 * registerProvider(softwareProvider);
 * const testbed = await openTestbed({ provider: 'software', hosts: 2 });
 * console.log(testbed.hosts.length); // 2
 * await testbed.close();
 *
 * @module
 */
export { softwareProvider } from './software-testbed.js';

import type { CmMessage } from '../../wire/cm/index.js';

/** The private data of a DREP that says: there is no such connection here. */
export const NO_SUCH_CONNECTION: Uint8Array = new TextEncoder().encode('kelpie: no such connection');

/** Whether an answer to a question says that its address did not ask for anything. */
export function saysNoSuchConnection(drep: CmMessage & { kind: 'drep' }): boolean {
  return NO_SUCH_CONNECTION.every((byte, at) => drep.privateData[at] === byte);
}

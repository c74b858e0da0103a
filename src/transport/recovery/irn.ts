import type { SelectiveRecovery } from './loss-recovery.js';
import { type SelectiveOptions, selectiveOptions } from './selective-options.js';
import { SelectiveRequester } from './selective-requester.js';
import { SelectiveResponder } from './selective-responder.js';

/**
 * IRN's loss recovery (SIGCOMM 2018): selective repeat with bitmaps in the NIC, a window of one BDP, and two timeouts.
 *
 * @example
 * transportContext(packets, wqes, memory, device, { lossRecovery: irn({ windowPackets: 500 }) });
 */
export function irn(options: Partial<SelectiveOptions> = {}): SelectiveRecovery {
  const complete = selectiveOptions(options);
  const { windowPackets } = complete;
  return {
    name: 'irn',
    selective: true,
    windowPackets,
    requester: (resender) => new SelectiveRequester(resender, complete),
    responder: (keeper) => new SelectiveResponder(keeper, windowPackets),
  };
}

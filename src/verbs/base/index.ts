/**
 * The provider-independent core of the verbs: every object, check, queue and table that is not the carrying of
 * messages. A provider implements {@link QueuePairCarrier} and opens {@link BaseContext}s with it.
 *
 * @example
 * const context = new BaseContext({ deviceName: 'mine0', carrier, clock, capabilities, device, ports,
 *   qpNumbers: new QpNumbers(), addresses: new AddressSpace(), random: () => generator.nextUint32(), parseGid });
 *
 * @module
 */

export { capabilitiesWithout } from './capabilities.js';
export type { QueuePairCarrier } from './carrier.js';
export * from './codes.js';
export { AddressSpace } from './memory/address-space.js';
export { executeAtomic } from './memory/atomics.js';
export { copyBytes } from './memory/copy.js';
export type { RandomWords } from './memory/key-index.js';
export { EntryKind, KeyCheck, MemoryTable } from './memory/memory-table.js';
export { checkList, checkPart, copyMessage, gather, scatter } from './memory/scatter-gather.js';
export { BaseAddressHandle } from './objects/address-handle.js';
export { BaseCompletionQueue } from './objects/completion-queue.js';
export { BaseContext } from './objects/context.js';
export { BaseProtectionDomain } from './objects/protection-domain.js';
export { receivesIn } from './objects/qp-attributes.js';
export { BaseQueuePair } from './objects/queue-pair.js';
export type { DoorbellPath, Poster, PostingCosts } from './poster.js';
export { QpNumbers } from './qp-numbers.js';
export { CqeFlag } from './queues/cqe-pool.js';
export { type Awaited, Mailbox } from './queues/mailbox.js';
export { checkSend } from './queues/post-send.js';
export { ReceiveQueue } from './queues/receive-queue.js';
export { Phase, WqeFlag, WqePool } from './queues/wqe-pool.js';
export { ackTimeoutNs, rnrTimerNs } from './timers.js';

/**
 * The provider-independent core of the verbs: every object, check, queue and table that is not the carrying of
 * messages. A provider implements {@link QueuePairEngine} and opens {@link BaseContext}s with it.
 *
 * @example
 * const context = new BaseContext({ deviceName: 'mine0', engine, clock, capabilities, device, ports,
 *   qpNumbers: new QpNumbers(), addresses: new AddressSpace(), random: () => generator.nextUint32(), parseGid });
 *
 * @module
 */
export { BaseAddressHandle } from './address-handle.js';
export { AddressSpace } from './address-space.js';
export { executeAtomic } from './atomics.js';
export * from './codes.js';
export { BaseCompletionChannel } from './completion-channel.js';
export { BaseCompletionQueue } from './completion-queue.js';
export { BaseContext, type ContextOptions } from './context.js';
export { copyBytes } from './copy.js';
export { CqeFlag, CqePool } from './cqe-pool.js';
export type { QueuePairEngine } from './engine.js';
export { KeyCipher, type RandomWords } from './key-cipher.js';
export { BaseMemoryRegion } from './memory-region.js';
export { EntryKind, KeyCheck, MAX_MEMORY_ENTRIES, MemoryTable } from './memory-table.js';
export { BaseMemoryWindow } from './memory-window.js';
export { checkSend } from './post-send.js';
export { BaseProtectionDomain } from './protection-domain.js';
export { QpAttributes, receivesIn } from './qp-attributes.js';
export { QpNumbers } from './qp-numbers.js';
export { BaseQueuePair } from './queue-pair.js';
export { ReceiveQueue } from './receive-queue.js';
export { checkList, copyMessage, gather, scatter } from './scatter-gather.js';
export { SendQueue } from './send-queue.js';
export { SgeArena } from './sge-arena.js';
export { BaseSharedReceiveQueue } from './shared-receive-queue.js';
export { ackTimeoutNs, rnrTimerNs } from './timers.js';
export { Phase, WqeFlag, WqePool } from './wqe-pool.js';

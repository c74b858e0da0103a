export { eventTurn } from './event-turn.js';
export { errorOf, type Failure, failureOf } from './failure.js';
export { InProcessPool } from './in-process-pool.js';
export { MemoryStore } from './memory-store.js';
export type { Pool, TaskOptions } from './pool.js';
export type { Store, StoreKey } from './store.js';

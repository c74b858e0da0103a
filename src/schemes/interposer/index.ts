/**
 * What every scheme between tenants and their verbs is built on: the verbs passed through, object by object, with a
 * place to stand in the way of sends and completions.
 *
 * @module
 */
export { InterposedCompletionQueue } from './completion-queue.js';
export { type InterposeContextOptions, InterposedContext } from './context.js';
export { HIDDEN, type Intercept } from './intercept.js';
export { connectOwn, type OwnEnd } from './loopback.js';
export { canBeCut, pieceOf, sliceOfList } from './pieces.js';
export { Part } from './posted-ring.js';
export { InterposedProtectionDomain } from './protection-domain.js';
export { InterposedQueuePair } from './queue-pair.js';
export { unwrapRequest, unwrapRequests } from './requests.js';
export { SendPath, type Waiting } from './send-path.js';
export { type SchemeSeat, SoftwareInterposer, type TenantSeat } from './software-scheme.js';
export type { Tenancy } from './tenancy.js';
export { Worker } from './worker.js';

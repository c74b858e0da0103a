/**
 * What every scheme between tenants and their verbs is built on: the verbs passed through, object by object, with a
 * place to stand in the way of sends and completions.
 *
 * @module
 */
export { InterposedContext } from './context.js';
export { connectOwn } from './loopback.js';
export { canBeCut, pieceOf, sliceOfList } from './pieces.js';
export { Part } from './posted-ring.js';
export { InterposedQueuePair } from './queue-pair.js';
export { SendPath, type Waiting } from './send-path.js';
export { type SchemeSeat, SoftwareInterposer } from './software-scheme.js';
export { Worker } from './worker.js';

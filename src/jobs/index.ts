/**
 * What jobs run on: pools that run their tasks, and stores that keep what must outlive them. A hunt, a matrix or a row
 * runs here, one task at a time, unless it is given a pool; `kelpie/node` has one of threads, and a store on disk.
 *
 * @example
 * import { HuntArchive, type HuntTask, hunt, orderHunt } from 'kelpie/hunt';
 * import { InProcessPool, MemoryStore, runJobTask } from 'kelpie/jobs';
 *
 * const pool = new InProcessPool((task: HuntTask) => runJobTask(task));
 * const hunts = new HuntArchive(new MemoryStore());
 * const order = orderHunt({ budget: '5' });
 * const { id } = await hunts.create(order);
 * await hunt(order, { pool, archive: { hunts, id } });
 * console.log((await hunts.experiments(id)).length > 4); // true
 *
 * @module
 */
export { inProcessJobs, type JobAnswer, type JobPool, type JobTask, runJobTask } from './job-task.js';
export { eventTurn, InProcessPool, MemoryStore, type Pool, type Store, type StoreKey } from './pool/index.js';

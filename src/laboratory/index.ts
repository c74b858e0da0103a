/**
 * The laboratory behind its page: a desk that takes jobs, has them run and keeps what comes of them, and what a page shows
 * of a run: the sentence, the picture with its queues, where each byte and nanosecond went. Free of Node: `kelpie serve`
 * and the page without a server work on it alike.
 *
 * @example
 * import { MemoryStore } from 'kelpie/jobs';
 * import { catalogueOf, Crew, crewWorker, Desk, FIRST_SETUP, headlineOf, requestOf } from 'kelpie/laboratory';
 *
 * // A crew of workers in this thread; in a page they are web workers, in a server threads.
 * const crew = new Crew(1, (onMessage) => {
 *   const heard = crewWorker({ post: onMessage, wallClock: () => 0 });
 *   return { post: (message) => void heard(message), end: () => {} };
 * });
 * const desk = new Desk({ catalogue: catalogueOf(1), crew, store: new MemoryStore(), nowMs: Date.now });
 * const id = await desk.start(requestOf(FIRST_SETUP));
 * const result = await desk.result(id);
 * console.log(result?.job === 'run' && headlineOf(result.measurement).mood); // pause
 * await desk.close();
 *
 * @module
 */
export type {
  FindView,
  JobEntry,
  JobEvent,
  JobId,
  JobManner,
  JobRequest,
  JobResult,
  JobState,
  LaboratoryBackend,
  RunRequest,
} from './desk/backend.js';
export { isLast } from './desk/backend.js';
export { type Catalogue, catalogueOf, type SubsystemEntry } from './desk/catalogue.js';
export { Crew, type FromWorker, type Hire, type ToWorker, type Worker } from './desk/crew.js';
export { crewWorker, type WorkerPlace } from './desk/crew-worker.js';
export { Desk, type DeskOptions } from './desk/desk.js';
export { type DeskCall, type DeskReply, DistantDesk, deskPort } from './desk/desk-port.js';
export { JobLog } from './desk/job-log.js';
export { checkRequest, LABORATORY_JOBS, type JobHost, runJob } from './desk/run-job.js';
export { type CurvePoint, curveOf, curvePoints } from './setup/curve.js';
export { type SetupLink, type Linked, LinkFault, linkText, readLink } from './setup/link.js';
export {
  CHOICES,
  changed,
  commandOf,
  FIRST_SETUP,
  followed,
  keyOf,
  requestOf,
  type Setup,
  SLIDERS,
  setupWorkload,
  workloadText,
} from './setup/setup.js';
export { type RunBudget, budgetOf } from './view/budget.js';
export { levelText, type Picture, pictureOf } from './view/picture.js';
export { type Headline, headlineOf, type RunReading, runReadingOf, timeText } from './view/reading.js';

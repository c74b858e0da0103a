/** What the page of the laboratory runs on, in a tab and behind a server; it has no `node:` module. */
export type {
  Catalogue,
  JobEntry,
  JobEvent,
  JobId,
  JobRequest,
  JobResult,
  LaboratoryBackend,
} from './backend.js';
export { isLast } from './backend.js';
export { catalogueOf } from './catalogue.js';
export { JobLog } from './job-log.js';
export { checkRequest, type JobHost, runJob } from './run-job.js';

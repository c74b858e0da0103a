/**
 * Campaigns: one job over many subsystems, values and seeds, as tasks that any number of machines can run. Runs in a
 * browser; who has threads or a queue passes a carrier in.
 *
 * @example
 * import { CampaignArchive, mergedLine, parseCampaign, PoolCarrier, runCampaign, runCampaignTask } from 'kelpie/campaign';
 * import { InProcessPool, MemoryStore } from 'kelpie/jobs';
 *
 * const order = parseCampaign('name: quick\njob: rehearsal\ntasks: 3\ndraws: 10\nseeds: [1, 2]', 'quick.yaml', () => '');
 * const archive = new CampaignArchive(new MemoryStore());
 * const entry = await archive.create(order, 0);
 * const pool = new InProcessPool(runCampaignTask);
 * const { signal } = new AbortController();
 * await runCampaign(entry, { archive, carrier: new PoolCarrier(pool, { nowMs: () => performance.now(), signal }) });
 * let lines = 0;
 * for await (const record of archive.records(entry.id)) if (mergedLine(record).includes('drawn')) lines++;
 * console.log(lines); // 6
 *
 * @module
 */
export { CampaignArchive, type CampaignEntry, type CampaignState, type TaskRecord } from './archive.js';
export { type CampaignAssertion, parseCampaignAssertion } from './assertion.js';
export { type Axis, type CampaignPoint, showPoint } from './axis.js';
export {
  failureOf,
  PoolCarrier,
  type TaskCall,
  type TaskCarrier,
  type TaskPool,
  type TaskReply,
} from './carrier.js';
export { JOBS, type JobName } from './description.js';
export { type WorseWhen, worseWhen } from './direction.js';
export {
  deviceLabel,
  HARDWARE_LABEL,
  HOST_LABEL,
  type HostExamination,
  type HostExaminer,
  type HostRequest,
  hostLabel,
  type WayExamination,
  type WayProber,
  type WayRequest,
} from './host.js';
export type { TaskRun } from './kind.js';
export { type Abilities, isAble, type Needs, needsOf, needsToken } from './needs.js';
export {
  allNeeds,
  type CampaignOrder,
  campaignJsonSchema,
  machinesAt,
  needsAt,
  parseCampaign,
  taskAt,
  taskCount,
} from './order.js';
export type { WorkerPresence } from './presence.js';
export { type CampaignProgress, type CampaignSight, ProgressMeter } from './progress.js';
export type { RackFinding, RackSummary, RackWay } from './rack.js';
export type { TextReader } from './reader.js';
export { type CampaignOptions, runCampaign } from './runner.js';
export {
  type AssertionSummary,
  type CampaignSummary,
  type MetricChange,
  mergedLine,
  summariseCampaign,
  worsened,
} from './summary.js';
export { type CampaignTask, runCampaignTask, type TaskOutcome, taskIdentity } from './task.js';
export { hasWays, type Way, wayOf } from './way.js';

import type { CampaignProgress, WorkerPresence } from '../../jobs/campaign/index.js';
import { Exposition } from '../../jobs/exposition.js';

/** What a controller tells Prometheus. */
export function campaignMetrics(now: CampaignProgress, workers: readonly WorkerPresence[]): string {
  const text = new Exposition('kelpie');
  const { id, name, measured, refused, failed, tasks } = now;
  const campaign = { campaign: String(id), name };
  text.family('campaign_tasks', 'gauge', 'Tasks by state.');
  const states = { measured, refused, failed, left: tasks - measured - refused - failed };
  for (const [state, count] of Object.entries(states)) text.sample({ ...campaign, state }, count);
  text.family('campaign_found', 'gauge', 'Runs with findings.');
  text.sample(campaign, now.found);
  text.family('campaign_repeated_total', 'counter', 'Tasks that were retried.');
  text.sample(campaign, now.repeated);
  text.family('campaign_results_per_second', 'gauge', 'Recent results per second.');
  text.sample(campaign, now.perSecond);
  text.family('campaign_left_seconds', 'gauge', 'Estimated time left.');
  text.sample(campaign, now.leftS);
  text.family('campaign_workers', 'gauge', 'Workers heard from recently.');
  text.sample(campaign, workers.length);
  text.family('campaign_worker_done_total', 'counter', 'Results by worker.');
  for (const { name: worker, done } of now.workers) text.sample({ ...campaign, worker }, done);
  return text.end();
}

/** What a worker tells Prometheus. */
export function workerMetrics({
  name,
  threads,
  running,
  done,
  failed,
  refused,
  busyMs,
}: WorkerPresence): string {
  const text = new Exposition('kelpie');
  const worker = { worker: name };
  text.family('worker_threads', 'gauge', 'Tasks that run at a time.');
  text.sample(worker, threads);
  text.family('worker_running', 'gauge', 'Tasks that run now.');
  text.sample(worker, running.length);
  text.family('worker_done_total', 'counter', 'Tasks that gave a result.');
  text.sample(worker, done);
  text.family('worker_failed_total', 'counter', 'Tries that failed.');
  text.sample(worker, failed);
  text.family('worker_refused_versions', 'gauge', 'Other versions of Kelpie whose tasks were refused.');
  text.sample(worker, refused.length);
  text.family('worker_busy_seconds_total', 'counter', 'Time that tasks took.');
  text.sample(worker, busyMs / 1000);
  return text.end();
}

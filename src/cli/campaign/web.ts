import type { CampaignProgress, WorkerPresence } from '../../jobs/campaign/index.js';
import type { WebRoutes } from '../ping/web/web-server.js';
import { PAGE_FOLDER, PAGE_POLICY, readCampaignPage } from '../serve/page-files.js';
import { campaignMetrics } from './metrics.js';

/** The page of a campaign, which is that of the laboratory, its numbers and its metrics. */
export function campaignRoutes(
  now: () => CampaignProgress,
  workers: () => readonly WorkerPresence[],
  folder = PAGE_FOLDER,
): WebRoutes {
  const files = Object.entries(readCampaignPage(folder)).map(
    ([path, { type, body }]) => [path, () => ({ type, body, policy: PAGE_POLICY })] as const,
  );
  return {
    get: {
      ...Object.fromEntries(files),
      '/progress': () => ({
        type: 'application/json',
        body: JSON.stringify({ ...now(), present: workers() }),
      }),
      '/metrics': () => ({
        type: 'text/plain; version=0.0.4',
        body: campaignMetrics(now(), workers()),
      }),
    },
  };
}

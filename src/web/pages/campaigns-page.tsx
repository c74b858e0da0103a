import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CampaignSight } from '../../jobs/campaign/index.js';
import type { LaboratoryBackend } from '../../laboratory/desk/backend.js';
import { Command, Fault } from '../parts.js';
import { CampaignCard } from './campaign-card.js';

const REFRESH_MS = 1000;

/** Campaigns of the server's folder: tasks by state, throughput, time left, workers, and what was given up. */
export function CampaignsPage({ backend }: { backend: Pick<LaboratoryBackend, 'campaigns'> }): JSX.Element {
  const [all, setAll] = useState<readonly CampaignSight[] | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    const load = async () => {
      try {
        setAll((await backend.campaigns?.()) ?? []);
        setFault(null);
      } catch (error) {
        setFault((error as Error).message);
      }
    };
    void load();
    const timer = setInterval(() => void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [backend]);
  return (
    <>
      <h1>
        {all === null
          ? 'Campaigns'
          : all.length === 0
            ? 'There is no campaign in this folder yet'
            : all.length === 1
              ? titleOf(all[0])
              : `${all.length} campaigns`}
      </h1>
      {fault !== null && <Fault text={fault} />}
      {all !== null && all.length === 0 && (
        <div class="card pad mt">
          <p class="small muted">
            A campaign is many tasks of a job, on threads or on many machines. This page shows the campaigns
            in the folder of <code>kelpie campaign</code> as they run.
          </p>
          <Command line="kelpie init campaign && kelpie campaign run campaign.yaml" />
        </div>
      )}
      <div class="finds mt">
        {(all ?? []).map((campaign) => (
          <CampaignCard key={campaign.id} campaign={campaign} />
        ))}
      </div>
    </>
  );
}

function titleOf({ name, tasks, measured, refused, failed }: CampaignSight): string {
  return `${name}: ${measured + refused + failed} of ${tasks} tasks`;
}

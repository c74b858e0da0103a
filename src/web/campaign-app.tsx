import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CampaignSight } from '../jobs/campaign/index.js';
import { CampaignsPage } from './pages/campaigns-page.js';
import { Top } from './top.js';

const LINKS = [{ name: 'campaigns', title: 'Campaign' }] as const;

/** The page of one campaign, behind its controller or whoever watches it: that of the laboratory, and nothing else of it. */
export function CampaignApp(): JSX.Element {
  const [where, setWhere] = useState('…');
  // One object as long as the page is open: who reads it reads on.
  const [source] = useState(() => ({
    campaigns: async (): Promise<readonly CampaignSight[]> => {
      try {
        const response = await fetch('progress');
        const sight = (await response.json()) as CampaignSight;
        setWhere(sight.version);
        return [sight];
      } catch {
        setWhere('nobody answers');
        throw new Error('Its controller does not answer: the campaign has ended or was interrupted');
      }
    },
  }));
  return (
    <>
      <Top links={LINKS} current="campaigns">
        kelpie campaign, {where}
      </Top>
      <main class="wrap" id="main" tabIndex={-1}>
        <CampaignsPage backend={source} />
      </main>
    </>
  );
}

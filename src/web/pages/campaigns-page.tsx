import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CampaignProgress } from '../../jobs/campaign/index.js';
import type { LaboratoryBackend } from '../../laboratory/desk/backend.js';
import { figure } from '../../laboratory/view/reading.js';
import { Command, Fault, Progress, Tag } from '../parts.js';

const REFRESH_MS = 1000;
const MOST_FAILURES = 20;

/** Campaigns of the server's folder: tasks by state, throughput, time left, workers, and what was given up. */
export function CampaignsPage({ backend }: { backend: LaboratoryBackend }): JSX.Element {
  const [all, setAll] = useState<readonly CampaignProgress[] | null>(null);
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
            ? 'No campaign has begun in this folder'
            : `${all.length} ${all.length === 1 ? 'campaign' : 'campaigns'}`}
      </h1>
      {fault !== null && <Fault text={fault} />}
      {all !== null && all.length === 0 && (
        <div class="card pad mt">
          <p class="small muted">
            A campaign is many tasks of a job, on threads or on many machines. This page shows those of the
            folder of <code>kelpie campaign</code>, while they go on.
          </p>
          <Command line="kelpie init campaign && kelpie campaign run campaign.yaml" />
        </div>
      )}
      <div class="finds mt">
        {(all ?? []).map((campaign) => (
          <Campaign key={campaign.id} campaign={campaign} />
        ))}
      </div>
    </>
  );
}

function Campaign({ campaign }: { campaign: CampaignProgress }): JSX.Element {
  const {
    id,
    name,
    job,
    version,
    state,
    tasks,
    measured,
    refused,
    failed,
    found,
    repeated,
    perSecond,
    leftS,
    workers,
    failures,
  } = campaign;
  const done = measured + refused + failed;
  const facts: readonly (readonly [string, string])[] = [
    ['results', `${done} of ${tasks}`],
    ['given up', String(failed)],
    ['refused', String(refused)],
    ['something found', String(found)],
    ['begun again', String(repeated)],
    ['per second', perSecond === null ? '–' : figure(perSecond)],
    ['time left', leftS === null || state !== 'running' ? '–' : `${Math.ceil(leftS)} s`],
  ];
  return (
    <article class="card pad">
      <div class="hd">
        <h2>
          {id}. {name}
        </h2>
        <Tag mood={failed > 0 ? 'bad' : state === 'running' ? 'warn' : state === 'done' ? 'ok' : 'unk'}>
          {state}
        </Tag>
      </div>
      <p class="small muted">
        {job}, version {version}
      </p>
      <dl class="facts">
        {facts.map(([term, value]) => (
          <div key={term}>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {state === 'running' && <Progress share={tasks === 0 ? null : done / tasks} text={`Campaign ${id}`} />}
      {workers.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">worker</th>
              <th scope="col" class="r">
                results
              </th>
              <th scope="col" class="r">
                busy, s
              </th>
            </tr>
          </thead>
          <tbody>
            {workers.map((worker) => (
              <tr key={worker.name}>
                <td class="says">{worker.name}</td>
                <td class="r">{worker.done}</td>
                <td class="r">{figure(worker.busyS)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {failures.slice(0, MOST_FAILURES).map(({ point, reason, tries }) => (
        <p key={JSON.stringify(point)} class="small note">
          {Object.entries(point)
            .map(([axis, value]) => `${axis} ${value}`)
            .join(', ')}
          : {reason}, after {tries} tries
        </p>
      ))}
    </article>
  );
}

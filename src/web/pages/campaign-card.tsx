import type { JSX } from 'preact';
import type { CampaignSight } from '../../jobs/campaign/index.js';
import { figure } from '../../laboratory/view/reading.js';
import { Progress, Tag } from '../parts.js';

const MOST_FAILURES = 20;

/** A campaign as it is now: tasks by state, throughput, time left, workers, and what was given up with its reason. */
export function CampaignCard({ campaign }: { campaign: CampaignSight }): JSX.Element {
  const { id, name, job, version, state, tasks, measured, refused, failed, found, repeated } = campaign;
  const { perSecond, leftS, failures } = campaign;
  const done = measured + refused + failed;
  const facts: readonly (readonly [string, string])[] = [
    ['results', `${done} of ${tasks}`],
    ['measured', String(measured)],
    ['refused', String(refused)],
    ['given up', String(failed)],
    ['left', String(tasks - done)],
    ['something found', String(found)],
    ['begun again', String(repeated)],
    ['per second', perSecond === null ? '–' : figure(perSecond)],
    ['time left', leftS === null || state !== 'running' ? '–' : duration(leftS)],
  ];
  return (
    <article class="card pad">
      <div class="hd">
        <h2>
          {id}. {name}
        </h2>
        <Tag mood={failed > 0 ? 'bad' : state === 'running' ? 'warn' : state === 'done' ? 'ok' : 'unk'}>
          {failed > 0 ? `${state}, ${failed} given up` : state}
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
      <Workers campaign={campaign} />
      {failures.slice(0, MOST_FAILURES).map(({ point, reason, tries }) => (
        <p key={JSON.stringify(point)} class="small note">
          {Object.entries(point)
            .map(([axis, value]) => `${axis} ${value}`)
            .join(', ')}
          : {reason}
          {tries > 0 && `, after ${tries === 1 ? 'one try' : `${tries} tries`}`}
        </p>
      ))}
    </article>
  );
}

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** Who has done how much, and, where workers were heard of, what they have and run. */
function Workers({ campaign: { workers, present = [] } }: { campaign: CampaignSight }): JSX.Element | null {
  const names = [...new Set([...present, ...workers].map(({ name }) => name))];
  if (names.length === 0) return null;
  return (
    <div class="scroll">
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
            {present.length > 0 && <th scope="col">has</th>}
            {present.length > 0 && <th scope="col">runs now</th>}
          </tr>
        </thead>
        <tbody>
          {names.map((name) => {
            const did = workers.find((each) => each.name === name);
            const seen = present.find((each) => each.name === name);
            return (
              <tr key={name}>
                <td class="says">{name}</td>
                <td class="r">{did?.done ?? 0}</td>
                <td class="r">{figure(did?.busyS ?? 0)}</td>
                {present.length > 0 && (
                  <td class="says">
                    {seen === undefined
                      ? 'not heard of'
                      : [
                          seen.threads === 1 ? '1 thread' : `${seen.threads} threads`,
                          `${seen.memoryGb} GB`,
                          ...seen.labels,
                        ].join(', ')}
                  </td>
                )}
                {present.length > 0 && (
                  <td class="says">
                    {seen?.running.map(({ campaign, index }) => `${campaign}/${index}`).join(', ') ?? ''}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

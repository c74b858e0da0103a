import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { JobEntry, JobId, JobResult, LaboratoryBackend } from '../../laboratory/desk/backend.js';
import { figure } from '../../laboratory/view/reading.js';
import { diffResults, type ResultDiff } from '../../report/difference.js';
import { JobModel } from '../model/job-model.js';
import { useObserved } from '../model/observable.js';
import { announce, download, Fault, type IconName, Progress, Tag } from '../parts.js';
import { ResultView } from './result-view.js';

const MOODS: Readonly<Record<JobEntry['state'], IconName>> = {
  ...{ running: 'warn', done: 'ok', failed: 'bad', cancelled: 'unk', interrupted: 'warn' },
};
const REFRESH_MS = 2000;
const MOST_ROWS = 60;

interface ResultsProps {
  readonly backend: LaboratoryBackend;
  readonly version: string;
  /** The job that is open; null for none. */
  readonly open: JobId | null;
  readonly isServer: boolean;
}

/** What is kept: every job that was asked for, with its outcome; two of them can be compared. */
export function ResultsPage({ backend, version, open, isServer }: ResultsProps): JSX.Element {
  const [jobs, setJobs] = useState<readonly JobEntry[] | null>(null);
  const [chosen, setChosen] = useState<readonly JobId[]>([]);
  const [diff, setDiff] = useState<{ of: string; difference: ResultDiff } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const load = async () => {
    try {
      setJobs(await backend.jobs());
      setFault(null);
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  useEffect(() => {
    void load();
    const timer = setInterval(() => void load(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [backend]);
  const act = async (what: Promise<unknown>, said: string) => {
    try {
      await what;
      announce(said);
    } catch (error) {
      setFault((error as Error).message);
    }
    await load();
  };
  const compare = async () => {
    const [before, after] = await Promise.all(chosen.map((id) => backend.result(id)));
    const names = chosen.map((id) => titleOf(jobs?.find((job) => job.id === id)));
    setDiff({ of: `${names[0]} and ${names[1]}`, difference: diffResults(bare(before), bare(after), 0) });
  };
  const choose = (id: JobId) =>
    setChosen((now) => (now.includes(id) ? now.filter((each) => each !== id) : [...now, id].slice(-2)));
  const current = jobs?.find(({ id }) => id === open) ?? null;
  return (
    <>
      <div class="hd">
        <h1>
          {jobs === null
            ? 'What is kept'
            : jobs.length === 0
              ? 'Nothing is kept yet'
              : `${jobs.length} ${jobs.length === 1 ? 'job is' : 'jobs are'} kept`}
        </h1>
        <span class="small muted">
          {isServer ? 'by the server, in its folder' : 'in this browser, for this page alone'}
        </span>
      </div>
      {fault !== null && <Fault text={fault} />}
      {jobs !== null && jobs.length === 0 && (
        <p class="card pad small muted">
          Keep a result from the lab, start a hunt, or run a row of a paper: it stays here until you forget
          it.
        </p>
      )}
      {current !== null && <OpenJob key={current.id} entry={current} backend={backend} version={version} />}
      {jobs !== null && jobs.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
        <section class="card pad mt scroll" tabIndex={0} aria-label="Jobs">
          <table class="jobs">
            <thead>
              <tr>
                <th scope="col">
                  <span class="vh">compare</span>
                </th>
                <th scope="col">job</th>
                <th scope="col">state</th>
                <th scope="col">outcome</th>
                <th scope="col">
                  <span class="vh">actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {jobs.map((job) => (
                <tr key={job.id} class={job.id === open ? 'hit' : ''}>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`Compare ${titleOf(job)}`}
                      checked={chosen.includes(job.id)}
                      disabled={job.state !== 'done'}
                      onChange={() => choose(job.id)}
                    />
                  </td>
                  <td>
                    <a href={`#/results/${job.id}`}>{titleOf(job)}</a>
                    <div class="xs dim">{new Date(job.beganMs).toLocaleString()}</div>
                  </td>
                  <td>
                    <Tag mood={MOODS[job.state]}>
                      {job.state}
                      {job.partial ? ', a part' : ''}
                    </Tag>
                  </td>
                  <td class="says">{job.says ?? ''}</td>
                  <td>
                    <div class="acts">
                      {job.state === 'running' && (
                        <button
                          type="button"
                          class="btn"
                          onClick={() => void act(backend.cancel(job.id), 'Ended')}
                        >
                          Stop
                        </button>
                      )}
                      {(job.state === 'interrupted' || (job.state !== 'running' && job.partial)) && (
                        <button
                          type="button"
                          class="btn"
                          onClick={() => void act(backend.resume(job.id), 'Goes on')}
                        >
                          Go on
                        </button>
                      )}
                      {job.state !== 'running' && (
                        <button
                          type="button"
                          class="btn"
                          onClick={() => void act(backend.forget(job.id), 'Forgotten')}
                        >
                          Forget<span class="vh"> {titleOf(job)}</span>
                        </button>
                      )}
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <div class="acts">
            <button type="button" class="btn" disabled={chosen.length !== 2} onClick={() => void compare()}>
              Compare the two selected
            </button>
          </div>
        </section>
      )}
      {diff !== null && <DiffTable of={diff.of} difference={diff.difference} />}
    </>
  );
}

/** The result without the name of its job: what `kelpie diff` compares. */
function bare(result: JobResult | null): unknown {
  if (result === null) return null;
  const { job: _, ...rest } = result;
  const [first] = Object.values(rest) as unknown[];
  return first;
}

function titleOf(job: JobEntry | undefined): string {
  if (job === undefined) return '';
  const { request, name, id } = job;
  const on =
    'subsystem' in request
      ? request.subsystem
      : 'row' in request
        ? request.row
        : 'host' in request
          ? request.host
          : '';
  return name ?? `${id}. ${request.job} ${on}`.trim();
}

function DiffTable({ of, difference }: { of: string; difference: ResultDiff }): JSX.Element {
  const { inputs, figures, compared } = difference;
  const rows = [...inputs, ...figures].slice(0, MOST_ROWS);
  const shown = (value: unknown) =>
    typeof value === 'number' ? figure(value) : value === undefined ? '–' : String(value);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
    <section class="card pad mt scroll" tabIndex={0} aria-label="Comparison">
      <h2>{of}</h2>
      <p class="small muted">
        {inputs.length} differences in what was asked for, {figures.length} of {compared} figures differ. The
        first {rows.length}:
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">figure</th>
            <th scope="col" class="r">
              first
            </th>
            <th scope="col" class="r">
              second
            </th>
            <th scope="col" class="r">
              change
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ path, before, after, percent }) => (
            <tr key={path}>
              <td class="mono">{path}</td>
              <td class="r">{shown(before)}</td>
              <td class="r">{shown(after)}</td>
              <td class="r">{percent === null ? '' : `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** One job, live while it goes on. */
function OpenJob({
  entry,
  backend,
  version,
}: {
  entry: JobEntry;
  backend: LaboratoryBackend;
  version: string;
}): JSX.Element {
  const [model] = useState(() => new JobModel(backend));
  const view = useObserved(model);
  useEffect(() => {
    model.watchJob(entry.id, entry.request);
    return () => model.leave();
  }, [model, entry.id]);
  const { parts, says, records, finds, trace, run, result, fault, state } = view;
  return (
    <section class="card pad" aria-label={titleOf(entry)}>
      <div class="hd">
        <h2>{titleOf(entry)}</h2>
        <span class="xs dim">{entry.request.job}</span>
      </div>
      {state === 'running' && (
        <>
          <p class="small num" role="status">
            {parts !== null
              ? `${parts.done} of ${parts.all}: ${says}`
              : records.length > 0
                ? `${records.length} experiments, ${finds.length} found`
                : run > 0
                  ? `run ${run}: ${figure(trace[trace.length - 1] ?? 0)} Gb/s`
                  : 'waiting for its turn …'}
          </p>
          <Progress share={parts === null ? null : parts.done / Math.max(1, parts.all)} text="The job" />
        </>
      )}
      {fault !== null && <Fault text={fault} />}
      {state === 'cancelled' && (
        <p class="small muted">
          It was stopped before it had a result
          {entry.state === 'interrupted' ? ': its process ended. It can continue' : ''}.
        </p>
      )}
      {result !== null && (
        <>
          <ResultView request={entry.request} result={result} version={version} />
          <div class="acts">
            <button
              type="button"
              class="btn"
              onClick={() =>
                download(
                  `${entry.request.job}-${entry.id}.json`,
                  'application/json',
                  `${JSON.stringify(bare(result), null, 1)}\n`,
                )
              }
            >
              Download result
            </button>
            {'workload' in entry.request && (
              <button
                type="button"
                class="btn"
                onClick={() =>
                  download(
                    'workload.yaml',
                    'application/yaml',
                    (entry.request as { workload: string }).workload,
                  )
                }
              >
                Download the workload
              </button>
            )}
          </div>
        </>
      )}
    </section>
  );
}

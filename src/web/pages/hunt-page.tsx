import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Catalogue } from '../../laboratory/desk/catalogue.js';
import type { JobModel } from '../model/job-model.js';
import { useObserved } from '../model/observable.js';
import { Command, Fault, Field, Progress } from '../parts.js';
import { FindCards, Findings } from './finding-card.js';
import { HuntCounters } from './hunt-counters.js';
import { SpacePlot } from './space-plot.js';

const BUDGETS = [
  ['60', '60 experiments, a quick look'],
  ['200', '200 experiments'],
  ['600', '600 experiments'],
  ['10h', '10 hours on real machines, as in Collie'],
] as const;

/** A hunt in front of the reader: the points that are tried, and what is found. */
export function HuntPage({ model, catalogue }: { model: JobModel; catalogue: Catalogue }): JSX.Element {
  const view = useObserved(model);
  const [subsystem, setSubsystem] = useState('collie-f-as-tested');
  const [budget, setBudget] = useState<string>('200');
  const [seed, setSeed] = useState(1);
  const isGoing = view.state === 'running' || view.state === 'starting';
  // What is shown is of the hunt that was begun, whatever the form says since.
  const asked = view.request?.job === 'hunt' ? view.request : { subsystem, budget, seed };
  const answer = view.result?.job === 'hunt' ? view.result.answer : null;
  const all =
    answer?.budget.kind === 'experiments'
      ? answer.budget.amount
      : /^\d+$/.test(asked.budget)
        ? Number(asked.budget)
        : null;
  const { records, finds } = view;
  return (
    <>
      <section class="card pad">
        <h1>{headline(view.state, records.length, finds.length, answer)}</h1>
        <p class="small muted lead">
          Draws workloads from the search space, drives the NICs' counters up, and reduces every anomaly to
          what triggers it (Collie, NSDI 2022). The outcome depends only on subsystem, budget and seed, not on
          the number of cores.
        </p>
        <form
          class="acts ends"
          onSubmit={(event) => {
            event.preventDefault();
            void model.start({ job: 'hunt', subsystem, budget, seed });
          }}
        >
          <Field label="Subsystem" id="hunt-on">
            <select
              id="hunt-on"
              value={subsystem}
              onChange={(event) => setSubsystem(event.currentTarget.value)}
            >
              {catalogue.subsystems.map(({ name, title }) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Budget" id="hunt-budget">
            <select
              id="hunt-budget"
              value={budget}
              onChange={(event) => setBudget(event.currentTarget.value)}
            >
              {BUDGETS.map(([value, title]) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Seed" id="hunt-seed">
            <input
              id="hunt-seed"
              type="number"
              min={0}
              value={seed}
              onChange={(event) => setSeed(event.currentTarget.valueAsNumber || 0)}
            />
          </Field>
          {isGoing ? (
            <button type="button" class="btn" onClick={() => model.cancel()}>
              Stop and keep what it has
            </button>
          ) : (
            <button type="submit" class="btn main">
              Hunt on {catalogue.workers === 1 ? 'one core' : `${catalogue.workers} cores`}
            </button>
          )}
        </form>
        {isGoing && <Progress share={all === null ? null : records.length / all} text="The hunt" />}
        {view.fault !== null && <Fault text={view.fault} />}
      </section>
      {records.length > 0 && (
        <section class="card pad mt" aria-label="The search space">
          <div class="hd">
            <h2>Points of the search space tried so far</h2>
            <span class="xs dim num">
              {records.length} experiments,{' '}
              {(records.reduce((sum, each) => sum + each.hardwareSeconds, 0) / 3600).toFixed(1)} hours on real
              machines
            </span>
          </div>
          <SpacePlot records={records} />
          <p class="small" role="status">
            Experiment {records.length},{' '}
            {records[records.length - 1].observation.symptom === null ? 'clean' : 'anomalous'}:{' '}
            {records[records.length - 1].observation.why}.
          </p>
          <HuntCounters records={records} />
        </section>
      )}
      {answer === null ? (
        finds.length > 0 && (
          <section class="mt" aria-label="Found so far">
            <h2>Found so far</h2>
            <FindCards finds={finds} where={{ ...asked, version: catalogue.version }} />
          </section>
        )
      ) : (
        <section class="mt" aria-label="Findings">
          <Findings answer={answer} version={catalogue.version} />
          <div class="card pad mt">
            <h2>The same hunt on the command line</h2>
            <Command
              line={`kelpie hunt --subsystem ${answer.subsystem} --budget ${asked.budget} --seed ${answer.seed}`}
            />
          </div>
        </section>
      )}
    </>
  );
}

function headline(
  state: string,
  tried: number,
  found: number,
  answer: {
    readonly anomalies: readonly unknown[];
    readonly subsystem: string;
    readonly partial: boolean;
    readonly experiments: number;
  } | null,
): string {
  if (answer !== null) {
    const ended = answer.partial ? ' before it was stopped' : '';
    return answer.anomalies.length === 0
      ? `${answer.subsystem}: no anomaly in ${answer.experiments} experiments${ended}.`
      : `${answer.subsystem}: ${answer.anomalies.length} ${answer.anomalies.length === 1 ? 'anomaly' : 'anomalies'} in ${answer.experiments} experiments${ended}.`;
  }
  if (state === 'none' || state === 'failed' || state === 'cancelled')
    return 'Search a subsystem for anomalies';
  return `${found} ${found === 1 ? 'anomaly' : 'anomalies'} found in ${tried} experiments so far.`;
}

import type { JSX } from 'preact';
import type { Anomaly, HuntAnswer } from '../../jobs/hunt/index.js';
import type { FindView } from '../../laboratory/desk/backend.js';
import { linkText } from '../../laboratory/setup/link.js';
import { commandOf, workloadText } from '../../laboratory/setup/setup.js';
import { counterText } from '../../report/counter-text.js';
import { Command, download, Meter, Tag } from '../parts.js';

/** Findings worth a card; the rest are rows that open. */
const MOST_CARDS = 5;

const MEANINGS = {
  ...{ pause: 'of the time paused', throughput: 'of the rate missing', loss: 'of packets lost' },
} as const;
const COLOURS = { ...{ pause: 'd2', throughput: 'd1', loss: 'd4' } } as const;

interface Where {
  readonly subsystem: string;
  readonly seed: number;
  readonly version: string;
}

/** What a hunt knows while it runs. */
export function FindCards({ finds, where }: { finds: readonly FindView[]; where: Where }): JSX.Element {
  return (
    <div class="gal">
      {finds.map((find, place) => (
        <article key={place} class="card gc">
          <header>
            <span class="mono">
              Anomaly {place + 1}, experiment {find.experiment}
            </span>
            <Tag mood={find.symptom}>{find.symptom}</Tag>
          </header>
          <h3>{find.complete ? 'What triggers it' : 'Being reduced to what triggers it …'}</h3>
          <Chips words={find.features.length === 0 ? ['not known yet'] : find.features} />
          <footer>
            <OpenWorkload workload={find.workload} where={where} name={`anomaly-${place + 1}`} />
          </footer>
        </article>
      ))}
    </div>
  );
}

/** The findings of a hunt, the worst first; what was not reduced comes last. */
export function Findings({ answer, version }: { answer: HuntAnswer; version: string }): JSX.Element {
  const { anomalies, subsystem, seed } = answer;
  const placed = anomalies.map((anomaly, place) => ({ anomaly, place }));
  placed.sort(
    (one, other) =>
      Number(other.anomaly.complete) - Number(one.anomaly.complete) ||
      other.anomaly.severity - one.anomaly.severity,
  );
  const where = { subsystem, seed, version };
  return (
    <div class="finds">
      {placed.slice(0, MOST_CARDS).map(({ anomaly, place }) => (
        <article key={place} class="card pad">
          <Finding anomaly={anomaly} place={place} where={where} />
        </article>
      ))}
      {placed.slice(MOST_CARDS).map(({ anomaly, place }) => (
        <details key={place} class="card pad">
          <summary>
            Anomaly {place + 1}, {anomaly.symptom}, {percent(anomaly.severity)}:{' '}
            {anomaly.complete ? anomaly.features.join('; ') || 'always' : 'not reduced'}
          </summary>
          <Finding anomaly={anomaly} place={place} where={where} />
        </details>
      ))}
    </div>
  );
}

function Finding({ anomaly, place, where }: { anomaly: Anomaly; place: number; where: Where }): JSX.Element {
  const {
    symptom,
    severity,
    why,
    features,
    counters,
    advice,
    matches,
    complete,
    component,
    workload,
    experiment,
    corners = [],
  } = anomaly;
  const needs = complete
    ? features.length === 0
      ? ['always']
      : features
    : ['not reduced in time: try a larger budget'];
  const request = { subsystem: where.subsystem, seed: where.seed, workload: workloadText(workload) };
  return (
    <div class="finding">
      <header>
        <div>
          <div class="sev">{percent(severity)}</div>
          <Tag mood={symptom}>{MEANINGS[symptom]}</Tag>
          <Meter share={severity} colour={COLOURS[symptom]} />
        </div>
        <div>
          <h3>{why.replace(/^the /, 'The ')}</h3>
          <p class="small muted">
            Anomaly {place + 1}, experiment {experiment}.{' '}
            {component === null ? 'No part is suspected.' : `Suspected: ${component}.`}
          </p>
          <Chips words={matches.map((id) => `Collie ${id.replace('C', '#')}`)} />
        </div>
      </header>
      <div class="four">
        <div>
          <h4>What triggers it</h4>
          <Chips words={needs} />
          {corners.map((corner) => (
            <p key={corner.features.join()} class="small">
              or {corner.features.join('; ')}
            </p>
          ))}
        </div>
        <div>
          <h4>Evidence: counters that moved</h4>
          <Lines lines={counters.slice(0, 5).map(({ name, rate }) => counterText(name, rate))} none="none" />
        </div>
        <div>
          <h4>What clears it, each verified by a run</h4>
          <Lines
            lines={advice.map(({ text }) => text)}
            none={complete ? 'no single change does' : 'not tried: it was not reduced in time'}
          />
        </div>
        <div>
          <h4>Reproduce it</h4>
          <OpenWorkload workload={workload} where={where} name={`anomaly-${place + 1}`} />
          <details>
            <summary>As a command</summary>
            <Command line={commandOf(request)} />
          </details>
        </div>
      </div>
    </div>
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.01 ? 2 : 1)} %`;
}

/** Words in a row. */
export function Chips({ words }: { words: readonly string[] }): JSX.Element | null {
  if (words.length === 0) return null;
  return (
    <ul class="chips">
      {words.map((word) => (
        <li key={word} class="chip">
          {word}
        </li>
      ))}
    </ul>
  );
}

function Lines({ lines, none }: { lines: readonly string[]; none: string }): JSX.Element {
  if (lines.length === 0) return <p class="small dim">{none}</p>;
  return (
    <ul class="small">
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

/** A workload that can be run in front of the reader, and taken away. */
function OpenWorkload({
  workload,
  where,
  name,
}: {
  workload: object;
  where: Where;
  name: string;
}): JSX.Element {
  const text = workloadText(workload as Record<string, unknown>);
  const { subsystem, seed, version } = where;
  const link = `#/run?${linkText({ kind: 'workload', request: { job: 'run', subsystem, seed, workload: text } }, version)}`;
  return (
    <div class="acts">
      <a class="btn" href={link}>
        Run it in the lab
      </a>
      <button type="button" class="btn" onClick={() => download(`${name}.yaml`, 'application/yaml', text)}>
        Download workload
      </button>
    </div>
  );
}

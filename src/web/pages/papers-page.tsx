import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { RowResult, Value } from '../../jobs/reproduce/index.js';
import type { LaboratoryBackend } from '../../laboratory/desk/backend.js';
import type { Catalogue, RowEntry } from '../../laboratory/desk/catalogue.js';
import { figure } from '../../laboratory/view/reading.js';
import { JobModel } from '../model/job-model.js';
import type { BoardEntry } from '../model/made-ahead.js';
import { useObserved } from '../model/observable.js';
import { Fault, Progress, Spark, Tag } from '../parts.js';

interface PapersProps {
  readonly backend: LaboratoryBackend;
  readonly catalogue: Catalogue;
  readonly board: Readonly<Record<string, BoardEntry>>;
  /** Jobs by row, kept while the reader is elsewhere on the page. */
  readonly jobs: Map<string, JobModel>;
}

/** What papers measured: press a row, and it runs beside the paper's figure. */
export function PapersPage({ backend, catalogue, board, jobs }: PapersProps): JSX.Element {
  const papers = [...new Set(catalogue.rows.map(({ paper }) => paper))];
  const [paper, setPaper] = useState(papers[0] ?? '');
  const count = (wanted: boolean) => catalogue.rows.filter(({ id }) => board[id]?.ok === wanted).length;
  const shown = catalogue.rows.filter((row) => row.paper === paper);
  const waiting = catalogue.pending.filter((row) => row.paper === paper);
  return (
    <>
      <div class="hd">
        <h1>What papers measured, run live</h1>
        <span class="small muted bl">
          <i />
          {count(true)} rows agree <i class="n" />
          {count(false)} differ <i class="p" />
          {catalogue.pending.length} are pending
        </span>
      </div>
      <p class="small muted lead">
        The squares are the board as committed with version {catalogue.version}. Press a row: it runs here, on
        this simulator, next to what the paper says.
      </p>
      <nav class="card pad board" aria-label="All rows by paper">
        {papers.map((each) => (
          <button key={each} type="button" aria-pressed={each === paper} onClick={() => setPaper(each)}>
            <span>{each}</span>
            {catalogue.rows
              .filter((row) => row.paper === each)
              .map(({ id }) => (
                <i
                  key={id}
                  class={board[id] === undefined ? 'p' : board[id].ok ? '' : 'n'}
                  title={`${id}: ${stateOf(board[id])}`}
                />
              ))}
            {catalogue.pending
              .filter((row) => row.paper === each)
              .map(({ id }) => (
                <i key={id} class="p" title={`${id}: pending`} />
              ))}
          </button>
        ))}
      </nav>
      <p class="small muted lead">{catalogue.papers[paper]}</p>
      <div class="gal">
        {shown.map((row) => (
          <RowCard key={row.id} row={row} kept={board[row.id]} backend={backend} jobs={jobs} />
        ))}
        {waiting.map(({ id, setting, reason }) => (
          <article key={id} class="card gc">
            <header>
              <span class="mono">
                {id} · {paper}
              </span>
              <Tag mood="unk">pending</Tag>
            </header>
            <h3>{setting}</h3>
            <p class="small muted">It {reason}.</p>
          </article>
        ))}
      </div>
    </>
  );
}

function stateOf(entry: BoardEntry | undefined): string {
  return entry === undefined ? 'not on the board' : entry.ok ? 'agrees' : 'differs';
}

interface RowCardProps {
  readonly row: RowEntry;
  readonly kept: BoardEntry | undefined;
  readonly backend: LaboratoryBackend;
  readonly jobs: Map<string, JobModel>;
}

function RowCard({ row, kept, backend, jobs }: RowCardProps): JSX.Element {
  const model = useMemo(() => {
    const known = jobs.get(row.id) ?? new JobModel(backend);
    jobs.set(row.id, known);
    return known;
  }, [row.id, backend, jobs]);
  const view = useObserved(model);
  const { id, paper, setting, metric, unit, expected, tolerance, encoded } = row;
  const isGoing = view.state === 'running' || view.state === 'starting';
  const live: RowResult | null = view.result?.job === 'reproduce' ? view.result.row : null;
  const ok = live?.ok ?? kept?.ok;
  return (
    <article class="card gc" id={`row-${id}`}>
      <header>
        <span class="mono">
          {id} · {paper}
        </span>
        {isGoing ? (
          <Tag mood="warn">running</Tag>
        ) : ok === undefined ? (
          <Tag mood="unk">not run</Tag>
        ) : (
          <Tag
            mood={ok ? 'ok' : 'bad'}
          >{`${ok ? 'agrees' : 'differs'}${live === null ? ', on the board' : ', run here'}`}</Tag>
        )}
      </header>
      <h3>{setting}</h3>
      <Figures expected={expected} simulated={live?.simulated ?? kept?.simulated} tolerance={tolerance} />
      <p class="xs dim">
        {metric}
        {unit === '' ? '' : `, ${unit}`}; {tolerance === 'trend' ? 'a trend' : tolerance}.{' '}
        {live === null ? 'Simulator: the board.' : 'Simulator: run here.'}
      </p>
      {encoded !== undefined && <p class="xs note">Encoded: {encoded}.</p>}
      {live?.reason !== undefined && <p class="xs note">{live.reason}.</p>}
      {view.fault !== null && <Fault text={view.fault} />}
      {isGoing && (
        <div>
          <Spark values={view.trace} />
          <p class="xs num" role="status">
            {view.run === 0
              ? 'making connections …'
              : `run ${view.run}: ${figure(view.trace[view.trace.length - 1] ?? 0)} Gb/s`}
          </p>
          <Progress share={null} text={`Row ${id}`} />
        </div>
      )}
      <footer>
        {isGoing ? (
          <button type="button" class="btn" onClick={() => model.cancel()}>
            Stop
          </button>
        ) : (
          <button
            type="button"
            class="btn"
            onClick={() => void model.start({ job: 'reproduce', row: id, seed: 1 })}
          >
            {live === null ? 'Run live' : 'Run again'}
            <span class="vh"> row {id}</span>
          </button>
        )}
      </footer>
    </article>
  );
}

/** Paper beside simulator: numbers on one scale, the tolerance as a band; words as words. */
function Figures({
  expected,
  simulated,
  tolerance,
}: {
  expected: Value;
  simulated: Value | undefined;
  tolerance: string;
}): JSX.Element {
  const rows = pairsOf(expected, simulated);
  // Numbers that have other names than the paper's stand beside it as words.
  const isApart = simulated !== undefined && rows.every(({ here }) => here === undefined);
  if (isApart || !rows.some(({ paper }) => numberIn(paper) !== null))
    return (
      <dl class="words">
        <dt>paper</dt>
        <dd>{wordsOf(expected)}</dd>
        <dt>simulator</dt>
        <dd>{simulated === undefined ? '–' : <Words value={simulated} />}</dd>
      </dl>
    );
  const band = Number(/±(\d+)/.exec(tolerance)?.[1] ?? 0) / 100;
  return (
    <div class="db">
      {rows.map((row) => (
        <Pairing key={row.name} {...row} band={band} />
      ))}
    </div>
  );
}

/** One figure: bar, the paper; band, its tolerance; dot, the simulator. Each has a scale of its own, from 0. */
function Pairing({ name, paper, here, band }: Pair & { band: number }): JSX.Element {
  const [there, now] = [numberIn(paper), numberIn(here)];
  const top = 1.25 * Math.max(Math.abs(there ?? 0), Math.abs(now ?? 0), 1e-12);
  const at = (value: number) => `${Math.max(0, Math.min(100, (100 * value) / top)).toFixed(1)}%`;
  return (
    <>
      <span>{name}</span>
      <div class="tr">
        {there !== null && (
          <>
            <i
              class="tol"
              style={{ left: at(there * (1 - band)), width: `${Math.max(0.5, (200 * band * there) / top)}%` }}
            />
            <i class="pa" style={{ left: at(there) }} />
          </>
        )}
        {now !== null && <i class="si" style={{ left: at(now) }} />}
      </div>
      <span class="num">
        {shown(paper)} → <b>{here === undefined ? '–' : shown(here)}</b>
      </span>
    </>
  );
}

/** A number, by itself or with its unit; null where words say it. */
function numberIn(value: number | string | undefined): number | null {
  if (typeof value === 'number') return value;
  const [, digits] = /^(\d+(?:\.\d+)?) ?(?:us|Gbps|Gb\/s|Mmps|%|MB)?$/.exec(value ?? '') ?? [];
  return digits === undefined ? null : Number(digits);
}

/** Figures this many are shown at once; the rest unfold. */
const MOST_WORDS = 4;

function Words({ value }: { value: Value }): JSX.Element {
  if (typeof value !== 'object') return <>{shown(value)}</>;
  const all = Object.entries(value).map(([name, each]) => `${name}: ${shown(each)}`);
  if (all.length <= MOST_WORDS) return <>{all.join('; ')}</>;
  return (
    <details>
      <summary>{all.length} figures</summary>
      {all.join('; ')}
    </details>
  );
}

interface Pair {
  readonly name: string;
  readonly paper: number | string;
  readonly here: number | string | undefined;
}

function pairsOf(expected: Value, simulated: Value | undefined): Pair[] {
  if (typeof expected !== 'object') {
    const here = simulated === undefined || typeof simulated === 'object' ? undefined : simulated;
    return [{ name: '', paper: expected, here }];
  }
  const found = typeof simulated === 'object' ? simulated : {};
  return Object.entries(expected).map(([name, paper]) => ({ name, paper, here: found[name] }));
}

function shown(value: number | string): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(4))) : value;
}

function wordsOf(value: Value): string {
  if (typeof value !== 'object') return shown(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${shown(each)}`)
    .join('; ');
}

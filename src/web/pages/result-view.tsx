import type { JSX } from 'preact';
import { asComparison } from '../../jobs/compare/grid.js';
import type { Comparison } from '../../jobs/compare/index.js';
import type { MatrixResult } from '../../jobs/isolate/index.js';
import type { JobRequest, JobResult } from '../../laboratory/desk/backend.js';
import { linkText } from '../../laboratory/setup/link.js';
import { figure, headlineOf, timeText } from '../../laboratory/view/reading.js';
import { unitOf } from '../../report/metric-unit.js';
import { Command, Tag } from '../parts.js';
import { Chips, Findings } from './finding-card.js';

interface ResultProps {
  readonly request: JobRequest;
  readonly result: JobResult;
  readonly version: string;
}

/** What came of a job, and the command that gives the same. */
export function ResultView({ request, result, version }: ResultProps): JSX.Element {
  const command = commandLine(request);
  return (
    <>
      {bodyOf(request, result, version)}
      {command !== null && <Command line={command} />}
    </>
  );
}

function bodyOf(request: JobRequest, result: JobResult, version: string): JSX.Element {
  switch (result.job) {
    case 'run':
    case 'explain': {
      const { text, reason } = headlineOf(result.measurement);
      const run =
        request.job === 'run' || request.job === 'explain' ? { ...request, job: 'run' as const } : null;
      return (
        <>
          <h3>{text}</h3>
          <p class="small muted">{reason}</p>
          {run !== null && (
            <p class="acts">
              <a class="btn" href={`#/run?${linkText({ kind: 'workload', request: run }, version)}`}>
                Open in the lab
              </a>
            </p>
          )}
        </>
      );
    }
    case 'hunt':
      return <Findings answer={result.answer} version={version} />;
    case 'reproduce': {
      const { id, ok, paper, simulated, unit, tolerance, reason } = result.row;
      return (
        <>
          <p>
            <Tag mood={ok ? 'ok' : 'bad'}>{ok ? 'agrees' : 'differs'}</Tag> {id}: paper{' '}
            {JSON.stringify(paper)}, simulator {JSON.stringify(simulated)} {unit}, {tolerance}.
          </p>
          {reason !== undefined && <p class="small muted">{reason}</p>}
        </>
      );
    }
    case 'isolate':
      return <Matrix matrix={result.matrix} />;
    case 'sweep':
      return <Points comparison={asComparison(result.grid)} />;
    case 'compare':
      return <Points comparison={result.comparison} />;
    case 'fabric': {
      const { flows, finished, drops, pauseFrames, simulatedNs, slowdown, completionNs, deadlock } =
        result.answer;
      return (
        <dl class="facts">
          <Fact name="flows that ended" value={`${finished} of ${flows}`} />
          <Fact name="packets dropped" value={String(drops)} />
          <Fact name="pause frames" value={String(pauseFrames)} />
          <Fact name="simulated" value={timeText(simulatedNs)} />
          <Fact name="completion, p99" value={completionNs?.p99 == null ? '–' : timeText(completionNs.p99)} />
          <Fact name="slowdown, mean" value={slowdown === null ? '–' : figure(slowdown.mean)} />
          <Fact name="deadlock" value={deadlock === null ? 'none' : deadlock.circle} />
        </dl>
      );
    }
    case 'ping':
      return result.answer.findings.length === 0 ? (
        <p>
          <Tag mood="ok">nothing found</Tag> {result.answer.paths} paths of {result.answer.host} are as they
          should be.
        </p>
      ) : (
        <div class="finds">
          {result.answer.findings.map(({ links, cause, certainty, evidence, advice }) => (
            <article key={`${cause} ${links}`} class="finding">
              <h3>
                {cause} at {links.join(' or ')}
              </h3>
              <p class="small">
                <Tag mood={certainty === 'verified' ? 'bad' : 'warn'}>{certainty}</Tag> {advice}
              </p>
              <Chips words={evidence} />
            </article>
          ))}
        </div>
      );
  }
}

function Fact({ name, value }: { name: string; value: string }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Attackers against victims: the share that each victim keeps, violated ones marked. */
function Matrix({ matrix }: { matrix: MatrixResult }): JSX.Element {
  const victims = [...new Set(matrix.pairs.map(({ victim }) => victim))];
  const attackers = [...new Set(matrix.pairs.map(({ attacker }) => attacker))];
  const at = (attacker: string, victim: string) =>
    matrix.pairs.find((pair) => pair.attacker === attacker && pair.victim === victim);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label="Attackers against victims">
      <table class="heat">
        <caption>
          Share of its rate that each victim keeps, under {matrix.scheme}; ✕: less than was promised
        </caption>
        <thead>
          <tr>
            <th scope="col">attacker</th>
            {victims.map((victim) => (
              <th key={victim} scope="col">
                <span>{victim}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {attackers.map((attacker) => (
            <tr key={attacker}>
              <th scope="row">{attacker}</th>
              {victims.map((victim) => {
                const pair = at(attacker, victim);
                if (pair === undefined || pair.share === null)
                  return (
                    <td key={victim} class="none" title={pair?.reason ?? 'not reached'}>
                      –
                    </td>
                  );
                const lost = 1 - Math.min(1, pair.share);
                return (
                  <td
                    key={victim}
                    class={`s${Math.min(4, Math.floor(lost * 5))}`}
                    title={pair.resource ?? ''}
                  >
                    {(100 * pair.share).toFixed(0)}
                    {pair.outcome === 'violated' ? ' ✕' : ''}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The points of a sweep or a comparison. */
function Points({ comparison }: { comparison: Comparison }): JSX.Element {
  const { metrics, points, parameter } = comparison;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
    <section class="scroll" tabIndex={0} aria-label="Points">
      <table>
        <thead>
          <tr>
            <th scope="col">variant</th>
            {parameter !== null && (
              <th scope="col" class="r">
                {parameter}
              </th>
            )}
            {metrics.map((metric) => (
              <th key={metric} scope="col" class="r">
                {unitOf(metric).title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {points.map(({ variant, value, readings, refused }) => (
            <tr key={`${variant} ${value}`}>
              <td>{variant}</td>
              {parameter !== null && <td class="r">{value}</td>}
              {metrics.map((metric) => {
                const reading = readings?.[metric];
                return (
                  <td key={metric} class="r" title={refused}>
                    {reading == null ? '–' : Number((reading * unitOf(metric).factor).toPrecision(4))}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const word = (text: string) => (/^[\w./:=*,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** The command that gives the same result; null where the request has a text of its own that a command would need as a file. */
function commandLine(request: JobRequest): string | null {
  switch (request.job) {
    case 'hunt':
      return `kelpie hunt --subsystem ${word(request.subsystem)} --budget ${word(request.budget)} --seed ${request.seed}`;
    case 'reproduce':
      return `kelpie reproduce ${word(request.row)} --seed ${request.seed}`;
    case 'isolate':
      return `kelpie isolate --subsystem ${word(request.subsystem)} --scheme ${word(request.scheme)} --attacker ${word(request.attackers)} --victim ${word(request.victims)} --seed ${request.seed}`;
    case 'ping':
      return `kelpie ping --host ${word(request.host)} --device ${word(request.device)}${request.fault === '' ? '' : ` --fault ${word(request.fault)}`} --seed ${request.seed}`;
    case 'sweep':
      return `kelpie sweep workload.yaml --subsystem ${word(request.subsystem)} ${request.vary.map((each) => `--vary ${word(each)}`).join(' ')} --metric ${word(request.metrics.join(','))} --seed ${request.seed}`;
    case 'compare':
      return `kelpie compare --subsystems ${word(request.subsystems.join(','))} --workload workload.yaml${request.sweep === '' ? '' : ` --sweep ${word(request.sweep)}`} --metric ${word(request.metrics.join(','))} --seed ${request.seed}`;
    default:
      return null;
  }
}

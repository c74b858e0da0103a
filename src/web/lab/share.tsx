import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Explanation } from '../../jobs/explain/index.js';
import type { LaboratoryBackend, RunRequest } from '../../laboratory/desk/backend.js';
import { isLast } from '../../laboratory/desk/backend.js';
import type { Linked } from '../../laboratory/setup/link.js';
import { linkText } from '../../laboratory/setup/link.js';
import { commandOf } from '../../laboratory/setup/setup.js';
import { figure } from '../../laboratory/view/reading.js';
import type { Measurement } from '../../workload/index.js';
import { announce, Command, CopyButton, download, Fault, Progress, Tag } from '../parts.js';

interface ShareProps {
  readonly backend: LaboratoryBackend;
  readonly request: RunRequest;
  readonly linked: Linked;
  readonly measurement: Measurement;
  readonly isCurrent: boolean;
  /** Keeps the result that is shown. */
  readonly onKeep: (name: string) => Promise<void>;
  readonly version: string;
}

/** The same run elsewhere: on the command line, behind a link, in a file, and among what is kept. */
export function Share({
  backend,
  request,
  linked,
  measurement,
  isCurrent,
  onKeep,
  version,
}: ShareProps): JSX.Element {
  const [name, setName] = useState('');
  const [kept, setKept] = useState<string | null>(null);
  const link = () => `${location.origin}${location.pathname}#/run?${linkText(linked, version)}`;
  const keep = async () => {
    try {
      await onKeep(
        name.trim() || `${measurement.profile ?? ''} ${figure(measurement.total.goodputGbps)} Gb/s`.trim(),
      );
      setKept('Kept.');
      setName('');
    } catch (error) {
      setKept((error as Error).message);
    }
    announce('Kept');
  };
  return (
    <section class="card pad mt share" aria-label="The same run elsewhere">
      <h2>The same run elsewhere</h2>
      <p class="small muted">
        Seed {request.seed} and version {version} give the same measurement to the bit: here, behind the link,
        and on the command line.
      </p>
      <Command line={commandOf(request)} />
      <div class="acts">
        <CopyButton text={link} label="Copy link" />
        <button
          type="button"
          class="btn"
          onClick={() => download('lab.yaml', 'application/yaml', request.workload)}
        >
          Download the workload
        </button>
        <button
          type="button"
          class="btn"
          disabled={!isCurrent}
          onClick={() =>
            download('measurement.json', 'application/json', `${JSON.stringify(measurement, null, 1)}\n`)
          }
        >
          Download measurement
        </button>
        <form
          class="keep"
          onSubmit={(event) => {
            event.preventDefault();
            void keep();
          }}
        >
          <label class="vh" for="keep-name">
            Name to keep it under
          </label>
          <input
            id="keep-name"
            type="text"
            maxLength={100}
            placeholder="name"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <button type="submit" class="btn" disabled={!isCurrent}>
            Keep result
          </button>
          <span class="xs dim" role="status">
            {kept ?? ''}
          </span>
        </form>
      </div>
      <Proof backend={backend} request={request} measurement={measurement} />
    </section>
  );
}

/** Proves what limits the run: the same run with each suspect off or twice as fast. */
function Proof({
  backend,
  request,
  measurement,
}: {
  backend: LaboratoryBackend;
  request: RunRequest;
  measurement: Measurement;
}): JSX.Element {
  const [state, setState] = useState<{
    of: RunRequest;
    says: string;
    share: number;
    done: Explanation | null;
    fault: string | null;
  } | null>(null);
  const isOfThis =
    state !== null &&
    state.of.workload === request.workload &&
    state.of.subsystem === request.subsystem &&
    state.of.seed === request.seed;
  const prove = async () => {
    const begun = { of: request, says: 'the run itself', share: 0, done: null, fault: null };
    setState(begun);
    try {
      const id = await backend.start({ ...request, job: 'explain' }, 'passing');
      backend.watch(id, (event) => {
        if (event.kind === 'part') setState({ ...begun, says: event.says, share: event.done / event.all });
        if (!isLast(event)) return;
        if (event.kind === 'result' && event.result.job === 'explain')
          setState({ ...begun, share: 1, done: event.result.explanation });
        else setState({ ...begun, fault: event.kind === 'failed' ? event.failure.message : 'It was ended.' });
      });
    } catch (error) {
      setState({ ...begun, fault: (error as Error).message });
    }
  };
  if (!isOfThis)
    return (
      <div class="acts">
        <button type="button" class="btn" onClick={() => void prove()}>
          Prove what limits it
        </button>
        <span class="xs dim">
          Runs it again with each suspect off or twice as fast, as <code>kelpie run --explain</code> does.
        </span>
      </div>
    );
  if (state.fault !== null) return <Fault text={state.fault} />;
  if (state.done === null)
    return (
      <div>
        <p class="small">What if {state.says}?</p>
        <Progress share={state.share} text="The proof" />
      </div>
    );
  const { conclusion, outcomes } = state.done;
  return (
    <div class="scroll">
      <p class="small">
        <Tag mood="ok">verified by runs</Tag> {conclusion.charAt(0).toUpperCase() + conclusion.slice(1)}.
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">what if</th>
            <th scope="col" class="r">
              Gb/s
            </th>
            <th scope="col" class="r">
              times
            </th>
            <th scope="col" class="r">
              paused
            </th>
            <th scope="col">anomaly</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <td>as it is</td>
            <td class="r">{figure(measurement.total.goodputGbps)}</td>
            <td class="r">1.00</td>
            <td class="r">
              {measurement.pauseRatio === null ? '–' : `${figure(100 * measurement.pauseRatio)} %`}
            </td>
            <td>{measurement.verdict.symptom ?? 'none'}</td>
          </tr>
          {outcomes.map((each) => (
            <tr key={each.name} class={each.matters ? 'hit' : ''}>
              <td>{each.name}</td>
              <td class="r">{figure(each.goodputGbps)}</td>
              <td class="r">{each.faster.toFixed(2)}</td>
              <td class="r">{each.pauseRatio === null ? '–' : `${figure(100 * each.pauseRatio)} %`}</td>
              <td>{each.clears ? <Tag mood="ok">clears it</Tag> : (each.symptom ?? 'none')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

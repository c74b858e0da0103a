import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { LaboratoryBackend } from '../../laboratory/desk/backend.js';
import type { Catalogue } from '../../laboratory/desk/catalogue.js';
import { FIRST_SETUP } from '../../laboratory/setup/setup.js';
import type { LabModel } from '../model/lab-model.js';
import { useObserved } from '../model/observable.js';
import { Fault } from '../parts.js';
import { Rail, topOf } from './controls.js';
import { usePlayback } from './playback.js';
import { BudgetCard, Charts, CounterCard, LiveCounters, Readings, Scene, Verdict } from './result.js';
import { Share } from './share.js';

interface LabPageProps {
  readonly model: LabModel;
  readonly backend: LaboratoryBackend;
  readonly catalogue: Catalogue;
}

/** The laboratory: controls beside what they do. */
export function LabPage({ model, backend, catalogue }: LabPageProps): JSX.Element {
  const { linked, measurement, isCurrent, run, fault, note, id } = useObserved(model);
  const playback = usePlayback(measurement?.series.timeNs.length ?? 0);
  const request = model.request;
  const subsystem =
    catalogue.subsystems.find(({ name }) => name === (measurement?.profile ?? request.subsystem)) ?? null;
  const direction = linked.kind === 'setup' ? linked.setup : { direction: 'uni' as const };
  const topGbps = subsystem === null ? 100 : topOf(direction, subsystem);
  const keep = async (name: string) => {
    // What was made ahead is run here before it is kept: a result has a job behind it.
    const number = id ?? (await runNow(backend, model));
    await backend.keep(number, name);
  };
  return (
    <div class="lab" data-result={isCurrent ? (id === null ? 'ahead' : 'here') : 'old'}>
      <aside class="card rail" aria-label="Set up">
        <h2>Set up</h2>
        {linked.kind === 'setup' ? (
          <Rail model={model} setup={linked.setup} catalogue={catalogue} />
        ) : (
          <Editor key={request.workload} model={model} catalogue={catalogue} />
        )}
        {note !== '' && (
          <p class="xs note" role="status">
            {note}
          </p>
        )}
        <div class="acts">
          {run !== null && (
            <button type="button" class="btn" onClick={() => model.stop()}>
              Stop the run
            </button>
          )}
          {linked.kind === 'setup' ? (
            <button type="button" class="btn" onClick={() => model.show({ kind: 'workload', request })}>
              Edit as a workload
            </button>
          ) : (
            <button
              type="button"
              class="btn"
              onClick={() => model.show({ kind: 'setup', setup: FIRST_SETUP })}
            >
              Back to the sliders
            </button>
          )}
        </div>
      </aside>
      <div class="main">
        {fault !== null && (
          <section class="card pad">
            <Fault text={fault}>
              <p class="small muted">Below is the previous run. Move a control, or run it again.</p>
              <button type="button" class="btn" onClick={() => model.again()}>
                Run it again
              </button>
            </Fault>
          </section>
        )}
        {measurement !== null && subsystem !== null ? (
          <>
            <Verdict measurement={measurement} isCurrent={isCurrent} run={run} />
            <ReadingsOf model={model} topGbps={topGbps} />
            {run !== null && <LiveCounters run={run} />}
            <div class={isCurrent ? '' : 'old'}>
              <Scene
                measurement={measurement}
                subsystem={subsystem}
                playback={playback}
                topGbps={subsystem.portGbps}
              />
              <Charts measurement={measurement} slice={playback.slice} topGbps={topGbps} />
              <BudgetCard measurement={measurement} />
              <CounterCard measurement={measurement} />
            </div>
            <Share
              {...{ backend, request, linked, measurement, isCurrent }}
              onKeep={keep}
              version={catalogue.version}
            />
          </>
        ) : (
          <section class="card pad">
            <h1>First result in about a second.</h1>
          </section>
        )}
      </div>
    </div>
  );
}

/** The numbers of where the controls are, as soon as anybody knows them; until then those before, dimmed. */
function ReadingsOf({ model, topGbps }: { model: LabModel; topGbps: number }): JSX.Element | null {
  const { reading, measurement, isCurrent } = useObserved(model);
  const shown = reading ?? (measurement === null ? null : model.lastReading);
  if (shown === null) return null;
  return <Readings reading={shown} topGbps={topGbps} isCurrent={isCurrent || reading !== null} />;
}

async function runNow(backend: LaboratoryBackend, model: LabModel): Promise<string> {
  const id = await backend.start(model.request, 'passing');
  await new Promise<void>((done) => {
    backend.watch(id, ({ kind }) => {
      if (kind === 'result' || kind === 'failed' || kind === 'cancelled') done();
    });
  });
  return id;
}

/** A workload as a file, in place of the sliders. */
function Editor({ model, catalogue }: { model: LabModel; catalogue: Catalogue }): JSX.Element {
  const { request } = model;
  const [text, setText] = useState(request.workload);
  const [subsystem, setSubsystem] = useState(request.subsystem);
  const [seed, setSeed] = useState(request.seed);
  const open = async (file: File | undefined) => {
    if (file !== undefined) setText(await file.text());
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        model.show({ kind: 'workload', request: { job: 'run', subsystem, seed, workload: text } });
      }}
    >
      <div class="fld">
        <label class="label" for="subsystem">
          Subsystem
        </label>
        <select
          id="subsystem"
          value={subsystem}
          onChange={(event) => setSubsystem(event.currentTarget.value)}
        >
          {!catalogue.subsystems.some(({ name }) => name === subsystem) && (
            <option value={subsystem}>{subsystem}</option>
          )}
          {catalogue.subsystems.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <div class="fld">
        <label class="label" for="workload">
          <span>
            Workload, as <code>kelpie run</code> takes it
          </span>
        </label>
        <textarea
          id="workload"
          rows={16}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <div class="fld">
        <label class="label" for="file">
          Or open a file
        </label>
        <input
          id="file"
          type="file"
          accept=".yaml,.yml,.json"
          onChange={(event) => void open(event.currentTarget.files?.[0])}
        />
      </div>
      <div class="fld">
        <label class="label" for="seed">
          Seed
        </label>
        <input
          id="seed"
          type="number"
          min={0}
          step={1}
          value={seed}
          onChange={(event) => setSeed(event.currentTarget.valueAsNumber || 0)}
        />
      </div>
      <button type="submit" class="btn main">
        Run
      </button>
    </form>
  );
}

import type { JSX } from 'preact';
import type { Catalogue, SubsystemEntry } from '../../laboratory/desk/catalogue.js';
import { curveOf } from '../../laboratory/setup/curve.js';
import {
  CHOICES,
  type Choice,
  type Control,
  type Setup,
  SLIDERS,
  type Slider,
  textOf,
} from '../../laboratory/setup/setup.js';
import { figure, type RunReading } from '../../laboratory/view/reading.js';
import type { LabModel } from '../model/lab-model.js';
import { Field } from '../parts.js';

interface ControlProps {
  readonly model: LabModel;
  readonly setup: Setup;
  /** What goodput is held against: what the ports can carry in this direction. */
  readonly topGbps: number;
}

/** What to run: subsystem, operation, sliders, each with what moving it would do from here. */
export function Rail({
  model,
  setup,
  catalogue,
}: {
  model: LabModel;
  setup: Setup;
  catalogue: Catalogue;
}): JSX.Element {
  const subsystem =
    catalogue.subsystems.find(({ name }) => name === setup.subsystem) ?? catalogue.subsystems[0];
  const topGbps = topOf(setup, subsystem);
  const each = { model, setup, topGbps };
  const [opcode, transport, direction] = CHOICES;
  return (
    <>
      <SubsystemField model={model} setup={setup} catalogue={catalogue} />
      <Segments {...each} choice={opcode} />
      <Segments {...each} choice={transport} />
      <Segments {...each} choice={direction} />
      <Places model={model} setup={setup} subsystem={subsystem} />
      {SLIDERS.map((slider) => (
        <SliderField key={slider.field} {...each} slider={slider} />
      ))}
      <p class="xs dim">
        Over each slider: what it would do from here, from runs of its own.{' '}
        <span class="t1">Line: goodput</span>, <span class="t2">area: paused</span>; gaps have not been run
        yet.
      </p>
      <Settings model={model} setup={setup} subsystem={subsystem} catalogue={catalogue} />
    </>
  );
}

/** What the ports carry at best. */
export function topOf({ direction }: Pick<Setup, 'direction'>, { portGbps }: SubsystemEntry): number {
  return direction === 'bi' ? 2 * portGbps : portGbps;
}

/** The choice of what to run on. */
export function SubsystemField({
  model,
  setup,
  catalogue,
}: {
  model: LabModel;
  setup: Setup;
  catalogue: Catalogue;
}): JSX.Element {
  const choose = (name: string) => {
    const entry = catalogue.subsystems.find((each) => each.name === name);
    const places = entry?.nodes.map((node) => node.name) ?? [];
    const kept = (place: string) => (places.includes(place) ? place : '');
    const { memoryA, memoryB } = setup;
    model.show({
      kind: 'setup',
      setup: { ...setup, subsystem: name, memoryA: kept(memoryA), memoryB: kept(memoryB), settings: {} },
    });
  };
  const isKnown = catalogue.subsystems.some(({ name }) => name === setup.subsystem);
  return (
    <Field label="Subsystem" id="subsystem">
      <select id="subsystem" value={setup.subsystem} onChange={(event) => choose(event.currentTarget.value)}>
        {!isKnown && <option value={setup.subsystem}>{setup.subsystem}</option>}
        {catalogue.subsystems.map(({ name, title, own }) => (
          <option key={name} value={name}>
            {own ? `${title} (yours)` : title}
          </option>
        ))}
      </select>
      <span class="xs dim mono">{setup.subsystem}</span>
    </Field>
  );
}

/** One of a few words; under each what it would give. */
function Segments({ model, setup, topGbps, choice }: ControlProps & { choice: Choice }): JSX.Element {
  const points = curveOf(setup, choice);
  return (
    <fieldset class="fld">
      <legend class="label">{choice.title}</legend>
      <div class="seg">
        {points.map(({ value, setup: there }) => {
          const reading = model.readingAt(there);
          const isHere = setup[choice.field] === value;
          return (
            <button
              key={value}
              type="button"
              aria-pressed={isHere}
              title={saying(`${value}`, reading)}
              onClick={() => model.change(choice.field, value as never)}
            >
              {WORDS[String(value)] ?? value}
              <i class={`bar ${reading?.symptom ?? ''}`} style={{ width: `${share(reading, topGbps)}%` }} />
            </button>
          );
        })}
      </div>
    </fieldset>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  FETCH_ADD: 'ATOMIC',
  uni: 'a to b',
  bi: 'both ways',
  loopback: 'within a',
};

function share(reading: RunReading | null | undefined, topGbps: number): string {
  return reading == null ? '0' : Math.min(100, (100 * reading.goodputGbps) / topGbps).toFixed(1);
}

function saying(what: string, reading: RunReading | null | undefined): string {
  if (reading === undefined) return what;
  if (reading === null) return `${what}: cannot be run here`;
  const paused = reading.pauseRatio === null ? '' : `, paused ${figure(100 * reading.pauseRatio)} %`;
  return `${what}: ${figure(reading.goodputGbps)} Gb/s${paused}`;
}

function SliderField({ model, setup, topGbps, slider }: ControlProps & { slider: Slider }): JSX.Element {
  const { field, title, values, word } = slider;
  const place = Math.max(0, values.indexOf(setup[field]));
  const text = textOf(slider, setup[field]);
  const isOff = field === 'sizeBytes' && setup.opcode === 'FETCH_ADD';
  const points = curveOf(setup, slider);
  const readings = points.map((point) => model.readingAt(point.setup));
  return (
    <div class="fld">
      <label class="label" for={`s-${field}`}>
        <span>
          {title} <code class="xs">{word}</code>
        </span>
        <output for={`s-${field}`}>{isOff ? '8 B' : text}</output>
      </label>
      <Response control={slider} readings={readings} place={place} topGbps={topGbps} />
      <input
        type="range"
        id={`s-${field}`}
        min={0}
        max={values.length - 1}
        step={1}
        value={place}
        disabled={isOff}
        aria-valuetext={saying(text, readings[place])}
        onInput={(event) => model.change(field, values[Number(event.currentTarget.value)])}
      />
    </div>
  );
}

/** What moving a slider would do: goodput as a line, pauses as an area, only where runs say so. */
function Response({
  control,
  readings,
  place,
  topGbps,
}: {
  control: Control;
  readings: readonly (RunReading | null | undefined)[];
  place: number;
  topGbps: number;
}): JSX.Element {
  const across = (index: number) => (100 * index) / Math.max(1, control.values.length - 1);
  const down = (part: number) => (100 - 100 * Math.min(1, part)).toFixed(1);
  const known = readings.flatMap((reading, index) =>
    reading == null ? [] : [{ reading, x: across(index) }],
  );
  const runs = stretches(readings);
  const line = runs
    .map((run) =>
      run
        .map(
          ({ reading, index }, at) =>
            `${at === 0 ? 'M' : 'L'}${across(index).toFixed(1)} ${down(reading.goodputGbps / topGbps)}`,
        )
        .join(''),
    )
    .join('');
  const area = runs
    .filter((run) => run.some(({ reading }) => (reading.pauseRatio ?? 0) > 0))
    .map((run) => {
      const top = run
        .map(({ reading, index }) => `L${across(index).toFixed(1)} ${down(reading.pauseRatio ?? 0)}`)
        .join('');
      return `M${across(run[0].index).toFixed(1)} 100${top}L${across(run[run.length - 1].index).toFixed(1)} 100Z`;
    })
    .join('');
  return (
    <div class="resp" aria-hidden="true">
      <svg aria-hidden="true" viewBox="0 0 100 100" preserveAspectRatio="none">
        <path class="fillp" d={area} />
        <path class="c1" d={line} />
      </svg>
      {known.length < readings.length &&
        known.map(({ x, reading }) => (
          <i key={x} class="pt" style={{ left: `${x}%`, top: `${down(reading.goodputGbps / topGbps)}%` }} />
        ))}
      <i class="cur" style={{ left: `${across(place)}%` }} />
    </div>
  );
}

/** Neighbours that are known: between others nothing is drawn. */
function stretches(
  readings: readonly (RunReading | null | undefined)[],
): { reading: RunReading; index: number }[][] {
  const found: { reading: RunReading; index: number }[][] = [];
  readings.forEach((reading, index) => {
    if (reading == null) return;
    const last = found[found.length - 1];
    if (last !== undefined && last[last.length - 1].index === index - 1) last.push({ reading, index });
    else found.push([{ reading, index }]);
  });
  return found;
}

interface PlaceProps {
  readonly model: LabModel;
  readonly setup: Setup;
  readonly subsystem: SubsystemEntry;
}

/** Where the buffers of each host lie. */
function Places({ model, setup, subsystem }: PlaceProps): JSX.Element | null {
  const places = subsystem.nodes.filter(({ kind }) => kind === 'memory' || kind === 'gpu');
  if (places.length < 2) return null;
  const fields = setup.direction === 'loopback' ? (['memoryA'] as const) : (['memoryA', 'memoryB'] as const);
  return (
    <div class="two">
      {fields.map((field) => (
        <Field key={field} label={`Buffers of host ${field === 'memoryA' ? 'a' : 'b'}`} id={field}>
          <select
            id={field}
            value={setup[field] || subsystem.memory}
            onChange={({ currentTarget: { value } }) =>
              model.change(field, value === subsystem.memory ? '' : value)
            }
          >
            {places.map(({ name, kind, title }) => (
              <option key={name} value={name}>
                {`${kind === 'gpu' ? 'GPU' : 'Memory'} ${/\d+$/.exec(name)?.[0] ?? name}${title === undefined ? '' : `, ${title}`}`}
              </option>
            ))}
          </select>
        </Field>
      ))}
    </div>
  );
}

/** What an operator has set, and the seed. */
function Settings({
  model,
  setup,
  subsystem,
  catalogue,
}: PlaceProps & { catalogue: Catalogue }): JSX.Element {
  const set = (name: string, value: string) => {
    const { [name]: _, ...others } = setup.settings;
    model.change('settings', value === subsystem.settings[name] ? others : { ...others, [name]: value });
  };
  const moved = Object.keys(setup.settings).length;
  return (
    <details class="fld">
      <summary>Settings of hosts and network{moved === 0 ? '' : `, ${moved} changed`}</summary>
      <div class="two">
        {catalogue.settings.map(({ name, values, meaning }) => (
          <Field key={name} label={name} id={`set-${name}`}>
            <select
              id={`set-${name}`}
              title={meaning}
              value={setup.settings[name] ?? subsystem.settings[name]}
              onChange={(event) => set(name, event.currentTarget.value)}
            >
              {values.map((value) => (
                <option key={value} value={value}>
                  {value}
                  {value === subsystem.settings[name] ? ', as it is' : ''}
                </option>
              ))}
            </select>
          </Field>
        ))}
        <Field label="seed" id="seed">
          <input
            id="seed"
            type="number"
            min={0}
            step={1}
            value={setup.seed}
            onChange={({ currentTarget: { valueAsNumber } }) => {
              if (Number.isSafeInteger(valueAsNumber) && valueAsNumber >= 0)
                model.change('seed', valueAsNumber);
            }}
          />
        </Field>
      </div>
    </details>
  );
}

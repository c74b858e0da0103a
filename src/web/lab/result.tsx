import type { JSX } from 'preact';
import type { SubsystemEntry } from '../../laboratory/desk/catalogue.js';
import { budgetOf } from '../../laboratory/view/budget.js';
import { pictureOf } from '../../laboratory/view/picture.js';
import { figure, headlineOf, type RunReading, timeText } from '../../laboratory/view/reading.js';
import { counterText } from '../../report/counter-text.js';
import type { Measurement } from '../../workload/index.js';
import type { RunState } from '../model/lab-model.js';
import { Icon, Meter, Progress } from '../parts.js';
import { TimeSeries } from '../time-series.js';
import { LivingPicture } from './picture.js';
import { type Playback, SLICE_MS } from './playback.js';

/** Full scale of the meter of latency and of that of packets. */
const LATENCY_NS = 200_000;
const PACKETS_PER_SECOND = 60e6;

/** The one sentence that changes while a slider moves. */
export function Verdict({
  measurement,
  isCurrent,
  run,
}: {
  measurement: Measurement;
  isCurrent: boolean;
  run: RunState | null;
}): JSX.Element {
  const { mood, text, reason } = headlineOf(measurement);
  return (
    <section class={`card verdict ${mood}${isCurrent ? '' : ' old'}`} aria-live="polite" aria-label="Verdict">
      <span class="vi">
        <Icon name={mood} />
      </span>
      <h1>{text}</h1>
      <p class="small muted">{reason}</p>
      {run !== null && <Progress share={run.share} text="The run" />}
    </section>
  );
}

/** Four numbers with a fixed scale. */
export function Readings({
  reading,
  topGbps,
  isCurrent,
}: {
  reading: RunReading;
  topGbps: number;
  isCurrent: boolean;
}): JSX.Element {
  const { goodputGbps, pauseRatio, p50Ns, p99Ns, littleNs, packetsPerSecond } = reading;
  const latency =
    p50Ns === null
      ? littleNs === null
        ? 'no request completed in this run'
        : `none completed while followed; by Little’s law ${timeText(littleNs)}`
      : `${p99Ns === null ? 'too few samples for p99' : `p99 ${timeText(p99Ns)}`}; scale 0 to 200 µs`;
  return (
    <section class={`card read${isCurrent ? '' : ' old'}`} aria-label="Readings">
      <div>
        <span class="label">Goodput</span>
        <b>
          {figure(goodputGbps)} <span>Gb/s</span>
        </b>
        <Meter share={goodputGbps / topGbps} colour="d1" />
        <span class="xs dim">the wire has {topGbps}</span>
      </div>
      <div>
        <span class="label">Paused</span>
        <b>
          {pauseRatio === null ? '–' : figure(100 * pauseRatio)} <span>%</span>
        </b>
        <Meter share={pauseRatio ?? 0} colour="d2" />
        <span class="xs dim">
          {pauseRatio === null ? 'not counted here' : 'of the time; above 0.1 is an anomaly'}
        </span>
      </div>
      <div>
        <span class="label">
          Latency<span class="o2">, median</span>
        </span>
        <b>
          {p50Ns === null ? '–' : figure(p50Ns / 1000)} <span>µs</span>
        </b>
        <Meter share={(p50Ns ?? 0) / LATENCY_NS} colour="d5" />
        <span class="xs dim">{latency}</span>
      </div>
      <div>
        <span class="label">Packets</span>
        <b>
          {figure(packetsPerSecond / 1e6)} <span>M/s</span>
        </b>
        <Meter share={packetsPerSecond / PACKETS_PER_SECOND} colour="d6" />
        <span class="xs dim">scale 0 to 60; {figure(reading.messagesPerSecond / 1e6)} M messages/s</span>
      </div>
    </section>
  );
}

interface SceneProps {
  readonly measurement: Measurement;
  readonly subsystem: SubsystemEntry;
  readonly playback: Playback;
  readonly topGbps: number;
}

/** The subsystem at work: slices of the run one after the other. */
export function Scene({ measurement, subsystem, playback, topGbps }: SceneProps): JSX.Element {
  const picture = pictureOf(measurement, subsystem);
  const { timeNs } = measurement.series;
  const { slice, isPlaying, play, seek } = playback;
  const sliceNs = timeNs.length < 2 ? (timeNs[0] ?? 1) : timeNs[1] - timeNs[0];
  if (picture === null)
    return (
      <section class="card pad">
        <h2>The subsystem at work</h2>
        <p class="small muted">
          The picture is of two hosts; this run has {measurement.hosts.length}. Its queues and links are in
          the table below.
        </p>
      </section>
    );
  return (
    <section class="card pad pic" aria-label="The subsystem at work">
      <div class="hd">
        <h2>The subsystem at work</h2>
        <span class="xs dim">
          slowed down {Math.round((SLICE_MS * 1e6) / sliceNs).toLocaleString('en')} times; levels as the run
          had them
        </span>
      </div>
      <div class={isPlaying ? 'playing' : ''}>
        <LivingPicture picture={picture} slice={slice} topGbps={topGbps} />
      </div>
      <div class="time">
        <button type="button" class="btn" aria-pressed={isPlaying} onClick={() => play(!isPlaying)}>
          {isPlaying ? 'Hold' : 'Play'}
        </button>
        <input
          type="range"
          aria-label="Time in the run"
          min={0}
          max={Math.max(0, timeNs.length - 1)}
          value={slice}
          aria-valuetext={timeText(timeNs[slice] ?? 0)}
          onInput={(event) => seek(Number(event.currentTarget.value))}
        />
        <span class="xs num">{timeText(timeNs[slice] ?? 0)}</span>
      </div>
    </section>
  );
}

/** Rates and pauses over the time of the run. */
export function Charts({
  measurement,
  slice,
  topGbps,
}: {
  measurement: Measurement;
  slice: number;
  topGbps: number;
}): JSX.Element {
  const { series, steadyState } = measurement;
  const goodput = Object.entries(series.tenants).map(([name, { goodputGbps }], place) => ({
    ...{ name, values: goodputGbps, colour: place === 0 ? 1 : 4, dashed: place > 0 },
  }));
  const pauses = Object.entries(series.hosts).flatMap(([name, { pauseRatio }], place) =>
    pauseRatio === null
      ? []
      : [
          {
            ...{ name: `host ${name}`, colour: place === 0 ? 4 : 2, dashed: place === 0 },
            values: pauseRatio.map((each) => Math.min(100, 100 * each)),
          },
        ],
  );
  const us = steadyState.sliceNs / 1000;
  return (
    <section class="card pad mt" aria-label="Over time">
      <div class="charts">
        <TimeSeries
          title="Goodput"
          about="Gb/s; dashed: line rate"
          timeNs={series.timeNs}
          lines={goodput.slice(0, 3)}
          top={topGbps * 1.05}
          reference={topGbps}
          slice={slice}
        />
        {pauses.length === 0 ? (
          <p class="small muted">Pauses are not counted here.</p>
        ) : (
          <TimeSeries
            title="Pauses sent"
            about={`% of each ${us} µs`}
            timeNs={series.timeNs}
            lines={pauses.slice(0, 3)}
            top={100}
            slice={slice}
          />
        )}
      </div>
      <p class="xs dim">
        A point for each slice of {us} µs, the first {timeText(steadyState.warmupNs)} included, which the
        figures leave out. Goodput is counted where it arrives; a full buffer that drains can exceed the line
        for a slice.
      </p>
    </section>
  );
}

/** Where each byte and each nanosecond went. */
export function BudgetCard({ measurement }: { measurement: Measurement }): JSX.Element | null {
  const budget = budgetOf(measurement);
  if (budget === null) return null;
  const { bytes, times, totalNs, isMeasured } = budget;
  const longest = Math.max(1, ...times.map(({ ns }) => ns));
  const parts = measurement.limits.parts.slice(0, 5);
  return (
    <section class="card pad mt" aria-label="Where each nanosecond and byte goes">
      <h2>Where each nanosecond and byte goes</h2>
      <div class="budget">
        <div>
          <h3>
            {totalNs === null
              ? 'No request completed in this run'
              : `A request takes ${timeText(totalNs)} from post to completion${isMeasured ? '' : ', by Little’s law'}`}
          </h3>
          <ul class="bars">
            {times.map(({ title, ns, kind }) => (
              <li key={title}>
                <span>{title}</span>
                <Meter share={ns / longest} colour={kind === 'rest' ? 'd6' : 'd5'} />
                <span class="num">{timeText(ns)}</span>
              </li>
            ))}
          </ul>
          <p class="xs dim">
            {times.length === 0
              ? 'Only for one tenant between two hosts.'
              : 'Derived: what waits in a queue divided by what passes it, over the measured time. The total is measured' +
                (isMeasured ? '.' : ' by what is in flight.')}
          </p>
          <h3>How much of each part is used</h3>
          <ul class="bars">
            {parts.map(({ name, share, evidence }) => (
              <li key={name} title={evidence}>
                <span>{name}</span>
                <Meter share={share} colour={share >= 0.9 ? 'd2' : 'd1'} />
                <span class="num">{figure(100 * share)} %</span>
              </li>
            ))}
          </ul>
        </div>
        <div class="scroll">
          <table>
            <caption>Per byte of payload that arrives</caption>
            <thead>
              <tr>
                <th scope="col">link</th>
                <th scope="col" class="r">
                  bytes
                </th>
                <th scope="col" class="r">
                  Gb/s
                </th>
                <th scope="col" class="r">
                  of at most
                </th>
                <th scope="col" class="r">
                  busy
                </th>
              </tr>
            </thead>
            <tbody>
              {bytes.map(({ title, gbps, roomGbps, busy, perByte }) => (
                <tr key={title}>
                  <td>{title}</td>
                  <td class="r">{perByte.toFixed(2)}</td>
                  <td class="r">{figure(gbps)}</td>
                  <td class="r">{figure(roomGbps)}</td>
                  <td class="r">{figure(100 * busy)} %</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
    </section>
  );
}

/** The counters of a run that is going on, as they move. */
export function LiveCounters({ run }: { run: RunState }): JSX.Element | null {
  const rows = Object.entries(run.counters).flatMap(([device, moved]) =>
    Object.entries(moved).map(([name, value]) => ({ device, name, value })),
  );
  if (rows.length === 0) return null;
  rows.sort((one, other) => other.value - one.value);
  return (
    <section class="card pad live" aria-label="Counters as they move">
      <div class="hd">
        <h2>Counters as they move</h2>
        <span class="xs dim">
          {run.trace.length} slices so far, {figure(run.goodputGbps)} Gb/s in the last
        </span>
      </div>
      <ul class="chips">
        {rows.slice(0, 24).map(({ device, name, value }) => (
          <li key={`${device} ${name}`} class="chip code">
            {device} {counterText(name, value / (run.sliceNs / 1e9))}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The counters of a run that has ended, the most first, as rates. */
export function CounterCard({ measurement }: { measurement: Measurement }): JSX.Element {
  const seconds = measurement.steadyState.measuredNs / 1e9;
  return (
    <details class="card pad mt">
      <summary>Counters of the NICs</summary>
      {measurement.hosts.map(({ name, counters }) => (
        <div key={name}>
          <h3>Host {name}</h3>
          <ul class="chips">
            {Object.entries(counters)
              .filter(([, value]) => value !== 0)
              .map(([counter, value]) => (
                <li key={counter} class="chip code">
                  {counterText(counter, value / seconds)}
                </li>
              ))}
          </ul>
        </div>
      ))}
    </details>
  );
}

import type { Explanation, WhatIfOutcome } from '../../jobs/explain/index.js';
import type { Measurement } from '../../workload/index.js';
import type { Html } from '../html.js';
import { limitText } from '../limit-text.js';
import { doubts, hostCard, limitsCard, rateTable, timeCharts, workloadCard } from '../measurement-cards.js';
import { reportPage } from '../page.js';
import { card, type Fact } from '../parts.js';
import { sizeCards, sizesHeadline } from '../size-cards.js';

/** A run, with what was proved about it where that was asked for. */
export type ExplainedMeasurement = Measurement & { readonly explanation?: Explanation };

/** What a command measures: its figures come first. */
export type MeasuredAs = 'rate' | 'latency';

/** Runs of one command as a report: verdict, rates, latency, pauses, what limited them, and how they went over time. */
export function measurementPage(
  measurements: readonly ExplainedMeasurement[],
  command: string,
  job: string,
  as: MeasuredAs = 'rate',
): string {
  const [first] = measurements;
  const found = measurements.filter(({ verdict }) => verdict.anomaly);
  const worst = found[0] ?? first;
  const where = worst.profile ?? worst.provider;
  const title = `${worst.workload.name} on ${where}`;
  const partial = measurements.some((each) => each.partial);
  const several = measurements.length > 1;
  return reportPage({
    title,
    job: `${job} · ${where}`,
    mood: partial ? 'warn' : worst.verdict.anomaly ? 'bad' : 'ok',
    headline: several
      ? `${title}: ${sizesHeadline(measurements, as)}`
      : `${title}: ${worst.verdict.anomaly ? `an anomaly (${worst.verdict.symptom})` : 'no anomaly'}`,
    lead: [
      ...(several ? [anomalies(found.length, measurements.length)] : leadOf(worst)),
      ...(partial ? ['Interrupted: the result is partial.'] : []),
    ].join(' '),
    facts: several ? factsOfAll(measurements) : as === 'rate' ? rateFacts(worst) : latencyFacts(worst),
    command,
    body: several ? sizeCards(measurements, as) : runCards(worst),
  });
}

function anomalies(found: number, all: number): string {
  if (found === 0) return `None of the ${all} sizes is an anomaly.`;
  return `${found} of the ${all} sizes ${found === 1 ? 'is an anomaly' : 'are anomalies'}.`;
}

function leadOf({ verdict, limits, explanation, directions }: ExplainedMeasurement): string[] {
  // A sentence that begins with a host's name keeps it as it is.
  const named = directions.some(({ from }) => verdict.why.startsWith(`${from} `));
  return [
    sentence(named ? verdict.why : capital(verdict.why)),
    sentence(limitText(limits.by)),
    ...(explanation?.cause == null ? [] : [effectOf(explanation.cause)]),
  ];
}

/** What showed by a run of its own what the limit is. */
function effectOf({ name, clears, faster }: WhatIfOutcome): string {
  return `Verified by a run: ${clears ? 'the anomaly is gone' : `${faster.toFixed(2)} times as fast`} if ${name}.`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function paused({ pauseRatio }: Measurement): Fact {
  return { name: 'paused', value: pauseRatio === null ? '–' : `${(pauseRatio * 100).toFixed(1)} %` };
}

function runFacts({ steadyState, seed }: Measurement): Fact[] {
  return [
    { name: 'measured, µs', value: (steadyState.measuredNs / 1000).toFixed(0) },
    { name: 'steady', value: steadyState.steady ? 'yes' : 'no' },
    { name: 'seed', value: String(seed) },
  ];
}

function rateFacts(measurement: Measurement): Fact[] {
  const { total } = measurement;
  return [
    { name: 'goodput, Gb/s', value: total.goodputGbps.toFixed(2) },
    { name: 'M messages/s', value: (total.messagesPerSecond / 1e6).toFixed(3) },
    paused(measurement),
    ...runFacts(measurement),
  ];
}

function latencyFacts(measurement: Measurement): Fact[] {
  const latencyNs = measurement.tenants[0].latencyNs;
  const us = (value: number | null | undefined) => (value == null ? '–' : (value / 1000).toFixed(2));
  return [
    { name: 'median, µs', value: us(latencyNs?.p50) },
    { name: 'p99, µs', value: us(latencyNs?.p99) },
    { name: 'p99.9, µs', value: us(latencyNs?.p999) },
    { name: 'messages', value: String(latencyNs?.samples ?? 0) },
    paused(measurement),
    { name: 'seed', value: String(measurement.seed) },
  ];
}

function factsOfAll(measurements: readonly Measurement[]): Fact[] {
  const ratios = measurements.flatMap(({ pauseRatio }) => (pauseRatio === null ? [] : [pauseRatio]));
  return [
    { name: 'sizes', value: String(measurements.length) },
    {
      name: 'paused at most',
      value: ratios.length === 0 ? '–' : `${(Math.max(...ratios) * 100).toFixed(1)} %`,
    },
    { name: 'seed', value: String(measurements[0].seed) },
  ];
}

function runCards(measurement: ExplainedMeasurement): Html[] {
  return [
    card('Rates and latency', rateTable(measurement), doubts(measurement)),
    // What a campaign keeps of a run has no series.
    ...(measurement.series.timeNs.length === 0 ? [] : [card('Over time', timeCharts(measurement))]),
    ...(measurement.explanation === undefined ? [] : [limitsCard(measurement, measurement.explanation)]),
    hostCard(measurement),
    workloadCard(measurement),
  ];
}

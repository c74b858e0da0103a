import { stringify } from 'yaml';
import type { Advice, Anomaly } from '../../jobs/hunt/index.js';
import { counterName, counterRate } from '../counter-text.js';
import { type Html, html, NOTHING } from '../html.js';
import { breakable, chips, command, items } from '../parts.js';
import { componentOf, type Finding, headingOf, isVerified, severityText } from './causes.js';
import { evidenceCharts } from './evidence-charts.js';

/** What runs a hunt again, and each of its anomalies. */
export interface HuntCommands {
  readonly again: string;
  reproducer(index: number): string;
  /** The command that runs an anomaly with what clears it; none where that was not run. */
  cleared?(index: number): string | null;
}

/** What a severity is a share of, by symptom. */
const MEANINGS: Readonly<Record<string, string>> = {
  pause: 'of the time paused',
  throughput: 'of the throughput missing',
  loss: 'of packets lost',
};
const GLYPHS: Readonly<Record<string, string>> = { pause: '‖', throughput: '↓', loss: '×' };
/** Counters that a card lists. */
const MOST_COUNTERS = 5;

/** A finding in full: how bad, cause, evidence, what triggers it, what clears it, the command that shows it again. */
export function findingCard(finding: Finding, commands: HuntCommands): Html {
  const { anomaly, index } = finding;
  const { symptom, severity, why } = anomaly;
  return html`<article class="card an ${symptom}" id="anomaly-${index + 1}" ${marks(anomaly)}><header><div class="sev"><b>${severityText(severity)}</b>${meter(anomaly)}<span class="xs muted">${MEANINGS[symptom] ?? symptom}</span></div><div><h3>${whyOf(why)}</h3>${facts(finding)}</div></header>${body(finding, commands)}</article>`;
}

/** A finding as one line that opens in place. */
export function findingRow(finding: Finding, commands: HuntCommands): Html {
  const { anomaly, index } = finding;
  const { severity, why } = anomaly;
  const known = anomaly.matches.map((id) => id.replace('C', '#')).join(' ');
  return html`<details class="row" id="anomaly-${index + 1}" ${marks(anomaly)}><summary><span class="rs">${severityText(severity)}</span>${meter(anomaly)}${symptomTag(anomaly)}${briefOf(finding)}<span class="rm">${known === '' ? '' : `Table 2, ${known}`}</span></summary><div class="rb"><p class="small"><b>${whyOf(why)}</b></p>${facts(finding)}${body(finding, commands)}</div></details>`;
}

/** What went wrong, as a sentence begins; a host's name keeps its letters. */
function whyOf(why: string): string {
  return why.replace(/^the /, 'The ');
}

/** A finding in a few words: what it needs, or its cause where that is not known. */
function briefOf(finding: Finding): Html {
  const { anomaly } = finding;
  if (anomaly.complete) return html`<span class="rf mono">${needsOf(anomaly).join('; ')}</span>`;
  const sure = isVerified(finding) ? 'verified' : 'suspected';
  const component = componentOf(finding);
  return html`<span class="rf">${component === null ? 'no part is suspected' : `${headingOf(component)}, ${sure}`}</span>`;
}

/** What the filter of the page looks at. */
function marks({ symptom, matches }: Anomaly): Html {
  return html`data-symptom="${symptom}" data-known="${matches.length}"`;
}

function meter({ symptom, severity }: Anomaly): Html {
  return html`<span class="meter ${symptom}"><i style="width:${Math.min(100, severity * 100).toFixed(1)}%"></i></span>`;
}

function symptomTag({ symptom }: Anomaly): Html {
  return html`<span class="tag ${symptom}">${GLYPHS[symptom] ?? ''} ${symptom}</span>`;
}

function facts({ anomaly, index }: Finding): Html {
  const { matches, hours, times, experiment } = anomaly;
  const known =
    matches.length === 0 ? [] : [`Collie Table 2, ${matches.map((id) => id.replace('C', '#')).join(' ')}`];
  return html`<p class="facts-line small muted">${symptomTag(anomaly)} Anomaly ${index + 1}, experiment ${experiment}, found after ${hours.toFixed(1)} h, met ${times === 1 ? 'once' : `${times} times`}</p>${chips(known)}`;
}

function body(finding: Finding, commands: HuntCommands): Html {
  const { anomaly, index, evidence } = finding;
  const { corners = [] } = anomaly;
  const cleared = evidence?.cleared == null ? null : (commands.cleared?.(index) ?? null);
  return html`<div class="cols"><section><h4>${isVerified(finding) ? 'Cause, verified by a run' : 'Suspected cause'}</h4>${causeOf(finding)}${counters(anomaly)}</section><section><h4>Evidence</h4>${evidence === null ? html`<p class="small dim">Its reproducer was not run again for this report: add --html to the command below.</p>` : evidenceCharts(evidence)}</section><section><h4>All of these must hold</h4>${chips(needsOf(anomaly))}${corners.length === 0 ? NOTHING : items(corners.map((corner) => `or ${corner.features.join('; ')}`))}<h4>Any one of these clears it</h4>${waysOut(anomaly)}</section></div><footer><h4>Reproduce it</h4>${command(commands.reproducer(index))}${cleared === null ? NOTHING : html`<h4>And with ${evidence?.cleared?.text ?? ''}</h4>${command(cleared)}`}<details><summary>The workload of anomaly ${index + 1}</summary><pre tabindex="0">${stringify(anomaly.workload)}</pre></details></footer>`;
}

function needsOf({ complete, features }: Anomaly): string[] {
  if (!complete) return ['not reduced in time'];
  return features.length === 0 ? ['always'] : features;
}

function causeOf(finding: Finding): Html {
  const cause = finding.evidence?.cause ?? null;
  const lines =
    cause === null
      ? []
      : [
          `${cause.clears ? 'Gone' : `${cause.faster.toFixed(2)} times as fast`} if ${cause.whatIf}.`,
          ...(cause.others.length === 0 ? [] : [`Also gone if ${cause.others.join(', or if ')}.`]),
        ];
  return html`<p class="who">${headingOf(componentOf(finding))}</p>${lines.length === 0 ? html`<p class="small dim">A guess from its conditions and counters.</p>` : items(lines)}`;
}

function counters({ counters: moved }: Anomaly): Html {
  if (moved.length === 0)
    return html`<p class="small dim">No counter moved compared with clean workloads.</p>`;
  const rows = moved
    .slice(0, MOST_COUNTERS)
    .map(
      ({ name, rate, baseline }) =>
        html`<tr><td class="mono">${breakable(counterName(name))}</td><td>${counterRate(name, rate, Math.max(rate, baseline))}</td><td>${counterRate(name, baseline, Math.max(rate, baseline))}</td></tr>`,
    );
  return html`<table class="moved"><thead><tr><th scope="col">counter</th><th scope="col">here</th><th scope="col">clean</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function waysOut({ advice, complete }: Anomaly): Html {
  if (advice.length === 0)
    return html`<p class="small dim">${complete ? 'No single change was found.' : 'Not tried: it was not reduced in time.'}</p>`;
  const rows = advice.map((each) => html`<li>${each.text}<small>${outcomeOf(each)}</small></li>`);
  return html`<ul class="fix">${rows}</ul><p class="xs dim">Each verified by a run, the cheapest first.</p>`;
}

/** What a change gave; answers of earlier versions do not say. */
function outcomeOf({ wireGbps, pauseRatio }: Advice): string {
  if (wireGbps === undefined) return '';
  const pauses =
    pauseRatio === null || pauseRatio === undefined
      ? ''
      : pauseRatio === 0
        ? ', no pause'
        : `, paused ${(pauseRatio * 100).toFixed(2)} %`;
  return `${wireGbps.toFixed(0)} Gb/s on the wire${pauses}`;
}

import type { Anomaly, AnomalyEvidence, HuntAnswer } from '../../jobs/hunt/index.js';

/** An anomaly with its place in the answer and what was measured for the report. */
export interface Finding {
  readonly anomaly: Anomaly;
  /** From 0. */
  readonly index: number;
  readonly evidence: AnomalyEvidence | null;
}

/** Findings with the same cause, the worst first. */
export interface Cause {
  /** `the NIC's translation cache`; null where no part is suspected. */
  readonly component: string | null;
  readonly findings: readonly Finding[];
}

/** The findings of a hunt in the order of its answer. */
export function findingsOf({ anomalies }: HuntAnswer, evidence: readonly AnomalyEvidence[]): Finding[] {
  const measured = new Map(evidence.map((each) => [each.anomaly, each]));
  return anomalies.map((anomaly, index) => ({ anomaly, index, evidence: measured.get(index) ?? null }));
}

/** The part behind a finding: the one whose absence clears it where that was tried, else the one that is suspected. */
export function componentOf({ anomaly, evidence }: Finding): string | null {
  return verifiedComponent(evidence) ?? anomaly.component;
}

/** Whether a run with the part switched off has shown that it is the cause. */
export function isVerified({ evidence }: Finding): boolean {
  return verifiedComponent(evidence) !== null;
}

function verifiedComponent(evidence: AnomalyEvidence | null): string | null {
  const cause = evidence?.cause ?? null;
  return cause?.clears === true ? cause.component : null;
}

/** Findings that were reduced, by cause; the cause with the worst one first. */
export function causesOf(findings: readonly Finding[]): Cause[] {
  const causes = new Map<string | null, Finding[]>();
  for (const each of findings.filter(({ anomaly }) => anomaly.complete).sort(bySeverity)) {
    const component = componentOf(each);
    causes.set(component, [...(causes.get(component) ?? []), each]);
  }
  return [...causes].map(([component, found]) => ({ component, findings: found }));
}

/** What a hunt found, in a sentence: anomalies that were reduced are counted with their causes, others are leads. */
export function headlineOf(
  { subsystem, experiments, partial }: HuntAnswer,
  findings: readonly Finding[],
): string {
  const stopped = partial ? ' before it was interrupted' : '';
  if (findings.length === 0)
    return `No anomaly of ${subsystem} in ${counted(experiments, 'experiment', 'experiments')}${stopped}`;
  const reduced = findings.filter(({ anomaly }) => anomaly.complete).length;
  const leads = findings.length - reduced;
  if (reduced === 0)
    return `${subsystem} has ${counted(leads, 'anomaly, not reduced', 'anomalies, none of them reduced')} in time${stopped}`;
  const parts = [
    `${counted(reduced, 'anomaly', 'anomalies')} with ${counted(causesOf(findings).length, 'cause', 'causes')}`,
    ...(leads === 0 ? [] : [`${counted(leads, 'lead', 'leads')} not reduced`]),
  ];
  return `${subsystem} has ${parts.join(' and ')}${stopped}`;
}

/** Findings as they are listed: the worst first, and after them those that were not reduced. */
export function listed(findings: readonly Finding[]): Finding[] {
  return [...findings].sort(
    (one, other) => Number(other.anomaly.complete) - Number(one.anomaly.complete) || bySeverity(one, other),
  );
}

/** The worst first; equal ones by the time they were found. */
export function bySeverity(one: Finding, other: Finding): number {
  return other.anomaly.severity - one.anomaly.severity || one.anomaly.hours - other.anomaly.hours;
}

/** A severity for people: one decimal, two below 1 %. */
export function severityText(severity: number): string {
  return `${(severity * 100).toFixed(severity < 0.01 ? 2 : 1)} %`;
}

/** `1 anomaly`, `31 anomalies`. */
export function counted(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** A component as a heading. */
export function headingOf(component: string | null): string {
  if (component === null) return 'No part is suspected';
  return component.replace(/^the /, '').replace(/^./, (letter) => letter.toUpperCase());
}

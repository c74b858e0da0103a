import type { Measurement, WorkloadInput } from '../../../../workload/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must, outside } from '../../check.js';
import type { RowOutcome, Row } from '../../row.js';
import { collieBenign, collieSubsystems, collieTargets } from '../../targets/collie.js';
import type { CollieParameter, CollieTarget } from '../../targets/target.js';
import { collieEncoded, collieFacts, collieWorkload, subsystemOf, withChange } from './workload.js';

const BENIGN_ID = 'C-benign';
const COMMON = { sizes: [65536], sendQueueDepth: 128, mtu: 4096 } satisfies WorkloadInput;

/** The corners of the benign list, by name. */
const benignWorkloads: Readonly<Record<string, WorkloadInput>> = {
  ...Object.fromEntries(
    [8, 64].flatMap((qps) =>
      [1, 8].flatMap((batch) =>
        (['uni', 'bi'] as const).map((direction): [string, WorkloadInput] => [
          `RC WRITE, ${qps} QPs, batch ${batch}, ${direction}`,
          { ...COMMON, opcode: 'WRITE', qps, batch, direction },
        ]),
      ),
    ),
  ),
  'RC SEND': { ...COMMON, opcode: 'SEND', qps: 16 },
  'RC READ': { ...COMMON, opcode: 'READ', qps: 16 },
  'UD SEND': {
    ...COMMON,
    transport: 'UD',
    opcode: 'SEND',
    qps: 8,
    sizes: [2048],
    sendQueueDepth: 64,
    batch: 8,
  },
};

/** Collie's triggers with their breaks, and the benign list. */
export const collieRows: readonly Row[] = [...collieTargets.map(rowOf), benignRow()];

function rowOf(target: CollieTarget): Row {
  return {
    id: target.id,
    paper: 'Collie',
    setting: describe(target),
    metric: 'anomaly; each break alone clears it',
    unit: 'symptom',
    expected: expectation(target),
    tolerance: 'symptom',
    facts: collieFacts[target.id] ?? [],
    numeric: false,
    ...(collieEncoded[target.id] === undefined ? {} : { encoded: collieEncoded[target.id] }),
    run: (bench) => run(bench, target),
  };
}

async function run(bench: Bench, target: CollieTarget): Promise<RowOutcome> {
  const trigger = await bench.measure(subsystemOf(target), triggerWorkload(target));
  const complaints = [
    must(trigger.verdict.symptom === target.symptom, `no ${target.symptom}: ${trigger.verdict.why}`),
  ];
  const simulated: Record<string, string> = { trigger: summary(trigger) };
  for (const [parameter, value] of Object.entries(target.breaks)) {
    const changed = withChange(target, parameter as CollieParameter, value);
    const measurement = await bench.measure(subsystemOf(target), collieWorkload(changed));
    const name = `${parameter} ${show(value)}`;
    simulated[name] = summary(measurement);
    complaints.push(
      must(!measurement.verdict.anomaly, `${name} does not clear it: ${measurement.verdict.why}`),
    );
  }
  return symptomAndMagnitude(simulated, complaints, magnitudeOf(target, trigger));
}

/** Which of two hosts that do the same pauses the other wanders; the paper's shares are of a second. */
const WANDERING = { measure: { minNs: 6e6, maxNs: 6e6 } } satisfies WorkloadInput;

/** A trigger as it is measured: long enough for the share of pauses that the paper gives. */
function triggerWorkload(target: CollieTarget): WorkloadInput {
  const wanders = target.pauseRatioAbout !== undefined && isSymmetric(target);
  return { ...collieWorkload(target), ...(wanders ? WANDERING : {}) };
}

/** A finding with both marks; without figures of the paper there is no magnitude. */
function symptomAndMagnitude(
  simulated: RowOutcome['simulated'],
  symptom: readonly (string | null)[],
  magnitude: readonly (string | null)[],
): RowOutcome {
  const trend = conclude(simulated, symptom).ok;
  const near = magnitude.length === 0 ? null : conclude(simulated, magnitude).ok;
  return { ...conclude(simulated, [...symptom, ...magnitude]), marks: { trend, magnitude: near } };
}

/** Pauses within this factor of the paper's are as long as they should be. */
const PAUSE_FACTOR = 2;
/** Rates within this share of the paper's are as high as they should be. */
const RATE_TOLERANCE = 0.15;

/** What is wrong with the figures that the paper gives for a trigger; empty where it gives none. */
function magnitudeOf(target: CollieTarget, { directions, hosts, verdict }: Measurement): (string | null)[] {
  const complaints: (string | null)[] = [];
  const gbps = Math.max(...directions.map(({ goodputGbps }) => goodputGbps));
  const below = (most: number) =>
    complaints.push(must(gbps < most, `${figures(gbps)} Gbps is not below ${figures(most)}`));
  if (target.throughputBelow !== undefined)
    below(target.throughputBelow * (verdict.bounds?.lineRateGbps ?? 0));
  if (target.gbpsBelow !== undefined) below(target.gbpsBelow);
  if (target.gbpsAbout !== undefined)
    for (const { from, to, goodputGbps } of directions)
      complaints.push(outside(`${from} to ${to},`, goodputGbps, target.gbpsAbout, RATE_TOLERANCE));
  const { pauseRatioAbout } = target;
  if (pauseRatioAbout !== undefined) {
    const pauses = hosts.map(({ name, pauseRatio }) => ({ name, share: pauseRatio ?? 0 }));
    const worst = Math.max(...pauses.map(({ share }) => share));
    // Both NICs of a row in which both hosts do the same; else the one that pauses.
    for (const { name, share } of pauses) {
      if (!isSymmetric(target) && share < worst) continue;
      const factor = share / pauseRatioAbout;
      complaints.push(
        must(
          factor <= PAUSE_FACTOR && factor >= 1 / PAUSE_FACTOR,
          `${name} pauses ${figures(share * 100)} % of the time, not within a factor of ${PAUSE_FACTOR} of ${figures(pauseRatioAbout * 100)} %`,
        ),
      );
    }
  }
  return complaints;
}

/** Whether both hosts of a trigger do the same, with memory in the same place. */
function isSymmetric({ bidirectional, memory }: CollieTarget): boolean {
  return bidirectional === true && (typeof memory !== 'object' || memory.a === memory.b);
}

function benignRow(): Row {
  return {
    id: BENIGN_ID,
    paper: 'Collie',
    setting: collieBenign.join('; '),
    metric: 'anomalies on subsystems A to H',
    unit: 'anomalies',
    expected: 0,
    tolerance: 'exact',
    facts: ['the corners of each range'],
    numeric: true,
    run: async (bench) => {
      const anomalies: string[] = [];
      let points = 0;
      for (const letter of Object.keys(collieSubsystems)) {
        for (const [name, workload] of Object.entries(benignWorkloads)) {
          const { verdict } = await bench.measure(`collie-${letter.toLowerCase()}`, workload);
          points++;
          if (verdict.anomaly) anomalies.push(`${letter}: ${name}: ${verdict.why}`);
        }
      }
      return conclude(
        { anomalies: anomalies.length, points },
        anomalies.map((each) => each),
      );
    },
  };
}

/** One point in a few words. */
export function summary({ verdict, directions, hosts }: Measurement): string {
  const gbps = directions.map(({ goodputGbps }) => figures(goodputGbps)).join('/');
  const pauses = hosts.map(({ pauseRatio }) => figures((pauseRatio ?? 0) * 100));
  const pause = pauses.some((each) => each > 0) ? `, pause ${pauses.join('/')} %` : '';
  return `${verdict.symptom ?? `clean (${verdict.limited})`}, ${gbps} Gb/s${pause}`;
}

function expectation(target: CollieTarget): string {
  const parts = [
    target.symptom === 'pause'
      ? `pause${target.pauseRatioAbout === undefined ? '' : ` ~${target.pauseRatioAbout * 100} %`}`
      : 'throughput below 80 %, no pause',
  ];
  if (target.throughputBelow !== undefined) parts.push(`below ${target.throughputBelow * 100} % of the line`);
  if (target.gbpsAbout !== undefined) parts.push(`~${target.gbpsAbout} Gb/s`);
  if (target.gbpsBelow !== undefined) parts.push(`below ${target.gbpsBelow} Gb/s`);
  return parts.join(', ');
}

function describe(target: CollieTarget): string {
  const { transport, op, on, qps, mrs, wq, mtu, batch, sge, sizes, senders, memory, acs } = target;
  const parts = [
    `${on}: ${transport} ${op}${target.bidirectional === true ? ' both ways' : ''}`,
    `${qps} QPs`,
  ];
  if (mrs > 1) parts.push(`${mrs} MRs`);
  parts.push(`wq ${wq}`, `batch ${batch}`, `sge ${sge}`, `MTU ${mtu}`, `${JSON.stringify(sizes)} B`);
  if (senders !== undefined) parts.push(`${senders.sameHost} by loopback`);
  if (memory !== undefined) parts.push(show(memory));
  if (acs !== undefined) parts.push(`ACS ${acs}`);
  return parts.join(', ');
}

function show(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return value.join(', ');
  return Object.entries(value)
    .map(([name, each]) => `${name}: ${each}`)
    .join(', ');
}

import { MISFITS, REFUSED } from './device-counters.js';
import type { Findings } from './findings.js';
import {
  coreParts,
  deviceParts,
  type LimitingPart,
  type LimitKind,
  linkParts,
  percent,
  splitName,
  TROUBLED_SHARE,
} from './limiting-parts.js';
import type { DeviceMeasurement, HostMeasurement } from './measurement.js';
import { lossParts, workloadParts } from './program-parts.js';
import { LOSS_SHARE, type RouteFacts, type Verdict, type VerdictFacts } from './verdict.js';

/** What limited a run. */
export interface Limits {
  /** In a sentence: the part, and what says so. */
  by: string;
  /** The part that limited it; null where none was used up. */
  part: LimitingPart | null;
  /** The parts that were used most, the most used first. */
  parts: LimitingPart[];
}

/** A part that is used this much has no more to give. */
const USED_UP = 0.9;
/** A NIC that pauses its peer only now and then is at its end only then: the part that it used this much is what ended. */
const USED_IN_BURSTS = 0.5;
/** What is used less than this is not worth a line. */
const WORTH_TELLING = 0.2;
const MOST_PARTS = 6;

/** Names what limited a run, from how much of each part it used. */
export function limitsOf(
  findings: Findings,
  hosts: readonly HostMeasurement[],
  facts: VerdictFacts,
  verdict: Verdict,
): Limits {
  const devices = hosts.flatMap((host) => host.devices);
  const links = linkParts(findings);
  const parts = [
    ...devices.flatMap((device, place) => deviceParts(findings, device, place, links)),
    ...links.filter(({ kind }) => kind === 'host link'),
    ...coreParts(hosts),
    ...workloadParts(findings, facts),
    ...lossParts(findings, facts.routes),
  ].sort((one, other) => hundredths(other.share) - hundredths(one.share));
  const told = parts.filter(({ share }) => share >= WORTH_TELLING).slice(0, MOST_PARTS);
  const troubled = troubledDevice(devices);
  const part = limiting(parts, troubled, verdict, facts.routes);
  return { by: sentence(part, parts, troubled), part, parts: told };
}

/** Less than a hundredth between two shares does not say which part is fuller: the one of the first host is named. */
function hundredths(share: number): number {
  return Math.round(share * 100);
}

/** A device that holds others up, and how. */
interface Troubled {
  name: string;
  pauses: boolean;
  words: string;
}

/** The device that pauses its peer, or drops what arrives; null where none does. */
function troubledDevice(devices: readonly DeviceMeasurement[]): Troubled | null {
  const worst = (value: (device: DeviceMeasurement) => number) =>
    [...devices].sort((one, other) => value(other) - value(one))[0];
  const pauses = (device: DeviceMeasurement) => device.pauseRatio ?? 0;
  const pausing = worst(pauses);
  if (pausing !== undefined && pauses(pausing) > TROUBLED_SHARE)
    return {
      name: pausing.name,
      pauses: true,
      words: `${pausing.name} pauses its peer ${percent(pauses(pausing))} of the time`,
    };
  const dropping = worst((device) => lostShare(device).all);
  const { dropped, all } = dropping === undefined ? { dropped: 0, all: 0 } : lostShare(dropping);
  if (dropping === undefined || all <= TROUBLED_SHARE) return null;
  const more = all > 2 * dropped ? `, and refuses ${percent(all - dropped)} that come after those` : '';
  return {
    name: dropping.name,
    pauses: false,
    words: `${dropping.name} drops ${percent(dropped)} of the packets that reach it${more}`,
  };
}

/** The share of what reaches a device that it drops itself, and with those that are of no use for want of them. */
function lostShare({ dropped, counters }: DeviceMeasurement): { dropped: number; all: number } {
  const arrived = counters['rx_packets_phy'] ?? 0;
  const misfits = dropped[MISFITS] ?? 0;
  const packets = Object.values(dropped).reduce((sum, each) => sum + each, -misfits);
  if (arrived === 0 || packets <= 0) return { dropped: 0, all: 0 };
  const refused = REFUSED.reduce((sum, counter) => sum + (counters[counter] ?? 0), misfits);
  return { dropped: packets / arrived, all: (packets + refused) / arrived };
}

/** The part that limited the run: of a NIC that holds others up its most used one, else the most used of all. */
function limiting(
  parts: readonly LimitingPart[],
  troubled: Troubled | null,
  verdict: Verdict,
  routes: readonly RouteFacts[],
): LimitingPart | null {
  if (troubled !== null) {
    // A message without a receive holds it.
    const waits = parts.find(({ kind }) => isProgram(kind));
    if (troubled.pauses && verdict.limited === 'generator' && waits !== undefined) return waits;
    const own = ownParts(parts, troubled);
    const used = own.find(({ share }) => share >= (troubled.pauses ? USED_IN_BURSTS : USED_UP));
    if (used !== undefined || verdict.limited !== 'generator') return used ?? null;
    // It drops what finds no receive: whoever posts too few of them waits.
    return parts.find(({ kind, share }) => kind === 'workload' && share >= USED_UP) ?? null;
  }
  const used = parts.filter(({ kind, share }) => kind !== 'loss' && share >= USED_UP);
  const loss = parts.find(({ kind }) => kind === 'loss');
  // Of what is full, a port that carries much for nothing is so because of losses, as are requests that wait.
  const resends = routes.some(({ losses }) => losses !== null && losses.uselessShare >= LOSS_SHARE);
  const isDueToLoss = ({ kind }: LimitingPart) => kind === 'workload' || (kind === 'line' && resends);
  if (loss !== undefined && used.every(isDueToLoss)) return loss;
  // A full port is full because of what is sent through it; whatever else is as busy only keeps up with it.
  if (used.length > 0) return used.find(({ kind }) => kind === 'line') ?? used[0];
  return verdict.limited === 'generator' ? (parts.find(({ kind }) => isProgram(kind)) ?? null) : null;
}

/** The parts of a device that holds others up, most used first. Its port does not make it slow: others would send more. */
function ownParts(parts: readonly LimitingPart[], { name }: Troubled): LimitingPart[] {
  return parts.filter(({ at, kind }) => kind !== 'line' && isOf(at, name));
}

function isProgram(kind: LimitKind): boolean {
  return kind === 'workload' || kind === 'posting core';
}

/** Whether a part is of a device, or of its host. */
function isOf(at: string | null, device: string): boolean {
  return at === device || at === splitName(device)[0];
}

function sentence(
  part: LimitingPart | null,
  parts: readonly LimitingPart[],
  troubled: Troubled | null,
): string {
  const trouble = troubled === null ? '' : `; ${troubled.words}`;
  if (part !== null) return `${part.name}: ${part.evidence}${trouble}`;
  const most = (troubled === null ? undefined : ownParts(parts, troubled)[0]) ?? parts[0];
  if (most === undefined) return `unknown: this provider does not report on its parts${trouble}`;
  return `no part is saturated; the busiest is ${most.name}: ${most.evidence}${trouble}`;
}

import type { DeviceParts, LinkUse } from '../testbed.js';
import { DOORBELL_STALLS } from './device-counters.js';
import type { Findings } from './findings.js';
import { linksAt } from './link-log.js';
import type { DeviceMeasurement, HostMeasurement } from './measurement.js';

/** What kind of part can hold a run up. */
export type LimitKind =
  | 'line'
  | 'PCIe link'
  | 'host link'
  | 'PCIe ordering'
  | 'processing units'
  | 'receive engine'
  | 'context cache'
  | 'translation cache'
  | 'receive WQE cache'
  | 'send WQE cache'
  | 'control verbs'
  | 'posting core'
  | 'loss'
  | 'workload';

/** A part of the testbed, or the workload itself, and how much of it a run used. */
export interface LimitingPart {
  kind: LimitKind;
  /** `host c's port, receiving`, `PCIe link a/rnic0-up towards socket0`, `context cache of b`. */
  name: string;
  /** The device or host that it is of; null for the workload and for what is lost on the way. */
  at: string | null;
  /** How much of it was in use, 0 to 1. */
  share: number;
  /** The figures and counters that say so. */
  evidence: string;
}

/** A NIC that pauses its peer for longer than this, or drops a greater share of what arrives, is where to look. */
export const TROUBLED_SHARE = 0.01;
/** Misses of a cache that hold an engine up for this share of its time, or come with this share of its packets, are told. */
const NOTABLE = 0.1;
/** A rate that is this many times a bound shows that the bound is on something else; acknowledgements are within it. */
const EXCEEDED = 1.1;
/** Preamble and gap of a frame. */
const GAP_BYTES = 20;

/** The parts of one device. */
export function deviceParts(
  { places, measuredNs, before, after, rigs }: Findings,
  device: DeviceMeasurement,
  place: number,
  links: readonly LimitingPart[],
): LimitingPart[] {
  const { name, port, counters } = device;
  const { bounds, parts } = places.all[place].device;
  const found: LimitingPart[] = [];
  const add = (kind: LimitKind, label: string, share: number, evidence: string) =>
    void found.push({ kind, name: label, at: name, share: Math.min(1, share), evidence });
  if (port !== null && bounds !== null) {
    for (const [side, gbps, packets] of [
      ['sending', port.txGbps, port.txPacketsPerSecond],
      ['receiving', port.rxGbps, port.rxPacketsPerSecond],
    ] as const) {
      const wire = gbps + (packets * GAP_BYTES * 8) / 1e9;
      const evidence = `${wire.toFixed(1)} of ${bounds.lineRateGbps} Gb/s, preambles and gaps included`;
      add('line', `host ${name}'s port, ${side}`, wire / bounds.lineRateGbps, evidence);
    }
  }
  if (parts === null) return found;
  const seconds = measuredNs / 1e9;
  const count = (counter: string) => counters[counter] ?? 0;
  const timeShare = (counter: string) => count(counter) / (measuredNs * 1000);
  const own = links.filter(({ kind, at }) => kind === 'PCIe link' && at === name);
  for (const link of own) found.push(link);
  const reads = rigs.every((rig) => rig.plan.operations.every((operation) => operation === 'READ'));
  const gapNs = reads ? readGapNs(rigs, name, parts) : parts.messageGapNs;
  if (port !== null)
    add(
      'processing units',
      `processing units of ${name}`,
      (port.txPacketsPerSecond * gapNs) / 1e9,
      `${mega(port.txPacketsPerSecond)} packets/s sent, one in ${Number(gapNs.toFixed(1))} ns at most`,
    );
  const qps = sendersAt(rigs, name);
  if (port !== null && bounds !== null && qps > 0) {
    const perQp = reads ? bounds.readsPerSecondPerQp : bounds.packetsPerSecondPerQp;
    // What is exceeded is no bound on packets: where WQEs are what a queue pair is slow with, it holds for messages of one.
    if (qps * perQp < bounds.packetsPerSecond && port.txPacketsPerSecond <= EXCEEDED * qps * perQp)
      add(
        'processing units',
        `the one processing unit that each queue pair of ${name} has`,
        port.txPacketsPerSecond / (qps * perQp),
        `${mega(port.txPacketsPerSecond / qps)} of ${mega(perQp)} packets/s per queue pair`,
      );
  }
  const misses = (counter: string) => `${counter} ${mega(count(counter) / seconds)}/s`;
  const busy = timeShare('engine_busy_ps');
  const stalled = timeShare('engine_stalled_ps');
  const why = [
    // It stands still for receive WQEs, and its time goes to send WQEs that are read again.
    ...(stalled >= NOTABLE && count('receive_wqe_window_miss') > 0 ? ['receive_wqe_window_miss'] : []),
    ...(count('send_wqe_cache_miss') > NOTABLE * count('tx_packets_phy') ? ['send_wqe_cache_miss'] : []),
  ].map((counter) => `, ${misses(counter)}`);
  add(
    'receive engine',
    `receive engine of ${name}`,
    busy + stalled,
    `busy ${percent(busy)} of the time, stalled ${percent(Math.min(1, stalled))}${why.join('')}`,
  );
  const queued = timeShare('receive_processor_ps');
  if (queued > 0)
    add(
      'processing units',
      `packet processors of ${name}`,
      // As full as a queue of this mean length says.
      queued / (1 + queued),
      `${queued.toFixed(1)} received packets in them on average, behind packets to be sent`,
    );
  const inOrder = timeShare('pcie_ordering_used_ps');
  if (inOrder > 0)
    add(
      'PCIe ordering',
      `PCIe ordering of ${name}`,
      inOrder,
      `turns ${percent(Math.min(1, timeShare('pcie_ordering_turned_ps')))} of the time, pcie_read_stalled_ordering ${mega(count('pcie_read_stalled_ordering') / seconds)}/s; used ${percent(Math.min(1, inOrder))} of the time`,
    );
  // A NIC that pauses its peer has no slots left for what arrives; READ data has those of its requests.
  const pauses = (device.pauseRatio ?? 0) > TROUBLED_SHARE;
  const slots = pauses && !reads ? parts.contextMissSlotsReceive : parts.contextMissSlots;
  const contextShare = parts.contextMissNs / slots / measuredNs;
  const translationShare = parts.translationMissNs / slots / measuredNs;
  const cache = (kind: LimitKind, counter: string, share: number) =>
    add(
      kind,
      `${kind} of ${name}`,
      share,
      `${misses(counter)}, ${percent(Math.min(1, share))} of what can be fetched`,
    );
  cache('context cache', 'icm_cache_miss', count('icm_cache_miss') * contextShare);
  cache('translation cache', 'mtt_cache_miss', count('mtt_cache_miss') * translationShare);
  cache(
    'receive WQE cache',
    'receive_wqe_cache_miss',
    (count('receive_wqe_cache_miss') * parts.receiveWqeMissNs) / parts.receiveWqeMissSlots / measuredNs,
  );
  const sent = count('tx_packets_phy');
  if (sent > 0)
    add(
      'send WQE cache',
      `send WQE cache of ${name}`,
      count('send_wqe_cache_miss') / sent,
      `${misses('send_wqe_cache_miss')}: this many WQEs are read twice`,
    );
  const held = timeShare('scheduler_held_ps');
  add('control verbs', `control verbs on ${name}`, held, `sending stalled ${percent(held)} of the time`);
  return found.filter(({ share }) => share > 0 && after.timeNs > before.timeNs);
}

/** Queue pairs that send from a device. */
function sendersAt(rigs: Findings['rigs'], name: string): number {
  const at = (rig: Findings['rigs'][number]) =>
    rig.senders.filter(({ worker }) => worker.place.name === name).length;
  return rigs.reduce((sum, rig) => sum + at(rig), 0);
}

/** The least time between two packets that a device sends where all is READ, on average over responses and requests. */
function readGapNs(rigs: Findings['rigs'], name: string, parts: DeviceParts): number {
  const { messageGapNs, responseGapNs, responseGapBytes, responseNearBytes } = parts;
  const answered = rigs.filter(({ lanes }) =>
    lanes.some(({ from, sinks }) => from.name === name && sinks.length > 0),
  );
  if (answered.length === 0) return parts.readGapNs;
  const { plan } = answered.reduce((longest, each) =>
    each.plan.meanBytes > longest.plan.meanBytes ? each : longest,
  );
  const far = Math.max(0, 1 - responseNearBytes / plan.meanBytes);
  const farNs = responseGapNs * Math.min(1, Math.min(plan.meanBytes, plan.mtu) / responseGapBytes);
  const answerNs = messageGapNs + far * (Math.max(messageGapNs, farNs) - messageGapNs);
  if (sendersAt(rigs, name) === 0) return answerNs;
  // It asks as well: a request for each answer, which may have several packets.
  const packets = Math.ceil(plan.meanBytes / plan.mtu);
  return (parts.readGapNs + packets * answerNs) / (1 + packets);
}

/** The links within hosts; a device's own is named as its PCIe link. */
export function linkParts({ places, testbed, before, after }: Findings): LimitingPart[] {
  if (before.links === null || after.links === null) return [];
  const elapsedNs = after.timeNs - before.timeNs;
  const earlier = new Map(linksAt(before.links).map((link) => [link.name, link]));
  return linksAt(after.links).flatMap((link) => {
    const [hostName, own] = splitName(link.name);
    const place = testbed.hosts.findIndex(({ name }) => name === hostName);
    // The cable of a device is its port, which has a line of its own.
    if (place < 0 || own === null || link.kind === 'cable') return [];
    const host = places.hostNames[place];
    const slot = places.all.find(({ host: at, device }) => at === host && own === `${device.name}-up`);
    return link.directions.map((direction, index): LimitingPart => {
      const busyNs = direction.busyNs - (earlier.get(link.name)?.directions[index]?.busyNs ?? 0);
      const bytes = direction.bytes - (earlier.get(link.name)?.directions[index]?.bytes ?? 0);
      const usable = usableGbps(link, slot?.device.parts?.pcieGbps ?? null);
      const share = (busyNs / elapsedNs) * (link.gbps / usable);
      const way = direction.towards === 'both' ? 'both ways' : `towards ${direction.towards}`;
      return {
        kind: slot === undefined ? 'host link' : 'PCIe link',
        name: `${slot === undefined ? link.kind : 'PCIe'} link ${host}/${own} ${way}`,
        at: slot === undefined ? host : slot.name,
        share: Math.min(1, share),
        evidence: `${((bytes * 8) / elapsedNs).toFixed(1)} of ${usable.toFixed(0)} Gb/s with headers, busy ${percent(Math.min(1, share))} of the time`,
      };
    });
  });
}

/** What of a slot's rate a device can use: its link layer takes some. */
function usableGbps(link: LinkUse, pcieGbps: number | null): number {
  return pcieGbps === null ? link.gbps : Math.min(link.gbps, pcieGbps);
}

/** The posting cores. */
export function coreParts(hosts: readonly HostMeasurement[]): LimitingPart[] {
  return hosts
    .filter(({ busyShare }) => busyShare > 0)
    .map(({ name, busyShare, counters }) => {
      const stalledNs = (counters[DOORBELL_STALLS] ?? 0) / 1000;
      const stalled = stalledNs > 0 ? ', some of it waiting for the NIC to take doorbells' : '';
      return {
        kind: 'posting core' as const,
        name: `posting core of host ${name}`,
        at: name,
        share: busyShare,
        evidence: `the busiest is ${percent(busyShare)} busy${stalled}`,
      };
    });
}

/** `HOST/PART` in two; a host by itself has no part. */
export function splitName(name: string): [host: string, link: string | null] {
  const slash = name.indexOf('/');
  return slash < 0 ? [name, null] : [name.slice(0, slash), name.slice(slash + 1)];
}

/** A share as a reader takes it. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.01 ? 2 : 0)} %`;
}

function mega(perSecond: number): string {
  return `${(perSecond / 1e6).toFixed(2)} M`;
}

import type { CoreReading, SecondStage, StreamReading, WindowReading } from '../second-stage/second-stage.js';
import type { Thresholds } from '../thresholds.js';

/** What a reading of the second stage says: a cause, or that it is none of those it tells apart. */
export interface Ruling {
  readonly cause: string | null;
  readonly evidence: readonly string[];
}

/** Causes that streams decide about. */
export const STREAMED: readonly string[] = ['slow-start', 'tx-window'];

/**
 * Probes pause between messages, a stream does not: what begins slowly is clean in a stream (A). A limit of a queue pair
 * is gone when there are more of them (B). A slow link is slow either way.
 */
export function streamCause(reading: StreamReading, { abnormal }: Thresholds): Ruling {
  const { rnic, endpoint, expectedGbps, one, four, sixteen } = reading;
  const good = (gbps: number) => gbps >= (1 - abnormal) * expectedGbps;
  const rates = [one, four, sixteen].map((gbps) => gbps.toFixed(0)).join(', ');
  const said = `probes A and B, ${rnic} to ${endpoint} without pauses: ${rates} Gb/s over 1, 4 and 16 queue pairs`;
  if (good(one)) return { cause: 'slow-start', evidence: [said, 'slow only after a pause'] };
  if (good(four) || good(sixteen))
    return { cause: 'tx-window', evidence: [said, 'slow only for one queue pair'] };
  return { cause: null, evidence: [said, 'slow in any case: the link, not the RNIC'] };
}

/** The directions of an endpoint, where probe C told them apart. */
export function crossEvidence(second: SecondStage | undefined, parts: readonly string[]): string[] {
  return (second?.crossed ?? [])
    .filter(({ endpoint }) => parts.includes(endpoint))
    .map(
      ({ rnic, endpoint, other, readGbps, writtenGbps }) =>
        `probe C, ${rnic} between ${endpoint} and ${other}: reads ${endpoint} at ${readGbps.toFixed(0)} Gb/s and writes it at ${writtenGbps.toFixed(0)}`,
    );
}

/** Whether a program on another socket, or cores that sleep, are behind a late answer (F). */
export function coreCause(reading: CoreReading, usualNs: number, { abnormal }: Thresholds): Ruling {
  const { bySocketNs, unpausedNs, pausedNs } = reading;
  const sockets = bySocketNs.map((ns, socket) => `${ns.toFixed(0)} ns from socket ${socket}`).join(', ');
  const said = `probe F: ${sockets}, ${unpausedNs.toFixed(0)} ns where the program runs, ${pausedNs.toFixed(0)} ns after pauses of 5 ms`;
  if (pausedNs > (1 + abnormal) * unpausedNs) return { cause: 'c-states', evidence: [said] };
  const best = Math.min(...bySocketNs);
  // Nearly all that is late is gone on the other socket.
  if (unpausedNs > usualNs && best - usualNs < abnormal * (unpausedNs - usualNs) && best < unpausedNs)
    return { cause: 'numa-misbind', evidence: [said] };
  return { cause: null, evidence: [said] };
}

/** Whether an IOMMU is behind late answers: pages of a small window it remembers, those of a large one it does not (E). */
export function windowCause({ windows, sizes }: WindowReading, { abnormal }: Thresholds): Ruling {
  const times = windows.map(({ bytes, latencyNs }) => `${latencyNs.toFixed(0)} ns in ${inUnits(bytes)}`);
  const rates = sizes.map(({ bytes, gbps }) => `${gbps.toFixed(0)} Gb/s of ${inUnits(bytes)}`);
  const evidence = [`probe E, a page apart: ${times.join(', ')}`, `probe E, messages: ${rates.join(', ')}`];
  const [{ latencyNs: smallest }] = windows;
  const { latencyNs: largest } = windows[windows.length - 1];
  return { cause: largest > (1 + abnormal) * smallest ? 'iommu-on' : null, evidence };
}

function inUnits(bytes: number): string {
  return bytes < 2 ** 20 ? `${bytes / 2 ** 10} KiB` : `${bytes / 2 ** 20} MiB`;
}

/** What several RNICs carry through a memory at once (D). */
export function jointEvidence(second: SecondStage | undefined): string[] {
  return (second?.joint ?? []).map(
    ({ endpoint, rnics, gbps }) =>
      `probe D: ${rnics.length} RNICs at once read and write ${endpoint} at ${gbps.toFixed(0)} Gb/s in all`,
  );
}

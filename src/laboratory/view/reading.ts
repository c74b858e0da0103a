import { limitText } from '../../report/limit-text.js';
import type { Measurement } from '../../workload/index.js';

/** What the laboratory shows of a run at a glance, small enough to keep for every point of every curve. */
export interface RunReading {
  readonly goodputGbps: number;
  readonly packetsPerSecond: number;
  readonly messagesPerSecond: number;
  /** Share of the time in which a NIC paused its peer; null where nobody counts it. */
  readonly pauseRatio: number | null;
  /** Post to completion; null where no request was followed to its end. */
  readonly p50Ns: number | null;
  readonly p99Ns: number | null;
  /** What a request takes by Little's law; null where nothing completed. */
  readonly littleNs: number | null;
  readonly symptom: Measurement['verdict']['symptom'];
  readonly limited: Measurement['verdict']['limited'];
}

/** What is read of a run. */
export function runReadingOf({ total, pauseRatio, tenants, verdict }: Measurement): RunReading {
  const latency = tenants[0]?.latencyNs ?? null;
  return {
    goodputGbps: total.goodputGbps,
    packetsPerSecond: total.packetsPerSecond,
    messagesPerSecond: total.messagesPerSecond,
    pauseRatio,
    ...{ p50Ns: latency?.p50 ?? null, p99Ns: latency?.p99 ?? null, littleNs: latency?.little ?? null },
    ...{ symptom: verdict.symptom, limited: verdict.limited },
  };
}

/** What a run came to: a sentence that needs no legend, and the reason. */
export interface Headline {
  readonly mood: 'ok' | 'pause' | 'throughput';
  readonly text: string;
  readonly reason: string;
}

/** Says what a run came to. */
export function headlineOf(measurement: Measurement): Headline {
  const { verdict, limits, total, pauseRatio, hosts, partial } = measurement;
  const line = verdict.bounds?.lineRateGbps ?? null;
  const rate = `${figure(total.goodputGbps)} Gb/s`;
  const reason = `${sentence(limitText(limits.by))}${partial ? ' The run was stopped early: the result is partial.' : ''}`;
  if (verdict.symptom === 'pause') {
    const worst = hosts.reduce((most, host) =>
      (host.pauseRatio ?? 0) > (most.pauseRatio ?? 0) ? host : most,
    );
    const wire = line === null ? '' : `, where the wire could bring ${line}`;
    return {
      mood: 'pause',
      text: `Host ${worst.name}’s NIC tells its peer to pause ${figure(100 * (pauseRatio ?? 0))} % of the time: ${rate} arrive${wire}.`,
      reason,
    };
  }
  if (verdict.symptom === 'throughput')
    return { mood: 'throughput', text: `Only ${rate} arrive, though nothing pauses.`, reason };
  const isWithin = measurement.workload.tenants.every(({ direction }) => direction === 'loopback');
  // What stays within a host is on no wire: as much as its port is what counts as enough.
  const why = isWithin && verdict.limited === 'line' ? 'as much as the port carries' : CLEAN[verdict.limited];
  return { mood: 'ok', text: `Clean: ${rate}, ${why}.`, reason };
}

const CLEAN: Readonly<Record<Measurement['verdict']['limited'], string>> = {
  line: 'as fast as the wire allows',
  packets: 'as many packets as the NIC can send',
  generator: 'all that the programs ask for',
  pause: 'with pauses explained by a late program',
  subsystem: 'and nothing is wrong',
  unknown: 'and nothing tells what the limit would be',
};

/** A number with as many digits as mean something. */
export function figure(value: number): string {
  if (value === 0) return '0';
  if (Math.abs(value) >= 100) return value.toFixed(0);
  if (Math.abs(value) >= 1) return value.toFixed(1);
  return value.toFixed(2);
}

/** Time as people read it. */
export function timeText(ns: number): string {
  if (ns >= 1e6) return `${figure(ns / 1e6)} ms`;
  return ns >= 1e3 ? `${figure(ns / 1e3)} µs` : `${figure(ns)} ns`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

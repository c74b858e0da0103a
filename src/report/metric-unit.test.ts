import { expect, it } from 'vitest';
import { unitOf } from './metric-unit.js';

it.each([
  ['goodputGbps', 'goodput, Gb/s', 1],
  ['total.goodputGbps', 'goodput, Gb/s', 1],
  ['tenant.rpc.latencyNs.p50', 'median latency of rpc, µs', 1e-3],
  ['latencyNs.p999', '99.9th percentile of latency, µs', 1e-3],
  ['latencyNs.p9', 'latencyNs.p9, µs', 1e-3],
  ['tenant.a b.messagesPerSecond', 'messages of a b, M/s', 1e-6],
  ['pauseRatio', 'pauses, % of the time', 100],
  ['chipBytes', 'memory on the chip, MiB', 1 / 2 ** 20],
  ['queueBytes', 'queueBytes, MiB', 1 / 2 ** 20],
  ['meanSlowdown', 'meanSlowdown', 1],
])('%s is read as %s', (metric, title, factor) => {
  expect(unitOf(metric)).toMatchObject({ title, factor });
});

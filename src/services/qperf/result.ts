import type { QperfStatistics, Tally } from './messages.js';
import type { QperfTest, QperfTestName } from './test-table.js';

/** What a client's test came to. */
export interface QperfResult {
  test: QperfTestName;
  measure: QperfTest['measure'];
  /** What arrived per second; of both directions where both send. */
  bytesPerSecond: number;
  messagesPerSecond: number;
  /** One way. */
  latencyNs: number;
}

/** Joins what both sides counted, each over its own time. */
export function resultOf(
  test: QperfTestName,
  measure: QperfTest['measure'],
  mine: QperfStatistics,
  theirs: QperfStatistics,
): QperfResult {
  const here = sum(mine.received, theirs.theirReceived);
  const there = sum(theirs.received, mine.theirReceived);
  // As qperf has it, the time is that of the side that sent.
  const elapsedNs =
    there.messages === 0
      ? theirs.elapsedNs
      : here.messages === 0
        ? mine.elapsedNs
        : (mine.elapsedNs + theirs.elapsedNs) / 2;
  const all = sum(here, there);
  return {
    test,
    measure,
    bytesPerSecond: elapsedNs === 0 ? 0 : (all.bytes / elapsedNs) * 1e9,
    messagesPerSecond: elapsedNs === 0 ? 0 : (all.messages / elapsedNs) * 1e9,
    latencyNs: all.messages === 0 ? 0 : mine.elapsedNs / all.messages,
  };
}

function sum(one: Tally, other: Tally): Tally {
  return { bytes: one.bytes + other.bytes, messages: one.messages + other.messages };
}

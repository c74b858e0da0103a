import { setImmediate } from 'node:timers/promises';
import type { PacketRecorder } from '../link/index.js';
import { openTestbedFor } from '../testbeds/index.js';
import { type Measurement, type Progress, runWorkload, type Workload } from '../workload/index.js';
import type { Invocation } from './command.js';
import { chooseProvider } from './providers.js';

/** Progress is shown after this long, and then this often. */
const QUIET_MS = 2000;
const EVERY_MS = 250;

/** Opens the provider that the flags name, runs a workload on it, and closes it again. */
export async function runOnProvider(
  workload: Workload,
  seed: number,
  { options, terminal, signal }: Invocation,
  { capture, followLatency = false }: { capture?: PacketRecorder; followLatency?: boolean } = {},
): Promise<Measurement> {
  const { chosen } = chooseProvider(options);
  const testbed = await openTestbedFor(workload, {
    ...chosen,
    seed,
    ...(capture === undefined ? {} : { capture }),
  });
  const startMs = performance.now();
  let shownMs = startMs + QUIET_MS - EVERY_MS;
  let shown = false;
  const onSlice = async (progress: Progress): Promise<void> => {
    const nowMs = performance.now();
    if (terminal.interactive && nowMs - shownMs >= EVERY_MS) {
      shownMs = nowMs;
      shown = true;
      terminal.err(
        `\r${workload.name}: ${(progress.timeNs / 1000).toFixed(0)} us of at most ${(progress.maxNs / 1000).toFixed(0)}, ${progress.goodputGbps.toFixed(1)} Gb/s   `,
      );
    }
    // Virtual time never waits: without this Ctrl-C would not be heard before the end.
    await setImmediate();
  };
  try {
    return await runWorkload(workload, testbed, {
      seed,
      signal,
      onSlice,
      followLatency,
      wallClock: () => performance.now() / 1000,
    });
  } finally {
    if (shown) terminal.err('\n');
    await testbed.close();
  }
}

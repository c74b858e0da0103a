import { setImmediate } from 'node:timers/promises';
import type { PacketRecorder } from '../../link/index.js';
import { memoryLimits } from '../../node/index.js';
import { openTestbedFor } from '../../testbeds/index.js';
import { type Measurement, type Progress, runWorkload, type Workload } from '../../workload/index.js';
import type { Invocation } from '../command.js';
import { chooseProvider, type ProviderOptions } from '../providers.js';
import { RunProgress } from './progress.js';
import { congestionSettings } from './transport-flags.js';

/** What a command asks of a run beyond its flags. */
interface ProviderRunOptions {
  capture?: PacketRecorder;
  followLatency?: boolean;
  levels?: boolean;
  /** What its progress is called; the workload's name unless set. */
  label?: string;
}

/** Opens the provider that the flags name, runs a workload on it, and closes it again. */
export async function runOnProvider(
  given: Workload,
  seed: number,
  { options, terminal, signal }: Invocation<ProviderOptions>,
  { capture, followLatency = false, levels = false, label = given.name }: ProviderRunOptions = {},
): Promise<Measurement> {
  const { entry, chosen } = chooseProvider(options);
  const workload = { ...given, settings: congestionSettings(options, entry, given.settings) };
  const testbed = await openTestbedFor(workload, {
    ...chosen,
    seed,
    ...(capture === undefined ? {} : { capture }),
  });
  const progress = new RunProgress(terminal, label, performance.now());
  const onSlice = async (now: Progress): Promise<void> => {
    progress.slice(now, performance.now());
    // Virtual time never waits: without this Ctrl-C would not be heard before the end.
    await setImmediate();
  };
  try {
    return await runWorkload(workload, testbed, {
      seed,
      signal,
      memory: memoryLimits(),
      onSetUp: (made, all) => progress.setUp(made, all, performance.now()),
      onSlice,
      followLatency,
      levels,
      wallClock: () => performance.now() / 1000,
    });
  } finally {
    progress.end();
    await testbed.close();
  }
}

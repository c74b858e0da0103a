import type { Fabric } from '../../models/fabric/index.js';
import { openMixedTestbed } from '../../testbeds/mixed-testbed.js';
import { type Measurement, type RunOptions, runWorkload } from '../../workload/index.js';
import type { FullHosts } from './full-hosts.js';
import { Recorder } from './recorder.js';
import type { FabricJob } from './resolve.js';
import type { FabricRun } from './run.js';

/** A run of a fabric with full hosts. */
export interface MixedRun extends FabricRun {
  readonly fabric: Fabric;
  /** What the full hosts did. */
  readonly measurement: Measurement;
}

/**
 * Runs a fabric with full hosts until their workload is measured; what the light ones have not sent by then they do not
 * send. `options` are those of a workload.
 *
 * @example
 * const job = parseFabric(text, 'mixed.yaml', readText);
 * if (job.full !== null) {
 *   const { fabric, measurement } = await runMixed({ ...job, full: job.full });
 *   console.log(measurement.verdict.anomaly, fabric.totals.pauseFrames);
 * }
 */
export async function runMixed(
  { spec, full }: FabricJob & { readonly full: FullHosts },
  options: RunOptions = {},
): Promise<MixedRun> {
  const { subsystem, workload, trafficClass, seed } = full;
  let recorder: Recorder | null = null;
  // The fabric stands still at each look, so that what is seen does not depend on windows.
  const onWindow = (light: Fabric, untilNs: number) => {
    recorder ??= new Recorder(light);
    while (recorder.nextNs <= untilNs) {
      light.run(recorder.nextNs);
      if (recorder.look()) recorder.lookAtHeld(light.heldPorts());
    }
  };
  const { testbed, fabric } = await openMixedTestbed(
    { subsystem, seed, settings: workload.settings },
    { spec, trafficClass, onWindow },
  );
  const measurement = await runWorkload(workload, testbed, { ...options, seed });
  await testbed.close();
  return { fabric, measurement, recorder: recorder ?? new Recorder(fabric), whole: !measurement.partial };
}

import type { RunningFabric } from '../../models/fabric/index.js';
import { Recorder } from './recorder.js';

/** How far a run is. */
export interface FabricProgressState {
  readonly nowNs: number;
  readonly finished: number;
  readonly flows: number;
  /** Bytes that have arrived, as a share of all. */
  readonly share: number;
}

/** A run that is over or was interrupted. */
export interface FabricRun {
  readonly recorder: Recorder;
  /** False if it was interrupted. */
  readonly whole: boolean;
}

/** Events between two looks at the clock and at interruptions. */
const SLICE_EVENTS = 500_000;

/**
 * Runs a fabric until its flows have ended and nothing is under way, or until `stopNs`, and looks at its queues on the
 * way. A deadlock that no watchdog can break ends it too. `onSlice` is called every now and then; if it says no, the run
 * ends.
 */
export async function runFabric(
  fabric: RunningFabric,
  stopNs: number,
  onSlice: (state: FabricProgressState) => Promise<boolean>,
): Promise<FabricRun> {
  const { flows } = fabric;
  const recorder = new Recorder(fabric);
  const totalBytes = flows.sizeBytes.reduce((sum, each) => sum + each, 0);
  let sliceAt = SLICE_EVENTS;
  for (;;) {
    const untilNs = Math.min(stopNs, recorder.nextNs);
    const ran = await fabric.run(untilNs, SLICE_EVENTS);
    if (ran && untilNs === recorder.nextNs && recorder.look()) recorder.lookAtHeld(await fabric.heldPorts());
    const stuck = recorder.deadlock !== null && fabric.spec.watchdog === undefined;
    if (ran && (untilNs === stopNs || fabric.isIdle || stuck)) return ended(true);
    if (fabric.events < sliceAt) continue;
    sliceAt = fabric.events + SLICE_EVENTS;
    const arrived = flows.expectedBytes.reduce((sum, each) => sum + each, 0);
    const state = {
      nowNs: fabric.nowNs,
      finished: fabric.finishedFlows,
      flows: flows.count,
      share: totalBytes === 0 ? 1 : arrived / totalBytes,
    };
    if (!(await onSlice(state))) return ended(false);
  }

  async function ended(whole: boolean): Promise<FabricRun> {
    await fabric.end();
    return { recorder, whole };
  }
}

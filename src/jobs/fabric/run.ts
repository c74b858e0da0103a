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

/** Flows that have not ended and have no way any more, or wait for such. */
export function cutOffFlows({ state, flows }: RunningFabric): number {
  return state.cutOff.flows.filter((flow) => flows.endNs[flow] < 0).length;
}

/** Whether everything that can end has: the rest would only be sent again and again. */
function onlyCutOffAreLeft(fabric: RunningFabric, nowNs: number): boolean {
  const { cutOff } = fabric.state;
  if (cutOff.flows.length === 0 || nowNs < cutOff.fromNs) return false;
  const left = fabric.flows.count - fabric.finishedFlows;
  return left > 0 && left <= cutOff.flows.length && left === cutOffFlows(fabric);
}

/**
 * Runs a fabric until its flows have ended and nothing is under way, or until `stopNs`, and looks at its queues on the
 * way. It also ends at a deadlock that no watchdog can break, and when failed links have cut off all flows that are left.
 * `onSlice` is called now and then; the run ends if it says no.
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
    if (ran && (untilNs === stopNs || fabric.isIdle || stuck || onlyCutOffAreLeft(fabric, untilNs)))
      return ended(true);
    if (fabric.events < sliceAt) continue;
    sliceAt = fabric.events + SLICE_EVENTS;
    const arrived = flows.expectedBytes.reduce(
      (sum, each, flow) => sum + (flows.endNs[flow] < 0 ? each : flows.sizeBytes[flow]),
      0,
    );
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

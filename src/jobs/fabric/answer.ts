import {
  type CompletionReport,
  completionReport,
  describeDeadlock,
  type PauseTree,
  type RunningFabric,
} from '../../models/fabric/index.js';
import { type CableUse, cableUse } from './cable-use.js';
import type { Recorder, Sample } from './recorder.js';
import { cutOffFlows } from './run.js';

/** What a run of a fabric came to: the answer of `--json`. */
export interface FabricAnswer extends CompletionReport {
  readonly partial: boolean;
  /** Flows that cannot end: links that failed for good left them no way, or they wait for such flows. */
  readonly cutOff: number;
  readonly simulatedNs: number;
  /** When the last flow that ended did. */
  readonly lastEndNs: number;
  readonly events: number;
  /** Frames that crossed a link. */
  readonly packetHops: number;
  readonly dataPackets: number;
  readonly drops: number;
  readonly lost: number;
  /** Retransmission timers that ran out. */
  readonly timeouts: number;
  readonly pauseFrames: number;
  readonly resumeFrames: number;
  readonly marks: number;
  /** Queues and pauses over time: the largest values of each interval. */
  readonly series: readonly Sample[];
  /** Directions of links, those that were used most first; the first of them if there are too many. */
  readonly links: readonly CableUse[];
  readonly linkDirections: number;
  /** Of the drops: what watchdogs threw away. */
  readonly watchdogDrops: number;
  /** Storms that watchdogs found and saw end. */
  readonly watchdog: readonly {
    timeNs: number;
    from: string;
    to: string;
    trafficClass: number;
    kind: string;
  }[];
  /** Links that hold each other in a circle; null if there are none. */
  readonly deadlock: { readonly timeNs: number; readonly circle: string } | null;
  /** How pauses had spread when most was held: a port, and below it those that are held because of it. */
  readonly pauseTrees: readonly PauseTree[];
}

/** An answer lists no more links than people look at. */
const MOST_LINKS = 2000;

/** Reads the answer off a fabric. */
export function answerOf(fabric: RunningFabric, recorder: Recorder, partial: boolean): FabricAnswer {
  const { totals } = fabric;
  const links = cableUse(fabric, recorder.peakBytes);
  return {
    partial,
    cutOff: cutOffFlows(fabric),
    ...completionReport(fabric),
    simulatedNs: fabric.nowNs,
    lastEndNs: fabric.flows.endNs.reduce((latest, each) => Math.max(latest, each), 0),
    events: totals.events,
    packetHops: totals.hops,
    dataPackets: totals.sentPackets,
    drops: totals.drops,
    lost: totals.lost,
    timeouts: totals.timeouts,
    pauseFrames: totals.pauseFrames,
    resumeFrames: totals.resumeFrames,
    marks: totals.marks,
    series: recorder.samples,
    links: [...links].sort((a, b) => b.utilisation - a.utilisation).slice(0, MOST_LINKS),
    linkDirections: links.length,
    watchdogDrops: totals.watchdogDrops,
    watchdog: fabric.watchdogEvents.map(({ port, timeNs, trafficClass, kind }) => {
      const { from, to } = links[port];
      return { timeNs, from, to, trafficClass, kind };
    }),
    deadlock:
      recorder.deadlock === null
        ? null
        : { timeNs: recorder.deadlock.timeNs, circle: describeDeadlock(recorder.deadlock.circle) },
    pauseTrees: recorder.trees,
  };
}

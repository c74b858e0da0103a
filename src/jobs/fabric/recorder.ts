import {
  deadlockOf,
  type Fabric,
  type HeldPort,
  heldPorts,
  type PauseTree,
  pauseTrees,
} from '../../models/fabric/index.js';

/** How things stood in an interval of a run: the largest values of its samples. */
export interface Sample {
  /** The end of the interval. */
  readonly timeNs: number;
  /** Bytes that wait in all switches. */
  readonly queuedBytes: number;
  /** The fullest port. */
  readonly largestQueueBytes: number;
  /** Ports and classes that are held. */
  readonly pausedLanes: number;
}

const FIRST_INTERVAL_NS = 1000;
const MOST_SAMPLES = 512;

/** Looks at a fabric at regular times. When there are too many samples, two become one and the interval doubles. */
export class Recorder {
  intervalNs = FIRST_INTERVAL_NS;
  /** When to look next. */
  nextNs = FIRST_INTERVAL_NS;
  /** Per port: the most bytes that were seen waiting. */
  readonly peakBytes: Int32Array;
  /** How pauses had spread when most was held. */
  trees: readonly PauseTree[] = [];
  /** Ports that hold each other in a circle while nothing arrives, and when that was first seen. */
  deadlock: { readonly timeNs: number; readonly circle: readonly HeldPort[] } | null = null;
  private mostPaused = 0;
  private delivered = 0;
  private readonly fabric: Fabric;
  private kept: Sample[] = [];

  constructor(fabric: Fabric) {
    this.fabric = fabric;
    this.peakBytes = new Int32Array(fabric.state.ports.count);
  }

  get samples(): readonly Sample[] {
    return this.kept;
  }

  /** Looks at the fabric, which was run up to `nextNs`. */
  look(): void {
    const { ports } = this.fabric.state;
    const { peakBytes } = this;
    let queuedBytes = 0;
    let largestQueueBytes = 0;
    let pausedLanes = 0;
    for (let port = 0; port < ports.count; port++) {
      const bytes = ports.queuedBytes[port];
      if (bytes > 0) {
        queuedBytes += bytes;
        if (bytes > largestQueueBytes) largestQueueBytes = bytes;
        if (bytes > peakBytes[port]) peakBytes[port] = bytes;
      }
      for (let lanes = ports.paused(port); lanes !== 0; lanes &= lanes - 1) pausedLanes++;
    }
    this.kept.push({ timeNs: this.nextNs, queuedBytes, largestQueueBytes, pausedLanes });
    if (pausedLanes > 0) this.lookAtPauses(pausedLanes);
    if (this.kept.length === MOST_SAMPLES) this.thin();
    this.nextNs += this.intervalNs;
  }

  private lookAtPauses(pausedLanes: number): void {
    const { fabric } = this;
    // Trees are drawn again when they have grown by a tenth.
    if (pausedLanes > this.mostPaused * 1.1) {
      this.mostPaused = pausedLanes;
      this.trees = pauseTrees(fabric);
    }
    const delivered = fabric.totals.deliveredPackets;
    if (delivered === this.delivered && this.deadlock === null) {
      const circle = deadlockOf(heldPorts(fabric));
      if (circle !== null) this.deadlock = { timeNs: this.nextNs, circle };
    }
    this.delivered = delivered;
  }

  private thin(): void {
    const { kept } = this;
    const half: Sample[] = [];
    for (let index = 0; index < kept.length; index += 2) {
      const [one, other] = [kept[index], kept[index + 1]];
      half.push({
        timeNs: other.timeNs,
        queuedBytes: Math.max(one.queuedBytes, other.queuedBytes),
        largestQueueBytes: Math.max(one.largestQueueBytes, other.largestQueueBytes),
        pausedLanes: Math.max(one.pausedLanes, other.pausedLanes),
      });
    }
    this.kept = half;
    this.intervalNs *= 2;
  }
}

import {
  deadlockOf,
  type HeldPort,
  type PauseTree,
  pauseTrees,
  type RunningFabric,
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
  /** When the last look was, whether pauses had spread by then, and whether nothing had arrived since the one before. */
  private lookedNs = 0;
  private spread = false;
  private stands = false;
  private delivered = 0;
  private readonly fabric: RunningFabric;
  private kept: Sample[] = [];

  constructor(fabric: RunningFabric) {
    this.fabric = fabric;
    this.peakBytes = new Int32Array(fabric.state.ports.count);
  }

  get samples(): readonly Sample[] {
    return this.kept;
  }

  /**
   * Looks at the fabric, which was run up to `nextNs`. True if it wants to know what is held: `lookAtHeld` is to be
   * called before the fabric runs on.
   */
  look(): boolean {
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
    if (this.kept.length === MOST_SAMPLES) this.thin();
    this.lookedNs = this.nextNs;
    this.nextNs += this.intervalNs;
    return pausedLanes > 0 && this.wantsHeld(pausedLanes);
  }

  /** Takes what is held at the moment of the last look. */
  lookAtHeld(held: readonly HeldPort[]): void {
    if (this.spread) this.trees = pauseTrees(this.fabric.state, held);
    if (!this.stands) return;
    const circle = deadlockOf(held);
    if (circle !== null) this.deadlock = { timeNs: this.lookedNs, circle };
  }

  private wantsHeld(pausedLanes: number): boolean {
    // Trees are drawn again when they have grown by a tenth.
    this.spread = pausedLanes > this.mostPaused * 1.1;
    if (this.spread) this.mostPaused = pausedLanes;
    const delivered = this.fabric.totals.deliveredPackets;
    this.stands = delivered === this.delivered && this.deadlock === null;
    this.delivered = delivered;
    return this.spread || this.stands;
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

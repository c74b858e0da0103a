import { Random } from '../../../engine/random.js';
import { Mrg32k3a } from './mrg32k3a.js';

/** When a port marks: never up to `minBytes`, always above `maxBytes`, and in between with up to `probability`. */
export interface MarkingThresholds {
  readonly minBytes: number;
  readonly maxBytes: number;
  readonly probability: number;
}

/** Whether a packet is marked by what waits before it when it arrives, or by what it leaves behind, as in ns-3. */
export type MarkingTime = 'arrival' | 'departure';

/** Where the random numbers of marks come from: one per packet that leaves a queue between its thresholds. */
export interface Coins {
  /** A number in [0, 1) for a port. */
  toss(port: number): number;
  /** A pause frame was sent: ns-3 draws a number for its identification. */
  onPauseFrame(): void;
}

/** ns-3 opens a new stream of its generator for every single number. */
export class Ns3Coins implements Coins {
  private readonly streams: Mrg32k3a;

  /** The nodes take six streams each, and each model of errors two: all links have one, and each that loses another. */
  constructor(nodes: number, lossyLinks: number) {
    this.streams = new Mrg32k3a(BigInt(6 * nodes + 2 * (1 + lossyLinks)));
  }

  toss(): number {
    return this.streams.firstAndGoOn();
  }

  onPauseFrame(): void {
    this.streams.goOn();
  }
}

/** A generator per port, so that a number depends on nothing that other ports do. */
export class OwnCoins implements Coins {
  private readonly random: Random;
  private readonly streams: (Random | undefined)[];

  constructor(ports: number, seed: number) {
    this.random = new Random(seed).split('marking');
    this.streams = new Array(ports);
  }

  toss(port: number): number {
    let stream = this.streams[port];
    if (stream === undefined) {
      stream = this.random.split(`port ${port}`);
      this.streams[port] = stream;
    }
    return stream.nextFloat();
  }

  onPauseFrame(): void {}
}

/** ECN: decides by the bytes in an egress queue. */
export class Marking {
  readonly when: MarkingTime;
  private readonly minBytes: Int32Array;
  private readonly maxBytes: Int32Array;
  private readonly probability: Float64Array;
  private readonly coins: Coins;

  /** `thresholds` has those of each port; a port without any never marks. */
  constructor(thresholds: readonly (MarkingThresholds | undefined)[], coins: Coins, when: MarkingTime) {
    const count = thresholds.length;
    this.when = when;
    this.coins = coins;
    this.minBytes = new Int32Array(count).fill(0x7fffffff);
    this.maxBytes = new Int32Array(count).fill(0x7fffffff);
    this.probability = new Float64Array(count);
    for (const [port, each] of thresholds.entries()) {
      if (each === undefined) continue;
      this.minBytes[port] = each.minBytes;
      this.maxBytes[port] = each.maxBytes;
      this.probability[port] = each.probability;
    }
  }

  marks(port: number, remainingBytes: number): boolean {
    return remainingBytes > this.minBytes[port] && this.marksBetween(port, remainingBytes);
  }

  private marksBetween(port: number, bytes: number): boolean {
    const min = this.minBytes[port];
    const max = this.maxBytes[port];
    if (bytes > max) return true;
    return this.coins.toss(port) < (this.probability[port] * (bytes - min)) / (max - min);
  }
}

import type { Random } from '../../engine/index.js';

/** What a channel does to packets; shares of one, and picoseconds. */
export interface Faults {
  loss: number;
  duplication: number;
  /** Share of packets that are delayed by up to `reorderPs` more, and so overtaken. */
  reordering: number;
  reorderPs: number;
  latencyPs: number;
}

/** A channel that keeps every packet and their order. */
export const PERFECT: Faults = { loss: 0, duplication: 0, reordering: 0, reorderPs: 0, latencyPs: 1_000_000 };

/** Decides what happens to packets, from a seed. */
export class Channel {
  readonly faults: Faults;
  private readonly random: Random;
  lost = 0;
  duplicated = 0;
  delayed = 0;

  constructor(faults: Faults, random: Random) {
    this.faults = faults;
    this.random = random;
  }

  /** How often a packet arrives. */
  copies(): number {
    const { loss, duplication } = this.faults;
    if (loss > 0 && this.random.nextFloat() < loss) {
      this.lost++;
      return 0;
    }
    if (duplication > 0 && this.random.nextFloat() < duplication) {
      this.duplicated++;
      return 2;
    }
    return 1;
  }

  /** How long a copy takes. */
  delayPs(): number {
    const { reordering, reorderPs, latencyPs } = this.faults;
    if (reordering === 0 || this.random.nextFloat() >= reordering) return latencyPs;
    this.delayed++;
    return latencyPs + this.random.nextInt(reorderPs);
  }
}

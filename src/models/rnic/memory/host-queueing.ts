import type { Random } from '../../../engine/index.js';

/** How long reads of a busy host take: a part that is always the same, and a wait behind what others ask for. */
export class HostQueueing {
  private readonly share: number;
  private readonly random: Random;

  /** `share` of a read's mean time is waiting. */
  constructor(share: number, random: Random) {
    this.share = share;
    this.random = random;
  }

  /** The time of one read, which takes this long on average. */
  drawPs(meanPs: number): number {
    const waitPs = meanPs * this.share;
    return waitPs === 0 ? meanPs : Math.round(meanPs - waitPs + this.random.nextExponential(waitPs));
  }
}

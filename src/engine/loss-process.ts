import type { Random } from './random.js';

/** Bad times of a link: probabilities, per packet, that one begins and that it ends, and of loss during one. */
export interface Burst {
  readonly begin: number;
  readonly end: number;
  readonly loss: number;
}

/**
 * Whether each packet is lost: with one probability, or by Gilbert and Elliott's model of two, in good and in bad times.
 * On average `begin / (begin + end)` of all packets fall into bad times, which last `1 / end` packets.
 *
 * @example
 * const process = new LossProcess(0, { begin: 0.001, end: 0.1, loss: 0.5 }, random);
 * if (process.loses()) drop(packet);
 */
export class LossProcess {
  private readonly loss: number;
  private readonly burst: Burst | null;
  private readonly random: Random;
  private bad = false;

  constructor(loss: number, burst: Burst | undefined, random: Random) {
    this.loss = loss;
    this.burst = burst ?? null;
    this.random = random;
  }

  loses(): boolean {
    const { burst, random } = this;
    if (burst === null) return random.nextFloat() < this.loss;
    const turn = random.nextFloat();
    if (turn < (this.bad ? burst.end : burst.begin)) this.bad = !this.bad;
    return random.nextFloat() < (this.bad ? burst.loss : this.loss);
  }
}

import { Random } from '../../../engine/random.js';
import { Mrg32k3a } from '../switching/mrg32k3a.js';
import type { PortPlan } from '../topology/port-plan.js';
import { DATA } from './records.js';

/** A source of numbers in [0, 1). */
interface Numbers {
  next(): number;
}

/** ns-3 gives every error model stream 50 of those that users choose; they lie behind its own 2^63. */
const NS3_STREAM = 2n ** 63n + 50n;

/**
 * Links that lose packets at random, pause frames too. ns-3 draws for each link that has a rate of its own from a
 * generator of its own, all from the same start; `own` draws per receiving port.
 */
export class LinkLoss {
  /** Frames of any kind that were lost. */
  lost = 0;
  /** Of these, data packets and their bytes on the wire. */
  lostData = 0;
  lostDataBytes = 0;
  private readonly rate: Float64Array;
  private readonly numbers: (Numbers | undefined)[];

  private constructor(plan: PortPlan, commonRate: number, numbers: (port: number) => Numbers) {
    this.rate = plan.lossRate.map((rate) => (rate > 0 ? rate : commonRate));
    this.numbers = Array.from(this.rate, (rate, port) => (rate > 0 ? numbers(port) : undefined));
  }

  /** With ns-3's numbers. Links without a rate of their own have the common one, and one generator together. */
  static ns3(plan: PortPlan, commonRate: number): LinkLoss {
    const streams = new Map<number, Numbers>();
    return new LinkLoss(plan, commonRate, (port) => {
      const link = plan.lossRate[port] > 0 ? plan.link[port] : -1;
      const stream = streams.get(link) ?? new Mrg32k3a(NS3_STREAM);
      streams.set(link, stream);
      return stream;
    });
  }

  /** With numbers per port. */
  static own(plan: PortPlan, commonRate: number, seed: number): LinkLoss {
    const random = new Random(seed).split('link loss');
    return new LinkLoss(plan, commonRate, (port) => {
      const stream = random.split(`port ${port}`);
      return { next: () => stream.nextFloat() };
    });
  }

  /** Whether a packet that arrives at a port is lost on its link. */
  loses(port: number, kind: number, bytes: number): boolean {
    const numbers = this.numbers[port];
    if (numbers === undefined || numbers.next() >= this.rate[port]) return false;
    this.lost++;
    if (kind === DATA) {
      this.lostData++;
      this.lostDataBytes += bytes;
    }
    return true;
  }
}

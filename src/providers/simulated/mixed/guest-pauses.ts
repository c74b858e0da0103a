import type { Simulation } from '../../../engine/index.js';
import { pauseNs } from '../../../models/fabric/index.js';
import { type EgressPort, PRIORITIES } from '../../../models/index.js';

const PS_PER_NS = 1000;

/**
 * Pauses between a full device and a light fabric, both ways. A device says once that it wants silence and once that it
 * does not; on a fabric whose pauses run out, that is repeated in half their time, and what the fabric does not repeat
 * ends.
 */
export class GuestPauses {
  private readonly simulation: Simulation;
  private readonly egress: EgressPort;
  private readonly classOf: (priority: number) => number;
  private readonly send: (trafficClass: number, paused: boolean) => void;
  /** How long a pause holds the device, and after what time its own are repeated; 0: until the resume. */
  private readonly holdPs: number;
  private readonly repeatPs: number;
  /** By priority: whether the device wants silence. */
  private readonly wants = new Uint8Array(PRIORITIES);
  /** By priority: when the fabric's pause runs out. */
  private readonly untilPs = new Float64Array(PRIORITIES);
  private readonly repeatHandler: number;
  private readonly holdHandler: number;
  private readonly expiryHandler: number;

  constructor(parts: {
    name: string;
    simulation: Simulation;
    egress: EgressPort;
    /** The class that a priority of the device travels in. */
    classOf: (priority: number) => number;
    /** Quanta of a pause; null if pauses do not run out. */
    quanta: number | null;
    /** Rate of the switch's port that the device pauses, and of its own. */
    rateBps: number;
    ownRateBps: number;
    /** Sends a pause or resume to the fabric. */
    send: (trafficClass: number, paused: boolean) => void;
  }) {
    const { simulation, quanta, name } = parts;
    this.simulation = simulation;
    this.egress = parts.egress;
    this.classOf = parts.classOf;
    this.send = parts.send;
    this.holdPs = quanta === null ? 0 : pauseNs(quanta, parts.ownRateBps) * PS_PER_NS;
    this.repeatPs =
      quanta === null ? 0 : Math.max(1, Math.floor(pauseNs(quanta, parts.rateBps) / 2)) * PS_PER_NS;
    this.repeatHandler = simulation.register(`${name}/pause-repeat`, (priority) => this.repeat(priority));
    this.holdHandler = simulation.register(`${name}/pause-hold`, (trafficClass, paused) =>
      this.onHold(trafficClass, paused === 1),
    );
    this.expiryHandler = simulation.register(`${name}/pause-expiry`, (priority) => this.expire(priority));
  }

  /** The device wants silence in a priority, or no longer does. */
  ask(priority: number, paused: boolean): void {
    this.wants[priority] = paused ? 1 : 0;
    this.send(this.classOf(priority), paused);
    if (paused && this.repeatPs > 0) this.simulation.after(this.repeatPs, this.repeatHandler, priority);
  }

  /** A pause or resume of a class reaches the device at a time. */
  hold(trafficClass: number, paused: boolean, atPs: number): void {
    this.simulation.after(atPs - this.simulation.now, this.holdHandler, trafficClass, paused ? 1 : 0);
  }

  private repeat(priority: number): void {
    if (this.wants[priority] === 0) return;
    this.send(this.classOf(priority), true);
    this.simulation.after(this.repeatPs, this.repeatHandler, priority);
  }

  private onHold(trafficClass: number, paused: boolean): void {
    for (let priority = 0; priority < PRIORITIES; priority++)
      if (this.classOf(priority) === trafficClass) this.holdPriority(priority, paused);
  }

  private holdPriority(priority: number, paused: boolean): void {
    const { egress, simulation } = this;
    if (paused && this.holdPs > 0) {
      this.untilPs[priority] = simulation.now + this.holdPs;
      simulation.after(this.holdPs, this.expiryHandler, priority);
    }
    // A pause that comes twice is a pause.
    if (egress.isPaused(priority) !== paused) egress.setPaused(priority, paused);
  }

  private expire(priority: number): void {
    if (this.simulation.now < this.untilPs[priority] || !this.egress.isPaused(priority)) return;
    this.egress.setPaused(priority, false);
  }
}

import type { Simulation } from '../../engine/index.js';
import type { SlowPath, SlowPathClient } from '../index.js';

interface Step {
  client: SlowPathClient;
  psn: number;
  second: number;
}

/** A slow path on which every event and every command takes the same time, with room for this many events under way. */
export class DelayedSlowPath implements SlowPath {
  private readonly delayPs: number;
  private readonly mostEvents: number;
  private events = 0;
  /** Times that there was no room. */
  full = 0;
  private readonly steps: Step[] = [];
  private simulation!: Simulation;
  private eventHandler = 0;
  private commandHandler = 0;

  constructor(delayPs: number, mostEvents: number) {
    this.delayPs = delayPs;
    this.mostEvents = mostEvents;
  }

  join(simulation: Simulation): void {
    this.simulation = simulation;
    this.eventHandler = simulation.register('slow path/event', (index) => {
      const { client, psn, second } = this.steps[index];
      this.events--;
      client.onEvent(psn, second, simulation.now);
    });
    this.commandHandler = simulation.register('slow path/command', (index) => {
      const { client, psn, second } = this.steps[index];
      client.onCommand(psn, second, simulation.now);
    });
  }

  hasRoom(): boolean {
    if (this.events < this.mostEvents) return true;
    this.full++;
    return false;
  }

  event(client: SlowPathClient, psn: number, expectedPsn: number): void {
    this.events++;
    this.later(this.eventHandler, { client, psn, second: expectedPsn });
  }

  command(client: SlowPathClient, psn: number, count: number): void {
    this.later(this.commandHandler, { client, psn, second: count });
  }

  private later(handler: number, step: Step): void {
    this.simulation.after(this.delayPs, handler, this.steps.push(step) - 1);
  }
}

import type { Simulation } from '../../../engine/index.js';
import type { HostModel, Rnic } from '../../../models/index.js';
import { type BaseContext, EntryKind, type Poster } from '../../../verbs/base/index.js';

/** What the control verbs of a device work on. */
export interface RegionControlOptions {
  name: string;
  simulation: Simulation;
  host: HostModel;
  nic: Rnic;
  context: BaseContext;
  /** Where regions lie that were not told. */
  memoryName: string;
}

/** Registering and deregistering: what it costs the caller, and what it does to the caches of the device (Husky §3.2). */
export class RegionControl {
  private readonly simulation: Simulation;
  private readonly nic: Rnic;
  private readonly memory: BaseContext['memory'];
  /** Where regions lie, by placement, and where those lie that were not told; null where it is no memory of the host. */
  private readonly memories: readonly ReturnType<HostModel['memoryOf']>[];
  private readonly ownMemory: ReturnType<HostModel['memoryOf']>;
  /** By the handle of a protection domain, the function that it was made in. */
  private readonly functionOfPd: number[] = [];
  private readonly registeredHandler: number;
  private readonly deregisteredHandler: number;

  constructor(options: RegionControlOptions) {
    const { simulation, name, nic, host } = options;
    this.simulation = simulation;
    this.nic = nic;
    this.memory = options.context.memory;
    this.memories = host.placements.map((placement) => host.memoryOf(placement));
    this.ownMemory = host.memoryOf(options.memoryName);
    this.registeredHandler = simulation.register(`${name}/register`, (slot, functionNumber) =>
      nic.registered(slot, functionNumber),
    );
    this.deregisteredHandler = simulation.register(`${name}/deregister`, (slot, functionNumber) =>
      nic.deregistered(slot, functionNumber),
    );
  }

  /** Everything that is made in this protection domain is of a function. */
  assignDomain(handle: number, functionNumber: number): void {
    this.functionOfPd[handle] = functionNumber;
  }

  /** The function that a protection domain was made in. */
  functionOf(handle: number): number {
    return this.functionOfPd[handle] ?? 0;
  }

  added(slot: number, caller: Poster | null): void {
    this.countFootprint(slot, 1);
    this.control(this.nic.constants.registrationNs, this.registeredHandler, slot, caller);
  }

  removed(slot: number, caller: Poster | null): void {
    this.countFootprint(slot, -1);
    this.control(this.nic.constants.deregistrationNs, this.deregisteredHandler, slot, caller);
  }

  /** Memory that devices may fill competes for the cache that DMA goes to. */
  private countFootprint(slot: number, sign: 1 | -1): void {
    const { memory } = this;
    if (memory.kind[slot] !== EntryKind.REGION) return;
    const placement = memory.placement[slot];
    const channels = placement < 0 ? this.ownMemory : this.memories[placement];
    channels?.register(sign * memory.length[slot]);
  }

  /**
   * The device executes a control verb when the caller's core issues it, and the caller waits for its end. Before there
   * is traffic it disturbs nobody and needs no event, so that setting up many regions is cheap.
   */
  private control(durationNs: number, handler: number, slot: number, caller: Poster | null): void {
    const { simulation, nic, memory } = this;
    const atPs = caller === null ? simulation.now : Math.round(caller.timePs);
    caller?.charge(durationNs * 1000);
    // The slot may name another region by then; whose the call is, is known now.
    const functionNumber = this.functionOf(memory.pd[slot]);
    if (nic.hasTraffic) simulation.at(atPs, handler, slot, functionNumber);
    else if (handler === this.registeredHandler) nic.registered(slot, functionNumber);
    else nic.deregistered(slot, functionNumber);
  }
}

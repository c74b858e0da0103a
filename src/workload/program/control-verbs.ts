import type { Random } from '../../engine/index.js';
import {
  Access,
  type Context,
  type MemoryRegion,
  type ProtectionDomain,
  type Registrable,
  type Thread,
} from '../../verbs/index.js';
import type { Tenant } from '../description/description.js';

/** Regions that are made beforehand to be deregistered, at most. */
const MAX_PREPARED = 200_000;

/** A thread that registers or deregisters memory at a rate, beside the traffic. */
export class ControlVerbs {
  readonly thread: Thread;
  private readonly context: Context;
  /** The domain of all its regions; null where each has its own. */
  private readonly pd: ProtectionDomain | null;
  private readonly memory: Registrable;
  private readonly verb: Tenant['control'][number]['verb'];
  private readonly periodNs: number;
  private readonly prepared: MemoryRegion[] = [];
  private nextNs = 0;

  constructor(
    context: Context,
    thread: Thread,
    control: Tenant['control'][number],
    longestRunNs: number,
    random: Random,
  ) {
    this.context = context;
    this.thread = thread;
    this.verb = control.verb;
    this.periodNs = 1e9 / control.perSecond;
    this.pd = control.pds === 'shared' ? context.allocPd() : null;
    this.memory = context.capabilities.unbackedMemory
      ? { lengthBytes: control.mrBytes }
      : new Uint8Array(control.mrBytes);
    if (control.verb === 'deregister') {
      const count = Math.min(MAX_PREPARED, Math.ceil(longestRunNs / this.periodNs) + 1);
      for (let index = 0; index < count; index++) this.register();
    }
    this.nextNs = random.nextFloat() * (control.spreadNs ?? this.periodNs);
  }

  /** Begins to call, the first time within a period. */
  run(): void {
    this.nextNs += this.context.clock.nowNs;
    this.thread.run(() => this.step());
  }

  private step(): void {
    while (this.nextNs <= this.context.clock.nowNs) {
      this.call();
      // What a busy core could not call in time is not made up for.
      this.nextNs = Math.max(this.nextNs + this.periodNs, this.context.clock.nowNs);
      if (this.nextNs === this.context.clock.nowNs) break;
    }
    this.thread.wakeAtNs(this.nextNs);
  }

  private call(): void {
    if (this.verb === 'register' || (this.verb === 'both' && this.prepared.length === 0)) this.register();
    else this.deregister();
  }

  private deregister(): void {
    const region = this.prepared.pop();
    if (region === undefined) return;
    region.dereg();
    if (this.pd === null) region.pd.dealloc();
  }

  private register(): void {
    this.prepared.push((this.pd ?? this.context.allocPd()).regMr(this.memory, Access.LOCAL_WRITE));
  }
}

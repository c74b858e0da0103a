import { type ControlSpec, createControl } from './control-spec.js';
import type { FlowTerms, RateControl } from './rate-control.js';

const FIRST_SLOTS = 16;
const MOST_SLOTS = 4096;

/** A slot of a control. */
export interface RateSlot {
  readonly control: RateControl;
  readonly slot: number;
}

/** Slots of a control for flows that come and go: blocks of them, made when they are needed. */
export class RateSlots {
  private readonly spec: ControlSpec;
  private readonly free: RateSlot[] = [];
  private blockSlots = FIRST_SLOTS;

  constructor(spec: ControlSpec) {
    this.spec = spec;
  }

  /** A flow begins. */
  take(terms: FlowTerms): RateSlot {
    if (this.free.length === 0) {
      const control = createControl(this.spec, this.blockSlots);
      for (let slot = this.blockSlots - 1; slot >= 0; slot--) this.free.push({ control, slot });
      this.blockSlots = Math.min(MOST_SLOTS, this.blockSlots * 2);
    }
    const taken = this.free.pop()!;
    taken.control.open(taken.slot, terms);
    return taken;
  }

  /** A flow is gone. */
  give(slot: RateSlot): void {
    this.free.push(slot);
  }
}

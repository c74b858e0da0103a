import { VerbsError } from '../../error.js';
import type { BaseContext } from './context.js';

/** What was made from an opened device: it knows its owner, its dependants and whether it is still there. */
export abstract class DeviceObject {
  // Declared here and set in the constructor: a field that is initialised in place is defined anew for each of the many
  // classes that extend this one, which engines do slowly, and there may be a million memory regions.
  declare readonly context: BaseContext;
  /** Objects that must go before this one. */
  declare dependants: number;
  declare destroyed: boolean;
  /** What people call it, in errors. */
  protected abstract readonly kind: string;

  constructor(context: BaseContext) {
    this.context = context;
    this.dependants = 0;
    this.destroyed = false;
  }

  /** Refuses with OBJECT_DESTROYED once the object or its context is gone. */
  requireAlive(): void {
    if (this.destroyed || this.context.closed) {
      throw new VerbsError('OBJECT_DESTROYED', `the ${this.kind} does not exist any more`);
    }
  }

  /** Marks it destroyed, unless something depends on it. */
  protected retire(): void {
    this.requireAlive();
    if (this.dependants > 0) {
      throw new VerbsError('OBJECT_BUSY', `the ${this.kind} is in use: destroy what depends on it first`, {
        field: 'dependants',
        given: this.dependants,
        allowed: '0',
      });
    }
    this.destroyed = true;
  }
}

/**
 * Narrows an argument to this context's own object of a class: WRONG_OWNER for a stranger, OBJECT_DESTROYED for one
 * that is gone.
 */
export function requireOwn<T extends DeviceObject>(
  context: BaseContext,
  // A class with any constructor: only `instanceof` is asked of it.
  type: abstract new (...args: never[]) => T,
  value: unknown,
  field: string,
  badWrIndex?: number,
): T {
  if (!(value instanceof type) || value.context !== context) {
    const detail = {
      field,
      allowed: `an object of ${context.deviceName} as this context opened it`,
      badWrIndex,
    };
    throw new VerbsError('WRONG_OWNER', 'the argument belongs to another context', detail);
  }
  value.requireAlive();
  return value;
}

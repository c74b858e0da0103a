import { VerbsError } from '../../verbs/index.js';
import type { InterposedContext } from './context.js';

/** Stands for an argument that is none of this context's own: a provider refuses it with WRONG_OWNER. */
const STRANGER = Object.freeze({});

/** What a tenant holds instead of an object of the device: the same object seen through an interposer. */
export abstract class Interposed<Inner extends object> {
  /** The device's own object. */
  readonly inner: Inner;
  private readonly owner: InterposedContext;

  constructor(owner: InterposedContext, inner: Inner) {
    this.owner = owner;
    this.inner = inner;
  }

  get context(): InterposedContext {
    return this.owner;
  }

  /** The device's own object, unless the tenant closed the context. */
  protected get open(): Inner {
    this.owner.requireOpen();
    return this.inner;
  }
}

/**
 * The device's object behind an argument of a tenant. What belongs to another context, or to no interposer at all, gives
 * something that the provider itself refuses: the refusal is then the provider's own.
 */
export function innerOf<T extends object>(context: InterposedContext, given: T): T {
  if (given instanceof Interposed && given.context === context) return given.inner as T;
  return STRANGER as T;
}

/** The error for a context that was closed. */
export function closedError(deviceName: string): VerbsError {
  return new VerbsError('OBJECT_DESTROYED', `${deviceName} was closed`);
}

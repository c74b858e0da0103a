interface Waiter<T> {
  give(item: T): void;
  refuse(error: unknown): void;
}

/** Where a program may wait. */
export interface Awaited {
  /** Whether one does. */
  readonly awaited: boolean;
}

/** Events that wait for a program, or programs that wait for an event. */
export class Mailbox<T> implements Awaited {
  /** Events that were dropped for want of room. */
  dropped = 0;
  private readonly most: number;
  private items: T[] = [];
  private waiters: Waiter<T>[] = [];

  /** Keeps at most this many events that nobody has taken; the oldest are dropped first. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.most = most;
  }

  /** Whether a program waits for an event that is not there. */
  get awaited(): boolean {
    return this.waiters.length > 0;
  }

  /** Events that wait. */
  get size(): number {
    return this.items.length;
  }

  /** Gives the event to the program that waits longest, or keeps it. */
  put(item: T): void {
    const waiter = this.waiters.shift();
    if (waiter !== undefined) {
      waiter.give(item);
      return;
    }
    if (this.items.length >= this.most) {
      this.items.shift();
      this.dropped++;
    }
    this.items.push(item);
  }

  /** The oldest event, or null. */
  tryTake(): T | null {
    return this.items.shift() ?? null;
  }

  /** The oldest event or the next; `signal` ends the wait with its reason. */
  take(signal?: AbortSignal): Promise<T> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const item = this.items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise<T>((resolve, reject) => {
      const abort = () => {
        this.waiters = this.waiters.filter((each) => each !== waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter<T> = {
        give: (given) => {
          signal?.removeEventListener('abort', abort);
          resolve(given);
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', abort);
          reject(error);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.waiters.push(waiter);
    });
  }

  /** Drops the kept events that are about something gone. */
  drop(isGone: (item: T) => boolean): void {
    this.items = this.items.filter((item) => !isGone(item));
  }

  /** Ends all waits with an error. */
  refuseAll(error: unknown): void {
    const waiters = this.waiters;
    this.waiters = [];
    for (const waiter of waiters) waiter.refuse(error);
  }
}

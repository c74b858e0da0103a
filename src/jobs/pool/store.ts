/** Where a value is kept: a name, and numbers below it. */
export type StoreKey = readonly [name: string, ...numbers: number[]];

/**
 * Where a job keeps what must outlive it: plain values by key. Everything may take its time, so that a store can be a
 * database, a browser's IndexedDB or another machine.
 */
export interface Store {
  /** The value of a key; undefined where there is none. */
  get(key: StoreKey): Promise<unknown>;
  /** Keeps a value; it is safe when the promise resolves. */
  put(key: StoreKey, value: unknown): Promise<void>;
  /** Keeps several values, all of them or none. */
  putAll(entries: readonly (readonly [key: StoreKey, value: unknown])[]): Promise<void>;
  /** Makes the value of a key out of the one that is there, in one step: nobody else changes it meanwhile. */
  change(key: StoreKey, make: (now: unknown) => unknown): Promise<void>;
  /** Forgets a key; one that is not there is no error. */
  remove(key: StoreKey): Promise<void>;
  /** Keeps a value under the number after the highest below a key, in one step, and returns that number; the first is 1. */
  append(key: StoreKey, make: (number: number) => unknown): Promise<number>;
  /** The values of all keys that are one number longer than this one, in the order of their numbers. */
  list(key: StoreKey): Promise<unknown[]>;
  /** The same one after the other, for more of them than memory should hold. */
  each(key: StoreKey): AsyncIterable<unknown>;
  close(): Promise<void>;
}

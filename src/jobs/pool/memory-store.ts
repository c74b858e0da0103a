import type { Store, StoreKey } from './store.js';

/**
 * Keeps values for as long as the program runs.
 *
 * @example
 * const archive = new HuntArchive(new MemoryStore());
 */
export class MemoryStore implements Store {
  private readonly values = new Map<string, { key: StoreKey; value: unknown }>();

  async get(key: StoreKey): Promise<unknown> {
    return this.values.get(key.join('/'))?.value;
  }

  async put(key: StoreKey, value: unknown): Promise<void> {
    this.values.set(key.join('/'), { key, value });
  }

  async putAll(entries: readonly (readonly [StoreKey, unknown])[]): Promise<void> {
    for (const [key, value] of entries) await this.put(key, value);
  }

  async change(key: StoreKey, make: (now: unknown) => unknown): Promise<void> {
    this.values.set(key.join('/'), { key, value: make(this.values.get(key.join('/'))?.value) });
  }

  async remove(key: StoreKey): Promise<void> {
    this.values.delete(key.join('/'));
  }

  async append(key: StoreKey, make: (number: number) => unknown): Promise<number> {
    const number = Math.max(0, ...this.below(key).map((entry) => lastOf(entry.key))) + 1;
    const place: StoreKey = [...key, number];
    this.values.set(place.join('/'), { key: place, value: make(number) });
    return number;
  }

  async list(key: StoreKey): Promise<unknown[]> {
    return this.below(key)
      .sort((one, other) => lastOf(one.key) - lastOf(other.key))
      .map(({ value }) => value);
  }

  async *each(key: StoreKey): AsyncIterable<unknown> {
    yield* await this.list(key);
  }

  async close(): Promise<void> {}

  private below(key: StoreKey): { key: StoreKey; value: unknown }[] {
    return [...this.values.values()].filter(
      (entry) => entry.key.length === key.length + 1 && key.every((step, index) => entry.key[index] === step),
    );
  }
}

function lastOf(key: StoreKey): number {
  return key[key.length - 1] as number;
}

import type { Store, StoreKey } from '../../jobs/pool/store.js';

const TABLE = 'values';

/** A store in the browser: what is kept stays on this machine, for this page alone. */
export class IdbStore implements Store {
  private readonly database: IDBDatabase;

  private constructor(database: IDBDatabase) {
    this.database = database;
  }

  /** Opens the store of a name; fails where the browser keeps nothing, as in some private windows. */
  static open(name: string): Promise<IdbStore> {
    return new Promise((resolve, reject) => {
      const opening = indexedDB.open(name, 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore(TABLE);
      opening.onsuccess = () => resolve(new IdbStore(opening.result));
      opening.onerror = () => reject(opening.error);
      opening.onblocked = () => reject(new Error('another page holds the store'));
    });
  }

  get(key: StoreKey): Promise<unknown> {
    return this.within('readonly', (table) => table.get([...key]));
  }

  async put(key: StoreKey, value: unknown): Promise<void> {
    await this.within('readwrite', (table) => table.put(value, [...key]));
  }

  async putAll(entries: readonly (readonly [StoreKey, unknown])[]): Promise<void> {
    await this.within('readwrite', (table) => {
      for (const [key, value] of entries) table.put(value, [...key]);
      return table.count();
    });
  }

  change(key: StoreKey, make: (now: unknown) => unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(TABLE, 'readwrite');
      const table = transaction.objectStore(TABLE);
      const found = table.get([...key]);
      found.onsuccess = () => table.put(make(found.result), [...key]);
      finish(transaction, () => resolve(), reject);
    });
  }

  async remove(key: StoreKey): Promise<void> {
    await this.within('readwrite', (table) => table.delete([...key]));
  }

  append(key: StoreKey, make: (number: number) => unknown): Promise<number> {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(TABLE, 'readwrite');
      const table = transaction.objectStore(TABLE);
      let number = 1;
      const last = table.openKeyCursor(below(key), 'prev');
      last.onsuccess = () => {
        const found = last.result?.key as IDBValidKey[] | undefined;
        if (found !== undefined && found.length !== key.length + 1) {
          last.result?.continue();
          return;
        }
        number = found === undefined ? 1 : Number(found[found.length - 1]) + 1;
        table.put(make(number), [...key, number]);
      };
      finish(transaction, () => resolve(number), reject);
    });
  }

  async list(key: StoreKey): Promise<unknown[]> {
    const [keys, values] = await Promise.all([
      this.within('readonly', (table) => table.getAllKeys(below(key))),
      this.within('readonly', (table) => table.getAll(below(key))),
    ]);
    return (values as unknown[]).filter(
      (_, place) => (keys as IDBValidKey[][])[place].length === key.length + 1,
    );
  }

  async *each(key: StoreKey): AsyncIterable<unknown> {
    yield* await this.list(key);
  }

  async close(): Promise<void> {
    this.database.close();
  }

  private within<Value>(
    mode: IDBTransactionMode,
    ask: (table: IDBObjectStore) => IDBRequest<Value>,
  ): Promise<Value> {
    return new Promise((resolve, reject) => {
      const transaction = this.database.transaction(TABLE, mode);
      const asked = ask(transaction.objectStore(TABLE));
      finish(transaction, () => resolve(asked.result), reject);
    });
  }
}

/** All keys that begin with this one and are longer. */
function below(key: StoreKey): IDBKeyRange {
  return IDBKeyRange.bound([...key, 0], [...key, Number.MAX_SAFE_INTEGER, []], false, true);
}

function finish(transaction: IDBTransaction, done: () => void, failed: (error: unknown) => void): void {
  transaction.oncomplete = done;
  transaction.onerror = () => failed(transaction.error);
  transaction.onabort = () => failed(transaction.error ?? new Error('the store has no room'));
}

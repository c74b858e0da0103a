/** Which side of the device asks: each has its own unit for outstanding misses. */
export const Side = { REQUESTER: 0, RESPONDER: 1 } as const;

/** Where a device keeps the contexts of queue pairs and completion queues. */
export interface ContextStore {
  /** When the context with this key is on chip, for one of the {@link Side}s. */
  lookUp(nowPs: number, key: number, side: number, tenant: number): number;
  /** The context is on chip without a lookup: its program used it before the measurement began. */
  warm(key: number, tenant: number): void;
}

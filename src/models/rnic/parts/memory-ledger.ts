/** An entry of the translation table, and the page that it translates (SRNIC, NSDI'23, §3.2: 8 B per page of 4 KB). */
export const TRANSLATION_BYTES = 8;
export const PAGE_BYTES = 4096;

/** What a device is used for, as far as its memory depends on it. */
export interface MemoryUse {
  readonly queuePairs: number;
  /** Bytes of registered memory. */
  readonly regionsBytes: number;
}

/** One structure of a device and the memory that it takes. */
export interface LedgerRow {
  readonly structure: string;
  /** On the chip, in host memory, or in the headers of packets. */
  readonly place: 'chip' | 'host' | 'packet';
  readonly bytes: number;
}

/** The memory of a device by structure. */
export type MemoryLedger = readonly LedgerRow[];

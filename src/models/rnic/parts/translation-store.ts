/** Where a device keeps the translations of memory regions. `busy`: there was traffic whose translations can be lost. */
export interface TranslationStore {
  /** When the translation of a region is on chip, for one of the sides. */
  lookUp(nowPs: number, region: number, side: number, tenant: number): number;
  /** The translation is on chip without a lookup. */
  warm(region: number, tenant: number): void;
  /** A region was registered. */
  registered(region: number, tenant: number, busy: boolean): void;
  /** A region was deregistered. */
  deregistered(region: number, tenant: number, busy: boolean): void;
}

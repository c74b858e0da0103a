/**
 * Where a device keeps the translations of memory regions. `position` and `bytes` say which part of a region is meant;
 * `busy`: there was traffic whose translations can be lost.
 */
export interface TranslationStore {
  /** When the translations of a part of a region are on chip, for one of the sides. */
  lookUp(
    nowPs: number,
    region: number,
    side: number,
    tenant: number,
    position: number,
    bytes: number,
  ): number;
  /** The translations are on chip without a lookup. */
  warm(region: number, tenant: number, position: number, bytes: number): void;
  /** A region was registered. */
  registered(region: number, tenant: number, busy: boolean): void;
  /** A region was deregistered. */
  deregistered(region: number, tenant: number, busy: boolean): void;
}

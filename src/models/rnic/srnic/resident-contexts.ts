import type { ResidentContextConstants } from '../../../profiles/index.js';
import type { ContextStore } from '../parts/context-store.js';

/** Contexts that are all on chip: a lookup takes no time and no PCIe, and there is room for no more than the device has. */
export class ResidentContexts implements ContextStore {
  lookUp(nowPs: number): number {
    return nowPs;
  }

  warm(): void {}
}

/** The memory of contexts on chip: banks of memory are whole, and a part of each context may lie in deeper ones. */
export function residentBytes(constants: ResidentContextConstants): number {
  const { residentContexts, residentContextBytes, residentDeepBytes } = constants;
  const inBanks = (contexts: number) => Math.ceil(residentContexts / contexts) * contexts;
  return (
    inBanks(constants.residentDeepBankContexts) * residentDeepBytes +
    inBanks(constants.residentBankContexts) * (residentContextBytes - residentDeepBytes)
  );
}

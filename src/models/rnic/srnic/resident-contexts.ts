import type { ContextStore } from '../parts/context-store.js';

/** Contexts that are all on chip: a lookup takes no time and no PCIe, and there is room for no more than the device has. */
export class ResidentContexts implements ContextStore {
  lookUp(nowPs: number): number {
    return nowPs;
  }

  warm(): void {}
}

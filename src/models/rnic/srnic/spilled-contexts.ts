import type { SpilledContextConstants } from '../../../profiles/index.js';
import { CachedContexts, type CachedContextsParts } from '../connectx/cached-contexts.js';

/** What spilled contexts are made of. */
export interface SpilledContextsParts extends CachedContextsParts {
  constants: SpilledContextConstants;
}

/**
 * Contexts that are on chip as far as they fit; the others are in host memory and change places with them. Each packet
 * changes a context, so that one which gives way is written to the host.
 */
export class SpilledContexts extends CachedContexts {
  private readonly bytes: number;

  constructor(parts: SpilledContextsParts) {
    super(parts);
    this.bytes = parts.constants.residentContextBytes;
  }

  protected override readMissed(nowPs: number, replaced: boolean, side: number, tenant: number): number {
    if (replaced) this.misses.writeContext(nowPs, this.bytes);
    return this.misses.readContext(nowPs, side, tenant, this.bytes);
  }
}

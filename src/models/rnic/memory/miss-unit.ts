import type { MissConstants } from '../../../profiles/index.js';
import type { DmaPath } from '../../pcie/dma-path.js';
import type { PciePort } from '../../pcie/pcie-port.js';
import { SlotServer } from '../../resource/slot-server.js';
import { bookShare, type TenantShares } from '../tenants/tenant-shares.js';

/**
 * Reads state that lives in host memory (ICM: contexts and translations) and is not on chip. Each side of the device has
 * a few slots, so that only so many misses are under way.
 */
export class MissUnit {
  private readonly bytes: number;
  private readonly contextPs: number;
  private readonly translationPs: number;
  private readonly pcie: PciePort;
  /** The way to where the state lies. */
  private readonly path: DmaPath;
  /** Null where tenants are not told apart. */
  private readonly shares: TenantShares | null;
  private readonly slots: readonly [SlotServer, SlotServer];

  constructor(constants: MissConstants, pcie: PciePort, path: DmaPath, shares: TenantShares) {
    this.bytes = constants.contextBytes;
    this.contextPs = Math.round(constants.contextMissNs * 1000);
    this.translationPs = Math.round(constants.translationMissNs * 1000);
    this.pcie = pcie;
    this.path = path;
    this.shares = shares.kept ? shares : null;
    this.slots = [
      new SlotServer(constants.contextMissSlots),
      new SlotServer(constants.contextMissSlotsReceive),
    ];
  }

  /** When a context that a side missed is on chip; of `bytes`, or as long as whatever else is read. */
  readContext(nowPs: number, side: number, tenant: number, bytes = this.bytes): number {
    return this.read(nowPs, side, tenant, this.contextPs, bytes);
  }

  /** A context gives way and goes to host memory: nobody waits for that, but it takes its part of the link. */
  writeContext(nowPs: number, bytes: number): void {
    this.pcie.write(nowPs, bytes, this.path);
  }

  /** When a translation that a side missed is on chip. */
  readTranslation(nowPs: number, side: number, tenant: number): number {
    return this.read(nowPs, side, tenant, this.translationPs, this.bytes);
  }

  private read(nowPs: number, side: number, tenant: number, servicePs: number, bytes: number): number {
    const done = bookShare(this.slots[side], this.shares, tenant, nowPs, servicePs);
    // The read occupies the link; its latency is part of the slot's time.
    this.pcie.read(nowPs, bytes, this.path);
    return done;
  }
}

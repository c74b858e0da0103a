import type { DeviceConstants } from '../../../profiles/index.js';
import type { DmaPath } from '../../pcie/dma-path.js';
import type { PciePort } from '../../pcie/pcie-port.js';
import { SlotServer } from '../../resource/slot-server.js';
import { bookShare, type TenantShares } from '../tenants/tenant-shares.js';

/** Reads of single WQEs that arrived packets need: receives, and READs whose WQE is gone. A few are under way at a time. */
export class WqeReads {
  private readonly pcie: PciePort;
  private readonly shares: TenantShares;
  private readonly slots: SlotServer;
  private readonly servicePs: number;

  constructor(constants: DeviceConstants, pcie: PciePort, shares: TenantShares) {
    this.pcie = pcie;
    this.shares = shares;
    this.slots = new SlotServer(constants.receiveWqeMissSlots);
    this.servicePs = Math.round(constants.receiveWqeMissNs * 1000);
  }

  /** When a WQE is on chip. */
  read(nowPs: number, bytes: number, path: DmaPath, tenant: number): number {
    // The read occupies the link; its latency is part of the slot's time.
    this.pcie.read(nowPs, bytes, path);
    return bookShare(this.slots, this.shares, tenant, nowPs, this.servicePs);
  }
}

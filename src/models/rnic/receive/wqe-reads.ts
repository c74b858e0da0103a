import type { Random } from '../../../engine/index.js';
import type { DeviceConstants } from '../../../profiles/index.js';
import type { DmaPath } from '../../pcie/dma-path.js';
import type { PciePort } from '../../pcie/pcie-port.js';
import { SlotServer } from '../../resource/slot-server.js';
import { HostQueueing } from '../memory/host-queueing.js';
import { bookShare, type TenantShares } from '../tenants/tenant-shares.js';

/**
 * Reads of single WQEs that arrived packets need: receives, and READs whose WQE is gone. A few of each are under way at a
 * time.
 */
export class WqeReads {
  private readonly pcie: PciePort;
  private readonly shares: TenantShares;
  private readonly receives: SlotServer;
  private readonly lists: SlotServer;
  private readonly queueing: HostQueueing;
  private readonly servicePs: number;

  constructor(constants: DeviceConstants, pcie: PciePort, shares: TenantShares, random: Random) {
    this.pcie = pcie;
    this.shares = shares;
    this.receives = new SlotServer(constants.receiveWqeMissSlots);
    this.lists = new SlotServer(constants.readListMissSlots);
    this.queueing = new HostQueueing(constants.missQueueShare, random.split('WQE reads'));
    this.servicePs = Math.round(constants.receiveWqeMissNs * 1000);
  }

  /** When a receive is on chip. */
  read(nowPs: number, bytes: number, path: DmaPath, tenant: number): number {
    return this.readBy(this.receives, nowPs, bytes, path, tenant);
  }

  /** When the scatter list of a READ is on chip again. */
  readList(nowPs: number, bytes: number, path: DmaPath, tenant: number): number {
    return this.readBy(this.lists, nowPs, bytes, path, tenant);
  }

  private readBy(slots: SlotServer, nowPs: number, bytes: number, path: DmaPath, tenant: number): number {
    // The read occupies the link; its latency is part of the slot's time.
    this.pcie.read(nowPs, bytes, path);
    return bookShare(slots, this.shares, tenant, nowPs, this.queueing.drawPs(this.servicePs));
  }
}

import type { FabricPackets } from '../../fabric/fabric-packets.js';
import type { TenantShares } from '../tenants/tenant-shares.js';
import { Stage } from './receive-stage.js';

/** What messages hold while they wait for their receive WQE; where tenants are told apart, each has its part of them. */
export class ReceiveDescriptors {
  /** How many are taken. */
  taken = 0;
  private readonly count: number;
  private readonly packets: FabricPackets;
  private readonly shares: TenantShares;
  private readonly takenOf: Int32Array;

  constructor(count: number, packets: FabricPackets, shares: TenantShares) {
    this.count = count;
    this.packets = packets;
    this.shares = shares;
    this.takenOf = new Int32Array(shares.count);
  }

  /** Gives a message one, unless it has one; false where none is left for its tenant. */
  take(packet: number, tenant: number): boolean {
    const { shares, count } = this;
    const { stage } = this.packets;
    if ((stage[packet] & Stage.DESCRIPTOR) !== 0) return true;
    if (this.taken >= count) return false;
    if (shares.kept && this.takenOf[tenant] >= shares.partOf(tenant, count)) return false;
    this.taken++;
    this.takenOf[tenant]++;
    stage[packet] |= Stage.DESCRIPTOR;
    return true;
  }

  /** Takes back the one that a message has, if it has one. */
  release(packet: number, tenant: number): void {
    if ((this.packets.stage[packet] & Stage.DESCRIPTOR) === 0) return;
    this.taken--;
    this.takenOf[tenant]--;
  }
}

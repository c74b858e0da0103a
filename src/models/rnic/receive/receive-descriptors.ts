import type { Rnic } from '../rnic.js';
import { Stage } from './receive-stage.js';

/** What messages hold while they wait for their receive WQE; where tenants are told apart, each has its part of them. */
export class ReceiveDescriptors {
  /** How many are taken. */
  taken = 0;
  private readonly nic: Rnic;
  private readonly takenOf: Int32Array;

  constructor(nic: Rnic) {
    this.nic = nic;
    this.takenOf = new Int32Array(nic.shares.count);
  }

  /** Gives a message one, unless it has one; false where none is left for its tenant. */
  take(packet: number, tenant: number): boolean {
    const { packets, shares, constants } = this.nic;
    const { stage } = packets;
    if ((stage[packet] & Stage.DESCRIPTOR) !== 0) return true;
    if (this.taken >= constants.receiveDescriptors) return false;
    if (shares.kept && this.takenOf[tenant] >= shares.partOf(tenant, constants.receiveDescriptors))
      return false;
    this.taken++;
    this.takenOf[tenant]++;
    stage[packet] |= Stage.DESCRIPTOR;
    return true;
  }

  /** Takes back the one that a message has, if it has one. */
  release(packet: number, tenant: number): void {
    if ((this.nic.packets.stage[packet] & Stage.DESCRIPTOR) === 0) return;
    this.taken--;
    this.takenOf[tenant]--;
  }
}

import type { Simulation } from '../../../../engine/index.js';
import type { PciePort } from '../../../pcie/pcie-port.js';

/**
 * Lets payload be asked for only when the bus has credit for it: what is asked for sooner would stand before the reads of
 * others, on links where it is not yet.
 */
export class ReadGate {
  private readonly simulation: Simulation;
  private readonly pcie: Pick<PciePort, 'readCreditPs'>;
  private readonly handler: number;
  private pending = false;

  /** `onCredit` is called when there is credit again for who was told that there is none. */
  constructor(
    simulation: Simulation,
    name: string,
    pcie: Pick<PciePort, 'readCreditPs'>,
    onCredit: () => void,
  ) {
    this.simulation = simulation;
    this.pcie = pcie;
    this.handler = simulation.register(`${name}/credit`, () => {
      this.pending = false;
      onCredit();
    });
  }

  /** Whether the payload of a packet can be asked for now. */
  isOpen(payloadBytes: number): boolean {
    if (payloadBytes === 0) return true;
    const { simulation } = this;
    const now = simulation.now;
    const freePs = this.pcie.readCreditPs(now, payloadBytes);
    if (freePs <= now) return true;
    if (!this.pending) {
      this.pending = true;
      simulation.at(Math.ceil(freePs), this.handler);
    }
    return false;
  }
}

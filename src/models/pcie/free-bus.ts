import { PciePort } from './pcie-port.js';

/** A bus that takes no time and has no bytes: for NICs of which only port and transport matter. */
export class FreeBus extends PciePort {
  override store(): void {}

  override readPayload(nowPs: number): number {
    return nowPs;
  }

  override transferPs(): number {
    return 0;
  }

  override read(nowPs: number): number {
    return nowPs;
  }

  override write(nowPs: number): number {
    return nowPs;
  }
}

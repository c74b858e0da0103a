import { HostModel, type Mechanism } from '../../../models/index.js';
import type { WorldHost } from '../../../profiles/index.js';
import { AddressSpace } from '../../../verbs/base/index.js';
import type { SimulatedDevice } from '../device/device.js';
import { Cores } from './cores.js';

/** A host of a simulated world: what all its devices share. */
export class SimulatedHost {
  readonly name: string;
  readonly model: HostModel;
  /** Memory of the host has the same addresses for all its devices. */
  readonly addresses = new AddressSpace();
  readonly devices: SimulatedDevice[] = [];
  readonly cores: Cores;

  constructor({ name, host }: WorldHost, ablate: readonly Mechanism[]) {
    this.name = name;
    this.model = new HostModel(host, new Set(ablate));
    this.cores = new Cores(host);
  }
}

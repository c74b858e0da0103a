import { costNote, type Interposer, type Isolation } from '../schemes/index.js';
import type { Context } from '../verbs/index.js';
import type { Testbed, TestbedDevice } from '../workload/index.js';

/** A testbed with the isolation between its tenants and its devices. */
export interface IsolatedTestbed extends Testbed {
  /** Null if there is none. */
  readonly interposer: Interposer | null;
}

/** The context of one function of a device. */
export type FunctionOpener = (device: TestbedDevice, functionNumber: number) => Context;

/**
 * A testbed whose tenants have their own contexts: that of their function, behind the scheme's interposer unless they
 * bypass it.
 */
export function isolated(
  testbed: Testbed,
  isolation: Isolation | undefined,
  seed: number,
  openFunction: FunctionOpener = (device) => device.context,
): IsolatedTestbed {
  if (isolation === undefined) return { ...testbed, interposer: null };
  const { scheme, tenants } = isolation;
  // A scheme works per device: it treats a host with two devices as two hosts.
  const seats = testbed.hosts.flatMap(({ name, devices }) =>
    devices.map((device) => ({
      name: devices.length === 1 ? name : `${name}/${device.name}`,
      context: device.context,
      device,
    })),
  );
  const interposer = scheme.interpose?.({ hosts: seats, tenants, seed }) ?? null;
  const contexts = new Map<TestbedDevice, Map<string, Context>>(
    seats.map(({ device }) => [device, new Map()]),
  );
  for (const tenant of tenants) {
    const { functionNumber } = scheme.place(tenant);
    for (const { name, device } of seats) {
      const context = functionNumber === null ? device.context : openFunction(device, functionNumber);
      const wrapped =
        interposer === null || tenant.bypasses ? context : interposer.wrap({ name, context }, tenant);
      contexts.get(device)!.set(tenant.name, wrapped);
    }
  }
  return {
    ...testbed,
    contextFor: (device, tenant) => contexts.get(device)?.get(tenant) ?? testbed.contextFor(device, tenant),
    interposer,
    // Read when the run is over: by then it includes what the scheme has cost.
    get notes() {
      const { notes } = testbed;
      return interposer === null ? notes : [...notes, costNote(scheme.name, interposer.cost())];
    },
    close: async () => {
      interposer?.stop();
      await testbed.close();
    },
  };
}

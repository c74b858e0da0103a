import { costNote, type Interposer, type Isolation } from '../schemes/index.js';
import type { Context } from '../verbs/index.js';
import type { Testbed, TestbedHost } from '../workload/index.js';

/** A testbed with what stands between its tenants and its devices. */
export interface IsolatedTestbed extends Testbed {
  /** Null where nothing does. */
  interposer: Interposer | null;
}

/** The context of a function of a host's device. */
export type FunctionOpener = (host: TestbedHost, functionNumber: number) => Context;

/**
 * A testbed whose tenants have contexts of their own: that of their function, behind the scheme's interposer unless they
 * go past it.
 */
export function isolated(
  testbed: Testbed,
  { isolation }: { isolation?: Isolation },
  seed: number,
  openFunction: FunctionOpener = (host) => host.context,
): IsolatedTestbed {
  if (isolation === undefined) return { ...testbed, interposer: null };
  const { scheme, tenants } = isolation;
  const interposer = scheme.interpose?.({ hosts: testbed.hosts, tenants, seed }) ?? null;
  const contexts = new Map<string, Context>();
  for (const tenant of tenants) {
    const { functionNumber } = scheme.place(tenant);
    for (const host of testbed.hosts) {
      const context = functionNumber === null ? host.context : openFunction(host, functionNumber);
      const wrapped =
        interposer === null || tenant.bypasses
          ? context
          : interposer.wrap({ name: host.name, context }, tenant);
      contexts.set(`${host.name}/${tenant.name}`, wrapped);
    }
  }
  return {
    ...testbed,
    contextOf: (host, tenant) => contexts.get(`${host}/${tenant}`)!,
    interposer,
    // Read when the run is over: it says then what the scheme has cost.
    get notes() {
      const notes = testbed.notes ?? [];
      return interposer === null ? notes : [...notes, costNote(scheme.name, interposer.cost())];
    },
    close: async () => {
      interposer?.stop();
      await testbed.close();
    },
  };
}

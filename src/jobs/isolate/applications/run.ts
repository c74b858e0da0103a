import { KelpieError } from '../../../error.js';
import { findScheme, type Isolation, type SchemeTenant } from '../../../schemes/index.js';
import type { Application } from '../../../services/index.js';
import { resolveWorkload, runWorkload, type Testbed } from '../../../workload/index.js';
import { type ApplicationAttack, applicationAttacks } from './attacks.js';

/** A run of an application. */
export interface ApplicationTask {
  scheme: string;
  /** Null: undisturbed. */
  attack: ApplicationAttack | null;
  guaranteeGbps: number;
  seed: number;
  /** How long it runs; the first fifth does not count. */
  durationNs: number;
}

/** What an application did. */
export interface ApplicationResult {
  operationsPerSecond: number;
  /** By host of the client, where the application has several. */
  byHost: Readonly<Record<string, number>>;
}

const TENANTS = ['victim', 'attacker'];
const SLICES = 20;
const WARM_SHARE = 0.2;

/** Runs an application, alone or beside an attack between its first two hosts. */
export async function runApplication(
  application: Application,
  task: ApplicationTask,
  open: (options: { hosts: number; seed: number; isolation: Isolation }) => Promise<Testbed>,
): Promise<ApplicationResult> {
  const scheme = findScheme(task.scheme);
  const tenants = TENANTS.map(
    (name, index): SchemeTenant => ({
      name,
      index,
      weight: 1,
      guaranteeGbps: task.guaranteeGbps,
      bypasses: false,
    }),
  );
  const testbed = await open({
    hosts: application.hosts.length,
    seed: task.seed,
    isolation: { scheme, tenants },
  });
  const [victim, attacker] = tenants.map((tenant) => scheme.place(tenant).trafficClass ?? 0);
  const contextOf = (host: string) => {
    const { devices } = testbed.hosts[application.hosts.indexOf(host)];
    return testbed.contextFor(devices[0], 'victim');
  };
  try {
    const { transport, opcodes } = application.uses;
    const refusal = scheme.refuses({
      provider: testbed.provider,
      capabilities: contextOf(application.hosts[0]).capabilities,
      together: scheme.name.split('+'),
      tenants: [{ name: application.name, transport, opcodes }],
    });
    if (refusal !== null)
      throw new KelpieError('SCHEME_DOES_NOT_APPLY', refusal, { field: 'scheme', given: scheme.name });
    const running = application.start({ contextOf, serviceLevel: victim });
    const { clock } = contextOf(application.hosts[0]);
    const startNs = clock.nowNs;
    let warmNs = -1;
    let before = 0;
    let beforeBy: Readonly<Record<string, number>> = {};
    const look = () => {
      if (warmNs >= 0 || clock.nowNs - startNs < WARM_SHARE * task.durationNs) return;
      warmNs = clock.nowNs;
      before = running.operations;
      beforeBy = running.byHost;
    };
    if (task.attack === null) {
      for (let slice = 0; slice < SLICES; slice++) {
        await clock.sleep(task.durationNs / SLICES);
        look();
      }
    } else await attackFor(task, task.attack, attacker, testbed, look);
    const seconds = (clock.nowNs - warmNs) / 1e9;
    const perSecond = (count: number, earlier: number) => (count - earlier) / seconds;
    const result = {
      operationsPerSecond: perSecond(running.operations, before),
      byHost: Object.fromEntries(
        Object.entries(running.byHost).map(([host, count]) => [host, perSecond(count, beforeBy[host])]),
      ),
    };
    running.stop();
    return result;
  } finally {
    await testbed.close();
  }
}

async function attackFor(
  { durationNs, seed }: ApplicationTask,
  attack: ApplicationAttack,
  serviceLevel: number,
  testbed: Testbed,
  onSlice: () => void,
): Promise<void> {
  const workload = resolveWorkload({
    tenants: [{ ...applicationAttacks[attack], name: 'attacker', serviceLevel }],
    measure: { sliceNs: durationNs / SLICES, minNs: durationNs, maxNs: durationNs },
  });
  await runWorkload(workload, testbed, { seed, onSlice, watchLinks: false });
}

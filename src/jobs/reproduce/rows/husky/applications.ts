import { type Application, allReduce, keyValue } from '../../../../services/index.js';
import {
  type ApplicationAttack,
  type ApplicationResult,
  runApplication,
} from '../../../isolate/applications/index.js';
import type { Bench } from '../../bench.js';
import { conclude, figures, must, several } from '../../check.js';
import { type RowOutcome, type Row, type RowSpec, rowsOf } from '../../row.js';
import { huskyApplicationTargets } from '../../targets/husky.js';
import type { Target } from '../../targets/target.js';

const ON = 'husky';
const SCHEMES = { 'SR-IOV + HW TC': 'sr-iov+hw-tc', 'Justitia + HW TC': 'justitia+hw-tc' } as const;
const HARDWARE = SCHEMES['SR-IOV + HW TC'];
const GUARANTEE_GBPS = 50;
const ALPHA = 0.25;
const NEGLIGIBLE = 0.05;
const STALLED = 0.01;
/** About four all-reduces; a thousand GETs of each session. */
const DURATION_NS = { 'all-reduce': 2_500_000, 'key-value': 300_000 } as const;

const ALL_REDUCE_FACTS = [
  'a ring; 30.8 us to add up a chunk, set so that it uses the 23 Gb/s of §5.2; neighbours on one host through memory; attackers from host a to b',
];
const KEY_VALUE_FACTS = [
  '48 B requests, 64 B answers, 6 threads a host, a window of 4 set so that the server has 14 M a second; attackers from a client (a) to the server (b)',
];

/** Husky's §5.2. */
export const huskyApplicationRows: readonly Row[] = rowsOf('Husky', huskyApplicationTargets, {
  HA1: { unit: 'drop', facts: ALL_REDUCE_FACTS, run: bandwidthOnAllReduce },
  HA2: { facts: ALL_REDUCE_FACTS, run: (bench, target) => drops(bench, target, 'pcie') },
  HA3: { facts: ALL_REDUCE_FACTS, run: (bench, target) => drops(bench, target, 'cache') },
  HA4: { unit: 'drop', facts: ALL_REDUCE_FACTS, run: stalls },
  HA5: { unit: 'drop', facts: KEY_VALUE_FACTS, run: bandwidthOnKeyValue },
  HA6: { unit: 'drop', facts: KEY_VALUE_FACTS, run: cacheAndPcie },
  HA7: { unit: 'drop', facts: KEY_VALUE_FACTS, run: everyClientStalls },
} satisfies Record<string, RowSpec>);

async function rateOf(
  bench: Bench,
  application: Application,
  scheme: string,
  attack: ApplicationAttack | null,
): Promise<ApplicationResult> {
  const durationNs = DURATION_NS[application.name as keyof typeof DURATION_NS];
  const task = { scheme, attack, guaranteeGbps: GUARANTEE_GBPS, seed: 1, durationNs };
  return runApplication(application, task, ({ hosts, isolation }) => bench.open(ON, hosts, isolation));
}

/** What an attack takes from the whole application. */
async function dropOf(
  bench: Bench,
  application: Application,
  scheme: string,
  attack: ApplicationAttack,
): Promise<number> {
  const alone = await rateOf(bench, application, scheme, null);
  const beside = await rateOf(bench, application, scheme, attack);
  return 1 - beside.operationsPerSecond / alone.operationsPerSecond;
}

async function bothSchemes(bench: Bench, attack: ApplicationAttack): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [name, scheme] of Object.entries(SCHEMES))
    found[name] = figures(await dropOf(bench, allReduce, scheme, attack));
  return found;
}

async function drops(bench: Bench, target: Target, attack: ApplicationAttack): Promise<RowOutcome> {
  return several(target, await bothSchemes(bench, attack));
}

async function bandwidthOnAllReduce(bench: Bench): Promise<RowOutcome> {
  const found = await bothSchemes(bench, 'bandwidth');
  return conclude(found, [
    must(found['SR-IOV + HW TC'] < NEGLIGIBLE, 'not negligible with SR-IOV + HW TC'),
    must(found['Justitia + HW TC'] < ALPHA, 'beyond the tolerance with Justitia + HW TC'),
  ]);
}

async function stalls(bench: Bench): Promise<RowOutcome> {
  const found = await bothSchemes(bench, 'pu');
  return conclude(
    found,
    Object.entries(found).map(([name, drop]) => must(1 - drop < STALLED, `goes on with ${name}`)),
  );
}

async function bandwidthOnKeyValue(bench: Bench): Promise<RowOutcome> {
  const drop = await dropOf(bench, keyValue, HARDWARE, 'bandwidth');
  return conclude(figures(drop), [must(drop < ALPHA, 'beyond the tolerance')]);
}

/** What attacks take from the client that shares the attacker's host. */
async function cacheAndPcie(bench: Bench): Promise<RowOutcome> {
  const beside = 'a';
  const alone = await rateOf(bench, keyValue, HARDWARE, null);
  const drop = async (attack: ApplicationAttack) =>
    figures(1 - (await rateOf(bench, keyValue, HARDWARE, attack)).byHost[beside] / alone.byHost[beside]);
  const found = { PCIe: await drop('pcie'), cache: await drop('cache') };
  return conclude(found, [
    must(found.cache > 0, 'the cache attack takes nothing'),
    must(found.cache < found.PCIe, 'the cache attack takes more than the PCIe attack'),
  ]);
}

async function everyClientStalls(bench: Bench): Promise<RowOutcome> {
  const alone = await rateOf(bench, keyValue, HARDWARE, null);
  const { byHost } = await rateOf(bench, keyValue, HARDWARE, 'pu');
  const found = Object.fromEntries(
    Object.entries(byHost).map(([host, rate]) => [
      `client on ${host}`,
      figures(1 - rate / alone.byHost[host]),
    ]),
  );
  return conclude(
    found,
    Object.entries(found).map(([client, drop]) => must(1 - drop < STALLED, `the ${client} goes on`)),
  );
}
